import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The account manager") @MainActor
struct ManagerTests {
    @Test("A sign-up shows the user with their profile; a restart shows them again")
    func signUp() async throws {
        try await ModelWorld.with { world in
            #expect(world.manager.phase == .unauthenticated && !world.manager.isLoading)
            try await world.signUp()
            #expect(world.manager.phase == .authenticated)
            #expect(world.manager.user?.firstName == "Ada")
            #expect(world.manager.user?.email == "ada@example.com")
            #expect(world.manager.isLoggedIn)
            let next = try await world.restart()
            #expect(next.phase == .authenticated)
            #expect(next.user?.initial == "A")
            #expect(next.signedOutReason == nil)
        }
    }

    @Test("Without a session there is a guest, and no token")
    func guest() async throws {
        try await ModelWorld.with { world in
            await until { world.manager.phase == .unauthenticated }
            #expect(world.manager.signedOutReason == .neverSignedIn)
            await #expect(throws: AuthError.notAuthenticated) { try await world.manager.accessToken() }
            await #expect(throws: AuthError.notAuthenticated) {
                try await world.manager.updateProfile(firstName: "A")
            }
            await #expect(throws: AuthError.notAuthenticated) { try await world.manager.deleteAccount() }
            #expect(world.network.calls.isEmpty)
        }
    }

    @Test("A start without a connection shows the session's user, reports offline, and updates later")
    func offlineStart() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            try await world.manager.updateProfile(data: ["mood": "calm"])
            world.network.fail("/me")
            let next = try await world.restart()
            #expect(next.user?.firstName == "Ada")
            await until { next.error != nil }
            #expect(next.error == .offline(Self.lost))
            #expect(next.isLoggedIn)
            world.network.clear()
            next.reloadProfile()
            await until { next.user?.data == ["mood": "calm"] }
            #expect(next.error == nil)
        }
    }

    private nonisolated static let lost = OfflineCause.noAnswer("GatehouseModelTests.ConnectionLost 1")
    /// The code of the scripted network's refusals.
    private nonisolated static let fault = AuthErrorCode(rawValue: "FAULT")
    private nonisolated static let limited = AuthClientError.refused(
        AuthRefusal(status: 429, code: AuthErrorCode(rawValue: "RATE_LIMITED")))
    private nonisolated static let failed = AuthClientError.refused(AuthRefusal(status: 500, code: nil))

    @Test(
        "No response of the gateway to the profile signs out",
        arguments: [
            (403, .forbidden),
            (
                500,
                .networkError(.refused(AuthRefusal(status: 500, code: fault, message: "A fault of the test.")))
            ),
            (401, .networkError(.refusesValidToken(fault))),
        ] as [(Int, AuthError)])
    func profileFailures(_ status: Int, _ error: AuthError) async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            world.network.fail("/me", status)
            world.manager.reloadProfile()
            await until { world.manager.error != nil }
            #expect(world.manager.error == error)
            #expect(world.manager.isLoggedIn, "only the auth server ends a session")
            #expect(await world.client.currentSession != nil)
        }
    }

    @Test(
        "Every failure of the gateway is one of the kinds with fixed texts (A6, A10)",
        arguments: [
            (.refusesValidToken(nil), .networkError(.refusesValidToken(nil))),
            (.signedOut(.signedOutElsewhere), .notAuthenticated),
            (.refused(AuthRefusal(status: 403, code: AuthErrorCode(rawValue: "FORBIDDEN"))), .forbidden),
            (
                .refused(AuthRefusal(status: 403, code: AuthErrorCode(rawValue: "FRESH_SIGN_IN_REQUIRED"))),
                .freshSignInNeeded
            ),
            (.offline(.noAnswer("x")), .offline(.noAnswer("x"))),
            (.offline(.notUnderstood("page")), .offline(.notUnderstood("page"))),
            (.offline(.status(503)), .networkError(.offline(.status(503)))),
            (limited, .networkError(limited)),
            (failed, .networkError(failed)), (.unexpectedAnswer("x"), .networkError(.unexpectedAnswer("x"))),
            (.storeUnavailable("locked"), .storeFailed("locked")), (.insecureURL, .unknown(.insecureURL)),
        ] as [(AuthClientError, AuthError)])
    func gatewayFailures(_ failure: AuthClientError, _ kind: AuthError) async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            let me = SignedInAccount(id: try #require(world.manager.user?.id))
            let gateway = GatewayThatFails(me: me, failure: failure)
            let service = LiveAuthService(client: world.client, gateway: gateway)
            let manager = AuthManager(service: service, storage: world.storage)
            await until { manager.isLoggedIn }
            await #expect(throws: kind) { try await manager.updateProfile(firstName: .clear) }
        }
    }

    @Test("A sign-out ends signed out, network or not", arguments: [true, false])
    func signOut(_ isConnected: Bool) async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            if !isConnected { world.network.fail("/logout") }
            await world.manager.signOut()
            #expect(world.manager.phase == .unauthenticated)
            #expect(world.manager.user == nil)
            #expect(world.manager.signedOutReason == .requested)
            #expect(world.manager.error == nil)
            #expect(await world.storage.contents.isEmpty)
            #expect(world.network.calls.last == "POST /auth/v1/logout")
        }
    }

    @Test("A profile that arrives after the sign-out is ignored")
    func lateProfile() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            world.network.hold()
            world.manager.reloadProfile()
            await until { world.network.heldCount == 1 }
            await world.manager.signOut()
            world.network.release()
            for _ in 0..<100 { await Task.yield() }
            #expect(world.manager.user == nil)
            #expect(!world.manager.isLoading)
        }
    }

    @Test("A sign-out during a sign-in wins")
    func signOutWins() async throws {
        try await ModelWorld.with { world in
            await until { world.manager.phase == .unauthenticated }
            world.network.hold("/auth/v1/")
            let signUp = Task { try await world.signUp() }
            await until { world.network.heldCount == 1 }
            #expect(world.manager.phase == .authenticating(.email))
            await world.manager.signOut()
            world.network.release()
            try await signUp.value
            #expect(world.manager.phase == .unauthenticated)
            #expect(world.manager.user == nil)
            #expect(world.events.events.last == .cancelled(.email))
        }
    }

    @Test("A profile change changes only the given fields")
    func update() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            try await world.manager.updateProfile(data: ["mood": "calm", "goals": ["steps": 8_000]])
            #expect(world.manager.user?.firstName == "Ada")
            try await world.manager.updateProfile(firstName: .clear, data: ["goals": ["sleep": 8]])
            #expect(world.manager.user?.firstName == nil)
            let data: AuthJSONObject = ["mood": "calm", "goals": ["sleep": 8, "steps": 8_000]]
            #expect(world.manager.user?.data == data)
            let long = String(repeating: "a", count: 51)
            let error = await #expect(throws: AuthError.self) {
                try await world.manager.updateProfile(firstName: .set(long))
            }
            guard case .networkError(.refused(let refusal)) = error else { throw ConnectionLost() }
            #expect(refusal.status == 400 && refusal.field == "/first_name")
            #expect(world.manager.error == error)
            #expect(world.manager.user?.data == data)
        }
    }

    @Test("A deletion deletes at the server, then here; a failure keeps the user signed in")
    func delete() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            world.network.fail("/me")
            await #expect(throws: AuthError.offline(Self.lost)) { try await world.manager.deleteAccount() }
            #expect(world.manager.isLoggedIn)
            #expect(world.manager.error == .offline(Self.lost))
            world.network.clear()
            try await world.manager.deleteAccount()
            #expect(world.manager.phase == .unauthenticated)
            #expect(world.manager.error == nil)
            #expect(try await world.server.signIn().code == "invalid_credentials")
        }
    }

    @Test("A refresh shows nothing and loads nothing")
    func refresh() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            let user = world.manager.user
            let loads = world.network.calls.count { $0 == "GET /v1/auth/me" }
            world.server.clock.advance(by: .seconds(3_601))
            _ = try await world.manager.accessToken()
            await until { world.events.events.contains(.refreshAttempted(.expired)) }
            await until { world.manager.phase == .authenticated }
            #expect(world.manager.user == user)
            #expect(world.network.calls.count { $0 == "GET /v1/auth/me" } == loads)
        }
    }

    @Test("After a refusal by the app's API, any thread gets another token, once for all who had the old one")
    func anotherToken() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            world.server.clock.advance(by: .seconds(60))
            let manager = world.manager
            let (first, second, third) = try await Task.detached {
                let first = try await manager.accessToken()
                let second = try await manager.accessToken(insteadOf: first)
                return (first, second, try await manager.accessToken(insteadOf: first))
            }.value
            #expect(first != second && second == third)
        }
    }

    @Test("When the server ends the session, the manager reports it")
    func endedByServer() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            let id = world.manager.user?.id.uuidString.lowercased() ?? ""
            _ = try await world.server.admin(.delete, "/users/\(id)")
            world.server.clock.advance(by: .seconds(3_601))
            await #expect(throws: AuthError.notAuthenticated) { try await world.manager.accessToken() }
            await until { !world.manager.isLoggedIn }
            #expect(world.manager.phase == .unauthenticated)
            await until { world.manager.signedOutReason != nil }
            #expect(
                world.manager.signedOutReason == .endedByServer(.refreshTokenNotFound, because: .accountDeleted))
            #expect(LoginModel(manager: world.manager).message?.text == "This account was deleted.")
        }
    }

    @Test("A change of the account elsewhere in the app reloads it")
    func userUpdated() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            _ = try await world.server.send(
                .patch, "/v1/auth/me", bearer: try await world.client.session.accessToken,
                headers: [.contentType: "application/json"], json: ["first_name": "Grace"])
            try await world.client.update(user: AuthUserAttributes(data: ["theme": "dark"]))
            await until { world.manager.user?.firstName == "Grace" }
        }
    }

    @Test("F11: A signed-in user switches accounts on purpose only; a failed switch changes nothing")
    func switching() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            let ada = try #require(world.manager.user)
            await #expect(throws: AuthError.wrongCredentials) {
                try await world.manager.switchAccount { account throws(AuthError) in
                    try await account.signInWithEmail("grace@example.com", password: TestServer.password)
                }
            }
            #expect(world.manager.user?.id == ada.id && world.manager.phase == .authenticated)
            let old = try await world.client.session
            let outcome = try await world.manager.switchAccount { account throws(AuthError) in
                try await account.signUpWithEmail("grace@example.com", password: TestServer.password)
            }
            #expect(outcome == .signedIn && world.manager.user?.email == "grace@example.com")
            // The server also ends the replaced session.
            await until {
                // Ignored: a failed request is repeated.
                let answer = try? await world.server.send(.get, "/auth/v1/user", bearer: old.accessToken)
                return answer?.status == 403
            }
        }
    }

    @Test("A second sign-in is refused, and a wrong password leaves a guest")
    func refused() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            let count = world.network.calls.count
            await #expect(throws: AuthError.alreadySignedIn) {
                try await world.manager.signInWithEmail("a@b.c", password: "12345678")
            }
            #expect(world.network.calls.count == count)
            #expect(world.events.events.last == .stepIgnored)
            await world.manager.signOut()
            await #expect(throws: AuthError.self) {
                try await world.manager.signInWithEmail("ada@example.com", password: "wrong password")
            }
            #expect(world.manager.phase == .unauthenticated)
            #expect(world.events.events.last == .failed(.email, .wrongCredentials))
        }
    }

    @Test("The listeners end with the manager")
    func lifetime() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            var manager: AuthManager? = try await world.restart()
            weak let watched = manager
            await until { manager?.isLoading == false }
            manager = nil
            await until { watched == nil }
        }
    }
}
