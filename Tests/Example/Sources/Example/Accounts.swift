import Foundation
import Gatehouse
import GatehouseModel

/// The app's accounts: created once, at its root, and passed down.
@MainActor
struct Accounts {
    let client: AuthClient
    let gateway: GatewayClient
    let manager: AuthManager

    init(server: URL, key: String, storage: any SecureStorage) throws {
        client = try AuthClient(url: server.appending(path: "auth/v1"), publishableKey: key, storage: storage)
        gateway = try GatewayClient(url: server, tokens: GatewayTokens(client))
        manager = AuthManager(service: LiveAuthService(client: client, gateway: gateway), storage: storage)
    }
}

extension Accounts {
    /// The server of `make run`; the key is the printed one.
    static func onThisMachine(key: String) throws -> Accounts {
        try Accounts(
            server: URL(string: "http://127.0.0.1:9999")!, key: key,
            storage: SystemStorage.make(
                name: "com.example.boxscore", environment: ProcessInfo.processInfo.environment))
    }
}
