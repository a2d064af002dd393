package import AccountDomain
package import AccountStore
package import AuthServer
package import DevStack
package import GatehouseWire
package import HTTPServing
package import HTTPTypes
package import Hummingbird
import IdentityProviders
package import JSONWebTokens
import Logging
import NIOCore
import PasswordHashing
import ProfileGateway
import SQLDatabase
import Synchronization

/// The auth door and the gateway over a real database, called without a socket.
package final class TestServer: Sendable {
    package let clock = TestClock()
    package let storage: OpenDatabase
    package let accounts: Accounts
    package let keys: KeyRing
    package let watch: RevocationWatch
    package let settings: AuthSettings
    package let metrics = ServerMetrics()
    package let sharedSecret: JSONWebKey
    package let signingKeys: SigningKeys
    /// Apple and Google, where the test wants them.
    package let standIns: StandIns?
    package let wire = ProviderWire()
    /// The auth door itself, for what it does in the background.
    package let auth: AuthServer
    /// Waits before answers, where a test sets ``AuthSettings/passwordAnswerTime``.
    package let answerTime = AnswerTime()
    private let passwords: PasswordHasher
    private let responder: RouterResponder<ServerContext>

    package static let issuer = "http://127.0.0.1:9999/auth/v1"
    package static let secretKey = "sb_secret_test"

    package init(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, policy: SessionPolicy = SessionPolicy(),
        providers: TestProviders? = nil, hashQueue: Int = 64, change: (inout AuthSettings) -> Void = { _ in }
    ) async throws {
        storage = try await kind.open()
        let (clock, randomness, answerTime) = (clock, TestRandomness(), answerTime)
        let secrets = ServerSecrets([(1, Array(repeating: 7, count: 32))])!
        let settings = Self.settings(change)
        self.settings = settings
        var accounts = Accounts(
            database: storage.database, secrets: secrets, policy: policy, randomBytes: { randomness.bytes($0) })
        sharedSecret = try JSONWebKey(hs256: Secret("a-shared-secret-of-at-least-32-characters"))
        signingKeys = SigningKeys(
            database: storage.database, secrets: secrets, randomBytes: { randomness.bytes($0) })
        keys = Self.keyRing(signingKeys, sharedSecret, settings, clock)
        try await keys.reload()
        watch = RevocationWatch(accounts, keys, now: { clock.now })
        accounts.afterRevocation = watch.lookAtOnce
        self.accounts = accounts
        passwords = PasswordHasher(
            settings: Argon2Settings(memoryKiB: 64, passes: 1)!, threads: 2, waitingPerThread: hashQueue,
            randomBytes: { randomness.bytes($0) })
        let floor = ServingFloor(
            now: { clock.now }, uptime: { clock.uptime }, sleep: { try await answerTime.wait($0, clock) },
            makeRequestID: { Base64URL.text(randomness.bytes(12)) }, metrics: metrics,
            limiter: limits.map { RateLimiter(Limits.all($0)) }, clientAddress: ClientAddressRule(.peer))
        let (standIns, known) = try Self.standIns(providers, clock, randomness, wire)
        self.standIns = standIns
        auth = AuthServer(
            settings: settings, accounts: accounts, keys: keys, passwords: passwords, floor: floor,
            attempts: limits.map { Attempts($0) }, providers: known)
        let tables = try Self.tables(auth, settings.issuer, accounts, keys, storage, floor, clock)
        responder = Self.router(tables + (standIns?.tables(floor: floor) ?? [])).buildResponder()
        wire.connect { [weak self] request in
            guard let self else { throw ProviderTransportFailure.noConnection }
            return try await carry(request)
        }
    }

    private static func keyRing(
        _ store: SigningKeys, _ sharedSecret: JSONWebKey, _ settings: AuthSettings, _ clock: TestClock
    ) -> KeyRing {
        var sources = KeySources()
        (sources.store, sources.sharedSecret) = (store, sharedSecret)
        return KeyRing(
            sources, tokenLifetime: settings.accessTokenLifetime, now: { clock.now },
            makeKey: { JSONWebKey.newES256().identified() })
    }

    private static func settings(_ change: (inout AuthSettings) -> Void) -> AuthSettings {
        var settings = AuthSettings(externalURL: issuer, version: "test")
        settings.confirmsAutomatically = true
        settings.allowsAnonymousSignIn = true
        settings.apiKeys.secret = [Secret(secretKey)]
        settings.passwordAnswerTime = .zero
        settings.apiKeys.publishable = [Secret("sb_publishable_test")]
        settings.redirects = RedirectAllowList(
            siteURL: "https://app.example.org", entries: ["https://app.example.org/cb", "myapp://callback"])
        change(&settings)
        return settings
    }

    private static func router(_ tables: [RouteTable]) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        for table in tables { table.add(to: router) }
        UnknownPaths.add(tables, to: router)
        return router
    }

    /// A provider's answer from the same router.
    private func carry(_ request: ProviderRequest) async throws -> ProviderResponse {
        var headers: HTTPFields = [:]
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        headers[.authorization] = request.authorization?.reveal()
        let answer = try await send(
            request.method == .get ? .get : .post, request.url.text.replacing(Self.external, with: ""),
            headers: headers, raw: request.body.map { Array($0.reveal().utf8) })
        return ProviderResponse(status: answer.status, body: answer.bytes)
    }

    private static func tables(
        _ auth: AuthServer, _ issuer: String, _ accounts: Accounts, _ keys: KeyRing, _ storage: OpenDatabase,
        _ floor: ServingFloor, _ clock: TestClock
    ) throws -> [RouteTable] {
        let check = BearerCheck(
            issuers: [issuer], audiences: [accounts.audience], cache: keys.cache, now: { clock.now },
            keys: { keys.verifying! })
        let profiles = Profiles(database: storage.database)
        let routes = ProfileRoutes(
            profiles: profiles, teams: try TeamCatalogue(),
            authenticate: check.bearer,
            changeProfile: { bearer, changes, now in
                let user = UserID(trusted: bearer.userID.text)
                return try await profiles.change(bearer.userID, changes, at: now) { db in
                    try accounts.mayChange(user, session: bearer.sessionID, at: now, in: db)
                }
            },
            deleteAccount: { bearer in
                let user = UserID(trusted: bearer.userID.text)
                switch try await accounts.deleteOwn(user, session: bearer.sessionID, at: clock.now) {
                case .deleted: return .deleted
                case .alreadyGone: return .alreadyGone
                case .refused: return .refused
                case .stale: return .stale
                }
            }, appScheme: AppScheme("boxscore"), now: { clock.now })
        return [auth.table(prefixes: ["/auth/v1"])] + routes.tables(floor: floor)
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
    package func stop() async {
        await auth.finishUpgrades()
        await passwords.shutdown()
    }

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
