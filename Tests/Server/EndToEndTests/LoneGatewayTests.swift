import AccountStore
import GatehouseServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import Synchronization
import TestSupport
import Testing

/// Has its own database, in front of a server with the accounts.
@Suite("The gateway alone")
struct LoneGatewayTests {
    private final class Gateway: Sendable {
        let issuer: TestServer
        /// Called by the gateway: method and path.
        let calls = Mutex<[String]>([])
        /// Calls of these methods get no answer.
        let lost = Mutex<Set<String>>([])
        private let place: DatabasePlace
        private let caller: Mutex<DirectCaller?> = Mutex(nil)

        init(
            _ kind: TestDatabase, before issuer: TestServer, _ changes: [Setting: String] = [:]
        ) async throws {
            self.issuer = issuer
            place = try await kind.emptyPlace()
            var given: [Setting: String] = [
                .database: place.location, .jwksURL: TestServer.issuer + "/.well-known/jwks.json",
                .jwtIssuer: TestServer.issuer, .issuerSecretKey: TestServer.secretKey,
            ]
            given.merge(changes) { $1 }
            let environment = Dictionary(uniqueKeysWithValues: given.map { ($0.key.environmentName, $0.value) })
            let settings = try ServerSettings(GivenSettings(environment: environment), parts: [.gateway])
            var world = issuer.world
            world.transport = { [weak self] call in
                guard let self else { throw OutgoingFailure.noConnection("a test") }
                return try await answer(to: call)
            }
            let server = try await makeServer(settings, world) { try await $0.migrate(migrations(for: [.gateway])) }
            caller.withLock { $0 = DirectCaller(server) }
        }

        private func answer(to call: OutgoingCall) async throws -> OutgoingHTTP.Answer {
            calls.withLock { $0.append("\(call.method) \(call.url.replacing(TestServer.issuer, with: ""))") }
            if lost.withLock({ $0.contains(call.method) }) { throw OutgoingFailure.noConnection("a test") }
            return try await issuer.answer(to: call)
        }

        func send(
            _ method: HTTPRequest.Method, _ token: String, json: AuthJSON? = nil
        ) async throws -> TestAnswer {
            try await #require(caller.withLock(\.self)).send(method, "/v1/auth/me", bearer: token, json: json)
        }

        func name(_ name: String, _ token: String) async throws -> TestAnswer {
            try await send(.patch, token, json: ["first_name": .string(name)])
        }
    }

    private func with(
        _ kind: TestDatabase, _ changes: [Setting: String] = [:], _ test: (Gateway) async throws -> Void
    ) async throws {
        try await TestServer.with { issuer in try await test(Gateway(kind, before: issuer, changes)) }
    }

    @Test("The issuer's keys say who asks; a first change asks the issuer for the account", arguments: TestDatabase.all)
    func change(_ kind: TestDatabase) async throws {
        try await with(kind) { gateway in
            let session = try await gateway.issuer.signUp()
            #expect(try await gateway.send(.get, session.accessToken)["user"]?["email"] == "ada@example.com")
            for name in ["Ada", "Ana"] {
                let changed = try await gateway.name(name, session.accessToken)
                #expect(changed["profile"]?["first_name"] == .string(name))
            }
            #expect(gateway.calls.withLock(\.self) == ["GET /.well-known/jwks.json", "GET /user"])
            try await TestServer.with { other in
                let foreign = try await other.signUp().accessToken
                #expect(try await gateway.send(.get, foreign).code == "TOKEN_INVALID")
            }
        }
    }

    @Test(
        "A deletion whose second half was lost is asked for again, and makes room after a minute",
        arguments: TestDatabase.all)
    func deletion(_ kind: TestDatabase) async throws {
        try await with(kind) { gateway in
            let session = try await gateway.issuer.signUp()
            _ = try await gateway.name("Ada", session.accessToken)
            gateway.lost.withLock { $0 = ["DELETE"] }
            #expect(try await gateway.send(.delete, session.accessToken).status == 500)
            #expect(try await gateway.issuer.accounts.count() == 1)
            // The account may be in deletion.
            #expect(try await gateway.name("Eve", session.accessToken).status == 503)
            gateway.issuer.clock.advance(by: .seconds(60))
            #expect(try await gateway.name("Ada", session.accessToken).status == 200)
            gateway.lost.withLock { $0 = [] }
            #expect(try await gateway.send(.delete, session.accessToken).status == 204)
            #expect(try await gateway.issuer.accounts.count() == 0)
            #expect(try await gateway.name("Eve", session.accessToken).code == "TOKEN_INVALID")
        }
    }

    @Test("A session that the issuer has ended deletes nothing", arguments: TestDatabase.all)
    func ended(_ kind: TestDatabase) async throws {
        try await with(kind) { gateway in
            let session = try await gateway.issuer.signUp()
            _ = try await gateway.name("Ada", session.accessToken)
            _ = try await gateway.issuer.send(.post, "/auth/v1/logout?scope=local", bearer: session.accessToken)
            #expect(try await gateway.send(.delete, session.accessToken).code == "TOKEN_INVALID")
            #expect(try await gateway.send(.get, session.accessToken)["profile"]?["first_name"] == "Ada")
        }
    }

    @Test("Where the settings ask for a fresh sign-in, a refreshed token deletes nothing", arguments: TestDatabase.all)
    func stale(_ kind: TestDatabase) async throws {
        try await with(kind, [.freshSignIn: "10m"]) { gateway in
            let session = try await gateway.issuer.signUp()
            let anonymous = try #require(
                TestSession(try await gateway.issuer.send(.post, "/auth/v1/signup", json: [:])))
            _ = try await gateway.name("Ada", session.accessToken)
            gateway.issuer.clock.advance(by: .seconds(600))
            let renewed = try #require(TestSession(try await gateway.issuer.refresh(session.refreshToken)))
            let refused = try await gateway.send(.delete, renewed.accessToken)
            #expect(refused.status == 403 && refused.code == "FRESH_SIGN_IN_REQUIRED")
            #expect(try await gateway.send(.get, renewed.accessToken)["profile"]?["first_name"] == "Ada")
            #expect(try await gateway.issuer.accounts.count() == 2)
            // An anonymous user has nothing to sign in with.
            let guest = try #require(TestSession(try await gateway.issuer.refresh(anonymous.refreshToken)))
            #expect(try await gateway.send(.delete, guest.accessToken).status == 204)
            let again = try #require(TestSession(try await gateway.issuer.signIn()))
            #expect(try await gateway.send(.delete, again.accessToken).status == 204)
            #expect(try await gateway.issuer.accounts.count() == 0)
        }
    }
}
