import AccountDomain
import AuthServer
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseWire
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// The two servers that must behave alike.
enum ServiceKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inMemory
    /// The real one, in this process.
    case live

    var testDescription: String { rawValue }
}

struct ServiceWorld: Sendable {
    let service: any AuthService
    let events: HeardEvents
    /// Advances the clock.
    let advance: @Sendable (Duration) -> Void
    /// Cuts or restores the connection.
    let setOffline: @Sendable (Bool) -> Void
    /// Deletes an account as an administrator does.
    let removeAccount: @Sendable (UUID) async throws -> Void
    let providers: ServiceProviders
    /// The newest email's, unless it is void.
    let code: @Sendable (_ kind: InMemoryAuthService.Mail.Kind, _ email: String) async throws -> String?
    /// The newest text message's to the number, with `+`.
    let textedCode: @Sendable (_ phone: String) async throws -> String?
    let agent: ServiceAgent

    /// - Parameters:
    ///   - confirms: Treats addresses as confirmed without an email.
    ///   - sendsMail: The server sends email.
    ///   - textsCodes: Numbers sign in, and are second factors.
    ///   - hasAgents: Agents may ask for access.
    static func with(
        _ kind: ServiceKind, confirms: Bool = true, sendsMail: Bool = false, textsCodes: Bool = false,
        hasAgents: Bool = false, _ test: (ServiceWorld) async throws -> Void
    ) async throws {
        switch kind {
        case .inMemory:
            let service = InMemoryAuthService(confirmsAutomatically: confirms)
            service.serverSettings.sendsMail = sendsMail
            service.serverSettings.allowsPhone = textsCodes
            service.serverSettings.allowsPhoneFactors = textsCodes
            service.serverSettings.hasOAuthServer = hasAgents
            try await test(
                await ServiceWorld(
                    service: service.service, events: HeardEvents(service.service),
                    advance: { service.clock.advance(by: $0) },
                    setOffline: { if $0 { service.stay(.offline) } else { service.clear() } },
                    removeAccount: { id in service.removeAccount(email: "ada@example.com") }, providers: .scripted,
                    code: { service.mailCode($0, to: $1) },
                    textedCode: { phone in
                        service.texts.last { $0.phone == phone }.flatMap { service.textCode($0.kind, to: phone) }
                    }, agent: ServiceAgent(service)))
        case .live:
            try await withServer(
                confirms: confirms, sendsMail: sendsMail, textsCodes: textsCodes, hasAgents: hasAgents, test)
        }
    }

    private static func withServer(
        confirms: Bool, sendsMail: Bool, textsCodes: Bool, hasAgents: Bool,
        _ test: (ServiceWorld) async throws -> Void
    ) async throws {
        try await TestServer.with(
            providers: TestProviders(), factors: textsCodes ? .phones : nil,
            change: { settings in
                (settings.confirmsAutomatically, settings.mail) = (confirms, sendsMail ? MailRules() : nil)
                (settings.allowsPhone, settings.texts) = (textsCodes, textsCodes ? TextRules() : nil)
                settings.oauth = hasAgents ? .test : nil
            }
        ) { server in
            let network = LiveNetwork(server)
            let service = try network.service()
            try await test(
                await ServiceWorld(
                    service: service, events: HeardEvents(service), advance: { server.clock.advance(by: $0) },
                    setOffline: { network.setOffline($0) },
                    removeAccount: { _ = try await server.admin(.delete, "/users/\($0.uuidString.lowercased())") },
                    providers: .standIns(server), code: { try await server.code($0, $1) },
                    textedCode: { phone in
                        let digits = phone.filter { $0 != "+" }
                        return try await server.deliveredMails().last { $0.content.recipient.text == digits }?
                            .content.code?.reveal()
                    }, agent: ServiceAgent(server)))
        }
    }

    @discardableResult
    func signUp(_ email: String = "ada@example.com", name: String? = "Ada") async throws -> AuthSession {
        let answer = try await service.signUp(email: email, password: Fixtures.password, firstName: name)
        return try #require(answer.session)
    }

    /// Kind and code; nil for success.
    func failure(_ call: () async throws -> some Any) async -> String? {
        do {
            _ = try await call()
            return nil
        } catch {
            return Self.words(error)
        }
    }

