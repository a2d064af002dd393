package import AccountDomain
package import AccountStore
package import AuthServer
package import DevStack
import Foundation
package import GatehouseServer
package import GatehouseWire
package import HTTPServing
package import HTTPTypes
package import JSONWebTokens
import Logging
import PasswordHashing
package import ProfileGateway
package import SQLDatabase
import Synchronization

/// The server as shipped, with its own database and the test's world, called without a socket.
package final class TestServer: Sendable {
    package let clock = TestClock()
    package let settings: AuthSettings
    package let sharedSecret: JSONWebKey
    package let signingKeys: SigningKeys
    package let standIns: StandIns?
    package let wire = ProviderWire()
    package let receiver = HookReceiver()
    /// Before responses, if a test sets ``AuthSettings/passwordAnswerTime``.
    package let answerTime = AnswerTime()
    /// Signs in to the console once, if the test uses it.
    package let consoleLink: String?
    /// The mails of a server with ``AuthSettings/mail``.
    package let mailbox = TestMailbox()
    package let world: World
    private let place: DatabasePlace
    private let server: Server
    private let local: LocalAccounts
    private let caller: DirectCaller

    package var database: any Database { server.database }
    /// Method and path of every route.
    package var routes: [(method: HTTPRequest.Method, path: String)] { server.routes }
    package var metrics: ServerMetrics { server.metrics }
    package var accounts: Accounts { local.accounts }
    package var events: EventTally { server.events }
    package var keys: KeyRing { local.keys }
    package var revocations: RevocationPoller { local.revocations }
    /// For its background work.
    package var auth: AuthServer { local.auth }

    package static let issuer = "http://127.0.0.1:9999/auth/v1"
    package static let secretKey = "sb_secret_test"
    /// The catalogue of the sports app.
    package static let teamCatalogue = URL(filePath: #filePath)
        .appending(path: "../../../../Apps/BoxScore/teams.json").standardizedFileURL.path

    package init(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, policy: SessionPolicy = SessionPolicy(),
        providers: TestProviders? = nil, hashQueue: Int = 64, fields: ConfiguredFields? = nil, hasPages: Bool = false,
        hasConsole: Bool = false, hooks: TestHooks = TestHooks(), factors: FactorRules? = nil,
        change: (inout AuthSettings) -> Void = { _ in }
    ) async throws {
        place = try await kind.place()
        let (clock, randomness, answerTime, place, wire) = (clock, TestRandomness(), answerTime, place, wire)
        let standIns = try providers.map { _ in try Self.standIns(clock, randomness, wire) }
        var settings = try Self.settings(place, hasPages: hasPages, hasConsole: hasConsole)
        consoleLink = hasConsole ? settings.openConsole(Secret(Self.secretKey), randomBytes: randomness.bytes) : nil
        (settings.rates, settings.sessions, settings.hashQueue) = (limits, policy, hashQueue)
        (settings.profileFields, settings.factors) = (fields ?? settings.profileFields, factors ?? settings.factors)
        if let providers, let standIns { settings.providers = try Self.providers(providers, standIns.registration) }
        hooks.configure(&settings)
        change(&settings.auth)
        var world = World(
            now: { clock.now }, uptime: { clock.uptime },
            // The schema stays as long as the database, which may outlive this value.
            threadUptime: { withExtendedLifetime(place) { uptime() } },
            sleep: { try await answerTime.wait($0, clock) }, random: randomness.next,
            transport: receiver.transport(otherwise: wire.transport), resolve: { _ in [] },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        (world.mail, world.texts) = (mailbox.deliver, mailbox.deliver)
        self.world = world
        server = try await makeServer(settings, world, beside: { standIns?.tables(runtime: $0) ?? [] }) { database in
            if kind != .service { try await database.migrate(TestDatabase.migrations) }
        }
        guard let local = server.local, let secrets = settings.secrets, let shared = settings.tokens.sharedSecret else {
            throw IncompleteSettings()
        }
        (self.standIns, self.local, self.settings, sharedSecret) = (standIns, local, settings.auth, shared)
        signingKeys = SigningKeys(database: server.database, secrets: secrets, randomBytes: randomness.bytes)
        caller = DirectCaller(server)
        wire.connect { [weak self] call in
            guard let self else { throw OutgoingFailure.noConnection("a test") }
            return try await caller.answer(to: call)
        }
    }

    private struct IncompleteSettings: Error {}

    /// Read once: reading takes a tenth of most tests' time.
    private static let usual = Result { try readSettings("accounts.sqlite", hasPages: false, hasConsole: false) }

    private static func settings(_ place: DatabasePlace, hasPages: Bool, hasConsole: Bool) throws -> ServerSettings {
        guard !hasPages, !hasConsole else {
            return try readSettings(place.location, hasPages: hasPages, hasConsole: hasConsole)
        }
        var settings = try usual.get()
        settings.database =
            place.isFile
            ? DatabaseLocation(path: place.location)
            : DatabaseLocation(server: Secret(place.location), connections: connections)
        return settings
    }

    private static let connections = 4

    private static func readSettings(
        _ database: String, hasPages: Bool, hasConsole: Bool
    ) throws -> ServerSettings {
        let given: [Setting: String] = [
            .console: "\(hasConsole)", .accountPages: "\(hasPages)", .accountPagesName: "Box Score",
            .database: database, .databaseConnections: "\(connections)", .externalURL: issuer,
            .secrets: "1:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
            .jwtSecret: "a-shared-secret-of-at-least-32-characters", .jwtAlgorithm: "ES256",
            .siteURL: "https://app.example.org", .uriAllowList: "https://app.example.org/cb,myapp://callback",
            .autoConfirm: "true", .anonymousEnabled: "true", .passwordAnswerTime: "0", .outgoingLoopback: "true",
            .openAPI: "true", .appScheme: "boxscore", .teamCatalogue: teamCatalogue, .hashThreads: "2",
            // Concurrent tests on a busy machine delay each other.
            .requestDuration: "60s",
        ]
        let environment = Dictionary(uniqueKeysWithValues: given.map { ($0.key.environmentName, $0.value) })
        var settings = try ServerSettings(GivenSettings(environment: environment))
        settings.hashCost = Argon2Settings(memoryKiB: 64, passes: 1) ?? .owasp
        settings.auth.apiKeys.secret = [Secret(secretKey)]
        settings.auth.apiKeys.publishable = [Secret("sb_publishable_test")]
        return settings
    }

    /// - Parameter authority: The name by which the server was called.
    package func send(
        _ method: HTTPRequest.Method, _ path: String, bearer: String? = nil, headers: HTTPFields = [:],
        json: AuthJSON? = nil, raw: [UInt8]? = nil, peer: String = "192.0.2.1", authority: String = "test"
    ) async throws -> TestAnswer {
        try await caller.send(
            method, path, bearer: bearer, headers: headers, json: json, raw: raw, peer: peer, authority: authority)
    }

    /// The response to another server's call.
    package func answer(to call: OutgoingCall) async throws -> OutgoingHTTP.Answer {
        try await caller.answer(to: call)
    }

    /// By the server's own count.
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

    /// A test calls it last, to end the hashing threads.
    package func stop() async { await server.close() }

    /// Runs a test with its own server.
    package static func with(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, policy: SessionPolicy = SessionPolicy(),
        providers: TestProviders? = nil, hashQueue: Int = 64, fields: ConfiguredFields? = nil, hasPages: Bool = false,
        hasConsole: Bool = false, hooks: TestHooks = TestHooks(), factors: FactorRules? = nil,
        change: (inout AuthSettings) -> Void = { _ in }, _ test: (TestServer) async throws -> Void
    ) async throws {
        let server = try await TestServer(
            on: kind, limits: limits, policy: policy, providers: providers, hashQueue: hashQueue, fields: fields,
            hasPages: hasPages, hasConsole: hasConsole, hooks: hooks, factors: factors, change: change)
        do {
            try await test(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}

/// Time limits do not expire in tests that do not move a clock; waits below a second end immediately and are recorded.
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
