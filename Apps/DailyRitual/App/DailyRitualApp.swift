import Gatehouse
import GatehouseUI
import SwiftUI

/// A journal, which uses the same account screens in other colours.
@main
struct DailyRitualApp: App {
    @State private var account = AuthManager(ServerSettings(.main), reportingAs: "dailyritual")

    var body: some Scene {
        WindowGroup {
            JournalView(profile: ProfileCalls(account), date: account.clock.now())
                .gatehouse(account, branding: .dailyRitual)
        }
    }
}
