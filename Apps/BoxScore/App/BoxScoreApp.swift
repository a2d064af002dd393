import GatehouseUI
import SwiftUI

/// Scores for everyone, and favourite teams for signed-in users.
@main
struct BoxScoreApp: App {
    @State private var account = AuthManager(ServerSettings(.main), reportingAs: "boxscore")

    var body: some Scene {
        WindowGroup {
            HomeView { [gateway = account.gateway] in try await gateway?.teams() ?? [] }
                .gatehouse(account, branding: .boxScore)
        }
    }
}
