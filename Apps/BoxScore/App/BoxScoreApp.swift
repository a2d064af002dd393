import SwiftUI

/// Scores for everyone, and favourite teams for signed-in users.
@main
struct BoxScoreApp: App {
    @State private var start = AppStart(.main)

    var body: some Scene {
        WindowGroup {
            AccountsRoot(start, branding: .boxScore) { accounts in
                HomeView { try await accounts.gateway.teams() }
            }
        }
    }
}
