import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import Synchronization

/// What a command of the client works with.
struct Client: Sendable {
    let target: ClientTarget
    let auth: AuthClient
    let gateway: GatewayClient
    let terminal: Terminal
    let isJSON: Bool
    private let notices: HeardNotices

    /// - Throws: ``AuthClientError``, ``GatewayError``, for an address that is not safe.
    init(_ target: ClientTarget, terminal: Terminal, isJSON: Bool, environment: [String: String]) throws {
        let notices = HeardNotices()
        let storage = Self.storage(environment: environment, notice: notices.hear)
        self.target = target
        self.terminal = terminal
        self.isJSON = isJSON
        self.notices = notices
        auth = try Self.authClient(target, storage)
        gateway = try GatewayClient(
            url: target.url, tokens: GatewayTokens(auth), transport: Self.transport(), rules: Self.gatewayRules)
    }

    /// Signed out, and leaves nothing behind.
    func separateAuthClient() throws -> AuthClient { try Self.authClient(target, MemoryStorage()) }

    private static func authClient(_ target: ClientTarget, _ storage: any SecureStorage) throws -> AuthClient {
        var options = AuthClient.Options()
        options.storageKey = target.storageKey
        options.clientInfo = clientInfo
        // A person waits: fewer tries than an app makes in the background.
        (options.refresh.retries, options.refresh.firstWait) = (1, .milliseconds(200))
        return try AuthClient(
            url: target.authURL, publishableKey: target.key, storage: storage, transport: transport(),
            options: options)
    }

    private static var gatewayRules: GatewayRules {
        var rules = GatewayRules()
        (rules.retries, rules.firstWait, rules.connectivityLimit) = (1, .milliseconds(200), .zero)
        return rules
    }

    private static let clientInfo = "gatehouse-cli/\(ProgramVersion.text)"

    /// The list of sessions shows this name.
    private static func transport() -> HTTPTransport {
        let send = SystemDefaults.transport()
        return { call in
            var call = call
            call.headers["user-agent"] = clientInfo
            return try await send(call)
        }
    }
}

extension Client {
    /// What came of the command, on standard output.
    func answer(_ answer: ClientAnswer) throws { try Output.send(isJSON ? answer.json.text + "\n" : answer.text) }

    /// For people alone, on standard error.
    func note(_ text: String) { if !isJSON { Output.note(text.printable) } }

    /// Says where the session is kept, when that is no keyring.
    func noteStorage() {
        guard let folder = notices.folder else { return }
        note("The session is kept in files that only you can read, in \(folder): there is no keyring here.")
    }

    /// - Throws: ``ClientFailure`` where nobody can be asked.
    func ask(_ question: String, insteadOf option: String) async throws -> String {
        guard Terminal.canAsk else { throw ClientFailure.usage("Nobody can be asked here: give \(option).") }
        return try await terminal.line(question)
    }
}

/// Keeps what the store told, until somebody wants to say it.
private final class HeardNotices: Sendable {
    private let heard = Mutex<StorageNotice?>(nil)

    @Sendable func hear(_ notice: StorageNotice) { heard.withLock { $0 = notice } }

    var folder: String? {
        heard.withLock { notice in
            guard case .usesFiles(let folder) = notice else { return nil }
            return folder
        }
    }
}