    /// Without the details of a real network and server.
    private static func words(_ error: any Error) -> String {
        switch error {
        case AuthClientError.refused(let refusal): "refused \(refusal.status) \(refusal.code?.rawValue ?? "")"
        case AuthClientError.offline(.noAnswer): "offline"
        default: "\(error)"
        }
    }
}

extension FactorRules {
    fileprivate static var phones: FactorRules {
        var rules = FactorRules()
        (rules.enrolling, rules.verifying) = ([.totp, .phone], [.totp, .phone])
        return rules
    }
}

/// Since the first one.
final class HeardEvents: Sendable {
    private let heard = Mutex<[String]>([])
    private let noticed = Mutex<[AuthNotice]>([])

    /// Returns with the first event.
    init(_ service: any AuthService) async {
        let (changes, notices) = (service.authStateChanges, service.notices)
        Task { [weak self] in
            for await change in changes {
                self?.heard.withLock { $0.append("\(change.event)\(change.session == nil ? "" : " +")") }
            }
        }
        Task { [weak self] in
            for await notice in notices { self?.noticed.withLock { $0.append(notice) } }
        }
        await until { !all.isEmpty }
    }

    /// With a plus if a user is then signed in.
    var all: [String] { heard.withLock { $0 } }
    var notices: [AuthNotice] { noticed.withLock { $0 } }

    func first(_ count: Int) async -> [String] {
        await until { all.count >= count }
        return all
    }
}

/// To a server in this process.
final class LiveNetwork: Sendable {
    private struct NoConnection: Error {}

    private let isOffline = Mutex(false)
    private let refused = Mutex<String?>(nil)
    private let server: TestServer

    init(_ server: TestServer) { self.server = server }

    func setOffline(_ isOffline: Bool) { self.isOffline.withLock { $0 = isOffline } }

    /// A proxy answers 401 with its own page; nil for no proxy.
    func refuse(_ path: String?) { refused.withLock { $0 = path } }

    func service() throws -> LiveAuthService {
        let randomness = TestRandomness()
        let client = try GatehouseClient(
            url: URL(string: TestServer.issuer)!, publishableKey: "sb_publishable_test", storage: MemoryStorage(),
            transport: { try await self.send($0) }, clock: clock, randomness: { randomness.bytes($0) })
        var rules = GatewayRules()
        rules.isOffline = { $0 is NoConnection }
        let gateway = try GatewayClient(
            url: URL(string: "http://127.0.0.1:9999")!, tokens: GatewayTokens(client),
            transport: { try await self.send($0) }, clock: clock, randomness: { _ in [0] }, rules: rules)
        return LiveAuthService(client: client, gateway: gateway)
    }

    var clock: ClientClock {
        let clock = server.clock
        return ClientClock(
            now: { Date(wire: "\(clock.now)")! }, uptime: { clock.uptime },
            sleep: { duration in
                try Task.checkCancellation()
                // A time limit, which no test lets expire.
                if duration >= .seconds(20) {
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    throw CancellationError()
                }
                clock.advance(by: duration)
            })
    }

    func send(_ call: HTTPCall) async throws -> HTTPReply {
        if isOffline.withLock({ $0 }) { throw NoConnection() }
        if let end = refused.withLock({ $0 }), call.url.path.hasSuffix(end) {
            return HTTPReply(status: 401, body: Array("<html>Unauthorized</html>".utf8))
        }
        var headers = HTTPFields()
        for (name, value) in call.headers { headers[HTTPField.Name(name)!] = value }
        let query = call.url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        let answer = try await server.send(
            HTTPRequest.Method(call.method)!, call.url.path + query, headers: headers, raw: call.body ?? [])
        let name = "x-gatehouse-session-end"
        let reason = answer.headers[HTTPField.Name(name)!].map { [name: $0] } ?? [:]
        return HTTPReply(status: answer.status, headers: reason, body: answer.bytes)
    }
}

/// Waits for an effect of another task.
func until(isolation: isolated (any Actor)? = #isolation, _ condition: () async -> Bool) async {
    while await !condition() { await Task.yield() }
}
