import GatehouseUI
import SwiftUI

/// Scores for everybody, and favourite teams for those who sign in.
@main
struct BoxScoreApp: App {
    @State private var start = AppStart(.main)

    var body: some Scene {
        WindowGroup {
            AccountsRoot(start, branding: Branding()) { accounts in
                HomeView(teams: accounts.teams)
            }
        }
    }
}
