import Foundation
import Gatehouse
import GatehouseModel
import GatehouseServer
import GatehouseWire
import Synchronization

struct Client: Sendable {
    let target: ClientTarget
    let auth: GatehouseClient
    let gateway: GatewayClient
    let terminal: Terminal
    let isJSON: Bool
    private let notices: CollectedNotices

    /// - Throws: ``AuthClientError`` for an insecure URL.
    init(_ target: ClientTarget, terminal: Terminal, isJSON: Bool, environment: [String: String]) throws {
        let notices = CollectedNotices()
        let storage = Self.storage(environment: environment, notice: notices.hear)
        self.target = target
        self.terminal = terminal
        self.isJSON = isJSON
        self.notices = notices
        auth = try Self.authClient(target, storage)
        gateway = try GatewayClient(
            url: target.url, tokens: GatewayTokens(auth), transport: Self.transport(), rules: Self.gatewayRules)
    }

    private static func authClient(_ target: ClientTarget, _ storage: any SecureStorage) throws -> GatehouseClient {
        var options = GatehouseClient.Options()
        options.storageKey = target.storageKey
        options.clientInfo = clientInfo
        // A user is waiting, so retry less often than an app in the background.
        (options.refresh.retries, options.refresh.firstWait) = (1, .milliseconds(200))
        return try GatehouseClient(
            url: target.authURL, publishableKey: target.key, storage: storage, transport: transport(),
            options: options)
    }

    private static var gatewayRules: GatewayRules {
        var rules = GatewayRules()
        (rules.retries, rules.firstWait, rules.connectivityLimit) = (1, .milliseconds(200), .zero)
        return rules
    }

    private static let clientInfo = "gatehouse-cli/\(ProgramVersion.text)"

    /// Bytes.
    private static let longestAnswer = 1_048_576

    private static func transport() -> HTTPTransport {
        { call in
            var headers = call.headers
            // The name in the list of sessions.
            headers["user-agent"] = clientInfo
            let call = OutgoingCall(
                method: call.method, url: call.url.absoluteString, headers: headers, body: call.body,
                maximumBytes: longestAnswer, timeLimit: .seconds(30))
            do {
                let answer = try await OutgoingHTTP.overNetwork(call)
                return HTTPReply(status: answer.status, headers: answer.headers, body: answer.body)
            } catch OutgoingFailure.tooLong {
                // Not from an auth server. The client treats a missing body as invalid.
                return HTTPReply(status: 200, headers: [:], body: [])
            }
        }
    }
}

extension Client {
    func answer(_ answer: ClientAnswer) throws {
        try Output.send(isJSON ? answer.json.text.escaped + "\n" : answer.text)
    }

    /// To standard error, unless the output is JSON.
    func note(_ text: String) { if !isJSON { Output.note(text.printable) } }

    /// Reports a session storage other than a keyring.
    func noteStorage() {
        guard let folder = notices.folder else { return }
        note("There is no keyring, so the session is stored in files that only you can read, in \(folder).")
    }

    /// - Throws: ``ClientFailure`` if standard input is not a terminal.
    func ask(_ question: String, insteadOf option: String) async throws -> String {
        guard Terminal.canAsk else { throw ClientFailure.usage("Standard input is not a terminal. Pass \(option).") }
        return try await terminal.line(question)
    }
}

private final class CollectedNotices: Sendable {
    private let heard = Mutex<StorageNotice?>(nil)

    @Sendable func hear(_ notice: StorageNotice) { heard.withLock { $0 = notice } }

    var folder: String? {
        heard.withLock { notice in
            guard case .usesFiles(let folder) = notice else { return nil }
            return folder
        }
    }
}
