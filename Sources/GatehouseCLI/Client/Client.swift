import Foundation
import Gatehouse
import GatehouseModel
import GatehouseServer
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

    /// Of one answer, in bytes.
    private static let longestAnswer = 1_048_576

    /// As an app's own, but what answers cannot fill the memory.
    private static func transport() -> HTTPTransport {
        { call in
            var headers = call.headers
            // The list of sessions shows this name.
            headers["user-agent"] = clientInfo
            let call = OutgoingCall(
                method: call.method, url: call.url.absoluteString, headers: headers, body: call.body,
                maximumBytes: longestAnswer, timeLimit: .seconds(30))
            do {
                let answer = try await OutgoingHTTP.overNetwork(call)
                return HTTPReply(status: answer.status, headers: answer.headers, body: answer.body)
            } catch OutgoingFailure.tooLong {
                // What goes on after that is no answer of an account server; without a body it counts as none.
                return HTTPReply(status: 200, headers: [:], body: [])
            }
        }
    }
}

extension Client {
    /// What came of the command, on standard output.
    func answer(_ answer: ClientAnswer) throws {
        try Output.send(isJSON ? answer.json.text.escaped + "\n" : answer.text)
    }

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
