import Foundation
import Gatehouse

/// The account that the app shares with its extensions. Add this file to the app's target and to theirs.
enum SharedAccount {
    static let api = URL(string: "https://api.example.com")!
    static let server = URL(string: "https://accounts.example.com/auth/v1")!
    static let publishableKey = "sb_publishable_…"

    /// The app passes it to `AuthManager(url:publishableKey:storage:)`.
    static func storage() throws -> KeychainStorage {
        let folder = FileManager.default.containerURL(
            forSecurityApplicationGroupIdentifier: "group.com.example.journal")
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return KeychainStorage(
            service: "com.example.journal", accessGroup: "ABCDE12345.com.example.journal.shared",
            accessibility: .afterFirstUnlockThisDeviceOnly, lockFolder: folder)
    }

    static func client() throws -> GatehouseClient {
        try GatehouseClient(url: server, publishableKey: publishableKey, storage: storage())
    }
}
