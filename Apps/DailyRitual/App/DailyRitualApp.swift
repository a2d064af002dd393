import Gatehouse
import GatehouseUI
import SwiftUI

/// A journal, which uses the same account screens in other colours.
@main
struct DailyRitualApp: App {
    @State private var start = AppStart(.main)

    var body: some Scene {
        WindowGroup {
            AccountsRoot(start, branding: .dailyRitual) { accounts in
                JournalView(profile: ProfileCalls(accounts.gateway), date: SystemDefaults.clock().now())
            }
        }
    }
}
