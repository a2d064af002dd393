import Foundation
import Gatehouse
import GatehouseUI

/// An account whose events the gateway counts.
@MainActor
func countedAccount() -> AuthManager {
    let account = AuthManager(
        url: "https://accounts.example.com", publishableKey: "sb_publishable_…",
        telemetry: [
            HTTPSink(
                url: URL(string: "https://accounts.example.com/v1/events")!, app: "journal",
                transport: SystemDefaults.transport())
        ])
    return account
}
