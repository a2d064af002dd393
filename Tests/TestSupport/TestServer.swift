package import AccountDomain
package import AccountStore
package import AuthServer
package import GatehouseWire
package import HTTPServing
package import HTTPTypes
package import Hummingbird
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
    package let settings: AuthSettings
    package let metrics = ServerMetrics()
    package let sharedSecret: JSONWebKey
    package let signingKeys: SigningKeys
    private let passwords: PasswordHasher
    private let responder: RouterResponder<ServerContext>

    package static let issuer = "http://127.0.0.1:9999/auth/v1"
    package static let secretKey = "sb_secret_test"

    package init(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, policy: SessionPolicy = SessionPolicy(),
        change: (inout AuthSettings) -> Void = { _ in }
    ) async throws {
        storage = try await kind.open()
        let (clock, randomness) = (clock, TestRandomness())
        let secrets = ServerSecrets([(1, Array(repeating: 7, count: 32))])!
        var settings = AuthSettings(externalURL: Self.issuer, version: "test")
        settings.confirmsAutomatically = true
        settings.allowsAnonymousSignIn = true
        settings.apiKeys.secret = [Secret(Self.secretKey)]
        settings.apiKeys.publishable = [Secret("sb_publishable_test")]
        change(&settings)
        self.settings = settings
        accounts = Accounts(
            database: storage.database, secrets: secrets, policy: policy, randomBytes: { randomness.bytes($0) })
        sharedSecret = try JSONWebKey(hs256: Secret("a-shared-secret-of-at-least-32-characters"))
        signingKeys = SigningKeys(
            database: storage.database, secrets: secrets, randomBytes: { randomness.bytes($0) })
        var sources = KeySources()
        sources.store = signingKeys
        sources.sharedSecret = sharedSecret
        keys = KeyRing(
            sources, tokenLifetime: settings.accessTokenLifetime, now: { clock.now },
            makeKey: { JSONWebKey.newES256().identified() })
        try await keys.reload()
        passwords = PasswordHasher(
            settings: Argon2Settings(memoryKiB: 64, passes: 1)!, threads: 2, randomBytes: { randomness.bytes($0) })
        let floor = ServingFloor(
            now: { clock.now }, uptime: { clock.uptime }, sleep: { _ in try await untilCancelled() },
            makeRequestID: { Base64URL.text(randomness.bytes(12)) }, metrics: metrics,
            limiter: limits.map { RateLimiter(Limits.all($0)) }, clientAddress: ClientAddressRule(.peer))
        responder = try Self.router(settings, accounts, keys, passwords, storage, floor, clock).buildResponder()
    }

    private static func router(
        _ settings: AuthSettings, _ accounts: Accounts, _ keys: KeyRing, _ passwords: PasswordHasher,
        _ storage: OpenDatabase, _ floor: ServingFloor, _ clock: TestClock
    ) throws -> Router<ServerContext> {
        let auth = AuthServer(settings: settings, accounts: accounts, keys: keys, passwords: passwords, floor: floor)
        let check = BearerCheck(
            issuers: [settings.issuer], audiences: [accounts.audience], cache: keys.cache, now: { clock.now },
            keys: { keys.verifying! })
        let profiles = ProfileRoutes(
            profiles: Profiles(database: storage.database), teams: try TeamCatalogue(),
            authenticate: { token async throws(BearerRefusal) in try await check.bearer(token) },
            deleteAccount: { bearer in
                let id = UserID(trusted: bearer.userID.text)
                return try await accounts.delete(id, actor: id, at: clock.now) ? .deleted : .alreadyGone
            }, appScheme: AppScheme("boxscore"), now: { clock.now })
        let router = Router(context: ServerContext.self)
        let tables = [auth.table(prefixes: ["/auth/v1"])] + profiles.tables(floor: floor)
        for table in tables { table.add(to: router) }
        UnknownPaths.add(tables, to: router)
        return router
    }

    /// Sends one request.
    ///
    /// - Parameter peer: The caller's address.
    package func send(
        _ method: HTTPRequest.Method, _ path: String, bearer: String? = nil, headers: HTTPFields = [:],
        json: AnyJSON? = nil, raw: [UInt8]? = nil, peer: String = "192.0.2.1"
    ) async throws -> TestAnswer {
        var fields: HTTPFields = [HTTPField.Name("x-supabase-api-version")!: "2024-01-01"]
        if let bearer { fields[.authorization] = "Bearer \(bearer)" }
        for field in headers { fields[field.name] = field.value }
        let bytes = raw ?? json.map { Array($0.text.utf8) } ?? []
        let head = HTTPRequest(method: method, scheme: "http", authority: "test", path: path, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: bytes)))
        let context = ServerContext(peerAddress: peer, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let response = try await responder.respond(to: request, context: context)
        let body = CollectedBody()
        try await response.body.write(body)
        return TestAnswer(status: response.status.code, headers: response.headers, bytes: body.bytes)
    }

    /// Ends the hashing threads; a test calls it last.
    package func stop() async { await passwords.shutdown() }

    /// Runs a test against a server of its own.
    package static func with(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, policy: SessionPolicy = SessionPolicy(),
        change: (inout AuthSettings) -> Void = { _ in }, _ test: (TestServer) async throws -> Void
    ) async throws {
        let server = try await TestServer(on: kind, limits: limits, policy: policy, change: change)
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

/// Waits without a clock: time limits do not run out in tests that do not move one.
private func untilCancelled() async throws {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    try Task.checkCancellation()
}
