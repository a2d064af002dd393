package import AccountDomain
package import AccountStore
package import AuthServer
package import DevStack
import GatehouseServer
package import GatehouseWire
package import HTTPServing
package import HTTPTypes
import Hummingbird
package import JSONWebTokens
import Logging
import NIOCore
import PasswordHashing
package import SQLDatabase
import Synchronization

/// The server as it ships, over a database of its own, called without a socket. Its world is the test's.
package final class TestServer: Sendable {
    package let clock = TestClock()
    package let settings: AuthSettings
    package let sharedSecret: JSONWebKey
    package let signingKeys: SigningKeys
    /// Apple and Google, where the test wants them.
    package let standIns: StandIns?
    package let wire = ProviderWire()
    /// Waits before answers, where a test sets ``AuthSettings/passwordAnswerTime``.
    package let answerTime = AnswerTime()
    private let place: DatabasePlace
    private let server: Server
    private let local: LocalAccounts
    private let responder: RouterResponder<ServerContext>

    package var database: any Database { server.database }
    package var metrics: ServerMetrics { server.metrics }
    package var accounts: Accounts { local.accounts }
    package var keys: KeyRing { local.keys }
    package var watch: RevocationWatch { local.watch }
    /// The auth API itself, for what it does in the background.
    package var auth: AuthServer { local.auth }

    package static let issuer = "http://127.0.0.1:9999/auth/v1"
    package static let secretKey = "sb_secret_test"

    package init(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, policy: SessionPolicy = SessionPolicy(),
        providers: TestProviders? = nil, hashQueue: Int = 64, change: (inout AuthSettings) -> Void = { _ in }
    ) async throws {
        place = try await kind.place()
        let (clock, randomness, answerTime, wire, place) = (clock, TestRandomness(), answerTime, wire, place)
        let standIns = try providers.map { _ in try Self.standIns(clock, randomness, wire) }
        var settings = try Self.settings(place)
        (settings.rates, settings.sessions, settings.hashQueue) = (limits, policy, hashQueue)
        if let providers, let standIns {
            settings.providers = try Self.providers(providers, standIns.registration)
        }
        change(&settings.auth)
        let world = World(
            now: { clock.now }, uptime: { clock.uptime },
            // The schema stays as long as the database, which may outlive this value.
            threadUptime: { withExtendedLifetime(place) { uptime() } },
            sleep: { try await answerTime.wait($0, clock) }, random: randomness.next, transport: wire.transport,
            resolve: { _ in [] }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        server = try await makeServer(settings, world, beside: { standIns?.tables(floor: $0) ?? [] }) { database in
            if kind != .service { try await database.migrate(Accounts.migrations) }
        }
        guard let local = server.local, let secrets = settings.secrets, let shared = settings.tokens.sharedSecret else {
            throw IncompleteSettings()
        }
        (self.standIns, self.local, self.settings, sharedSecret) = (standIns, local, settings.auth, shared)
        signingKeys = SigningKeys(database: server.database, secrets: secrets, randomBytes: randomness.bytes)
        responder = server.router.buildResponder()
        wire.connect { [weak self] call in
            guard let self else { throw OutgoingFailure.noAnswer(code: 0) }
            return try await carry(call)
        }
    }

    private struct IncompleteSettings: Error {}

    private static func settings(_ place: DatabasePlace) throws -> ServerSettings {
        let given: [Setting: String] = [
            .database: place.location, .databaseConnections: "4", .externalURL: issuer,
            .secrets: "1:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
            .jwtSecret: "a-shared-secret-of-at-least-32-characters", .jwtAlgorithm: "ES256",
            .siteURL: "https://app.example.org", .uriAllowList: "https://app.example.org/cb,myapp://callback",
            .autoConfirm: "true", .anonymousEnabled: "true", .passwordAnswerTime: "0", .outgoingLoopback: "true",
            .appScheme: "boxscore", .hashThreads: "2",
            // Tests that run side by side on a busy machine keep each other waiting.
            .requestDuration: "60s",
        ]
        let environment = Dictionary(uniqueKeysWithValues: given.map { ($0.key.environmentName, $0.value) })
        var settings = try ServerSettings(GivenSettings(environment: environment))
        settings.hashCost = Argon2Settings(memoryKiB: 64, passes: 1) ?? .owasp
        settings.auth.apiKeys.secret = [Secret(secretKey)]
        settings.auth.apiKeys.publishable = [Secret("sb_publishable_test")]
        return settings
    }

    /// A provider's answer from the same router.
    private func carry(_ call: OutgoingCall) async throws -> OutgoingHTTP.Answer {
        var headers: HTTPFields = [:]
        for (name, value) in call.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let answer = try await send(
            HTTPRequest.Method(rawValue: call.method) ?? .get, call.url.replacing(Self.external, with: ""),
            headers: headers, raw: call.body)
        return OutgoingHTTP.Answer(status: answer.status, body: answer.bytes)
    }

    /// How many statements `work` runs, by the server's own count.
    package func statements(during work: () async throws -> Void) async rethrows -> Int {
        let before = statementCount
        try await work()
        return statementCount - before
    }

    private var statementCount: Int {
        let lines = metrics.render().split(separator: "\n")
        let line = lines.first { $0.hasPrefix("gatehouse_database_statements_total ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    /// Sends one request.
    ///
    /// - Parameters:
    ///   - peer: The caller's address.
    ///   - authority: The name by which the server was called.
    package func send(
        _ method: HTTPRequest.Method, _ path: String, bearer: String? = nil, headers: HTTPFields = [:],
        json: AnyJSON? = nil, raw: [UInt8]? = nil, peer: String = "192.0.2.1", authority: String = "test"
    ) async throws -> TestAnswer {
        var fields: HTTPFields = [HTTPField.Name("x-supabase-api-version")!: "2024-01-01"]
        if let bearer { fields[.authorization] = "Bearer \(bearer)" }
        for field in headers { fields[field.name] = field.value }
        let bytes = raw ?? json.map { Array($0.text.utf8) } ?? []
        let head = HTTPRequest(method: method, scheme: "http", authority: authority, path: path, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: bytes)))
        let context = ServerContext(peerAddress: peer, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let response = try await responder.respond(to: request, context: context)
        let body = CollectedBody()
        try await response.body.write(body)
        return TestAnswer(status: response.status.code, headers: response.headers, bytes: body.bytes)
    }

    /// Ends the hashing threads; a test calls it last.
    package func stop() async { await server.close() }

    /// Runs a test against a server of its own.
    package static func with(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, policy: SessionPolicy = SessionPolicy(),
        providers: TestProviders? = nil, hashQueue: Int = 64, change: (inout AuthSettings) -> Void = { _ in },
        _ test: (TestServer) async throws -> Void
    ) async throws {
        let server = try await TestServer(
            on: kind, limits: limits, policy: policy, providers: providers, hashQueue: hashQueue, change: change)
        do {
            try await test(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}

/// What a server answered.
package struct TestAnswer: Sendable {
    package let status: Int
    package let headers: HTTPFields
    package let bytes: [UInt8]

    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The body as JSON; null when it is none.
    package var json: AnyJSON {
        do { return try JSONReader.read(bytes) } catch { return .null }
    }
    /// `code` of a refusal of the auth door, `error` of one of the gateway.
    package var code: String? { json["code"]?.stringValue ?? json["error"]?.stringValue }
    package subscript(name: String) -> AnyJSON? { json[name] }
}

extension TestAnswer: CustomStringConvertible {
    package var description: String { "\(status) \(text)" }
}

private final class CollectedBody: ResponseBodyWriter, Sendable {
    private let collected = Mutex<[UInt8]>([])
    var bytes: [UInt8] { collected.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws { collected.withLock { $0 += buffer.readableBytesView } }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Waits without a clock: time limits do not run out in tests that do not move one, and waits below a second are over at
/// once and noted.
package final class AnswerTime: Sendable {
    private let noted = Mutex<[Duration]>([])
    package var waits: [Duration] { noted.withLock { $0 } }

    func wait(_ duration: Duration, _ clock: TestClock) async throws {
        guard duration >= .seconds(1) else {
            clock.advance(by: duration)
            return noted.withLock { $0.append(duration) }
        }
        for await _ in AsyncStream<Never>.makeStream().stream {}
        try Task.checkCancellation()
    }
}
