import AuthServer
import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

@Suite("Calls against the server")
struct CallTests {
    @Test("Sign up, sign in, sign in anonymously")
    func signIn() async throws {
        try await World.with { world in
            let answer = try await world.client.signUp(
                email: "ada@example.com", password: TestServer.password, data: ["first_name": "Ada"])
            #expect(answer.user?.userMetadata["first_name"] == "Ada")
            #expect(answer.user?.email == "ada@example.com")
            #expect(answer.user?.identities?.map(\.provider) == ["email"])
            let again = try await world.client.signIn(email: "ada@example.com", password: TestServer.password)
            #expect(again.user.id == answer.user?.id)
            #expect(again.tokenType == "bearer")
            #expect(again.expiresIn == 3_600)
            #expect(again.user.createdAt == Date(timeIntervalSince1970: 1_767_225_600))
            let guest = try await world.client.signInAnonymously(data: ["theme": "dark"])
            #expect(guest.user.isAnonymous)
            #expect(guest.user.email == nil)
            #expect(guest.user.userMetadata["theme"] == "dark")
        }
    }

    @Test("Without confirmation a sign-up signs nobody in, and does not reveal accounts")
    func unconfirmed() async throws {
        try await TestServer.with(change: { $0.confirmsAutomatically = false }) { server in
            let world = try World(server)
            for _ in 0..<2 {
                let answer = try await world.client.signUp(email: "ada@example.com", password: TestServer.password)
                #expect(answer.session == nil)
                #expect(answer.user?.email == "ada@example.com")
            }
            #expect(await world.client.state == .signedOut(.neverSignedIn))
        }
    }

    @Test("Refusals carry the server's code")
    func refusals() async throws {
        try await World.with { world in
            try await world.signUp()
            try await world.client.signOut()
            await expectRefusal(.invalidCredentials) {
                try await world.client.signIn(email: "ada@example.com", password: "wrong password")
            }
            await expectRefusal(.userAlreadyExists) {
                try await world.client.signUp(email: "ada@example.com", password: TestServer.password)
            }
            do {
                try await world.client.signUp(email: "eve@example.com", password: "short")
            } catch AuthClientError.refused(let refusal) {
                #expect(refusal.code == .weakPassword)
                #expect(refusal.status == 422)
                #expect(refusal.weakPasswordReasons == ["length"])
            }
        }
    }

    @Test("Update, identities, user")
    func user() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            let changed = try await world.client.update(user: AuthUserAttributes(data: ["name": .string("Ada")]))
            #expect(changed.userMetadata["name"] == "Ada")
            #expect(await world.client.currentUser == changed)
            #expect(try await world.anotherProcess().state == .signedIn(with(first, changed), isFresh: true))
            #expect(try await world.client.user() == changed)
            #expect(try await world.client.user(jwt: first.accessToken) == changed)
            #expect(try await world.client.userIdentities().map(\.provider) == ["email"])
            try await world.client.update(user: AuthUserAttributes(password: "another battery staple"))
            try await world.client.signIn(email: "ada@example.com", password: "another battery staple")
        }
    }

    private func with(_ session: AuthSession, _ user: AuthUser) -> AuthSession {
        var session = session
        session.user = user
        return session
    }

    @Test("Tokens from elsewhere are exchanged at once")
    func setSession() async throws {
        try await World.with { world in
            let theirs = try await world.server.signUp()
            let session = try await world.client.setSession(
                accessToken: theirs.accessToken, refreshToken: theirs.refreshToken)
            #expect(session.refreshToken != theirs.refreshToken)
            #expect(session.user.id.uuidString.lowercased() == theirs.userID)
        }
    }

    @Test("An administrator creates, reads, changes, lists and deletes accounts")
    func admin() async throws {
        try await World.with(key: TestServer.secretKey) { world in
            let admin = world.client.admin
            let ada = try await admin.createUser(
                attributes: AuthAdminUserAttributes(
                    email: "ada@example.com", password: TestServer.password, emailConfirm: true))
            #expect(try await admin.user(ada.id).email == "ada@example.com")
            let changed = try await admin.updateUser(
                ada.id, attributes: AuthAdminUserAttributes(appMetadata: ["plan": "gold"]))
            #expect(changed.appMetadata["plan"] == "gold")
            let page = try await admin.listUsers(page: 1, perPage: 10)
            #expect(page.users.map(\.id) == [ada.id])
            #expect(page.total == 1)
            try await admin.deleteUser(ada.id)
            await expectRefusal(.userNotFound) { try await admin.user(ada.id) }
            #expect(await world.client.state == .signedOut(.neverSignedIn))
        }
    }

    @Test("Plain http is refused except to this machine")
    func insecure() throws {
        for text in ["http://example.com/auth/v1", "http://127.0.0.1.example.com", "ftp://127.0.0.1", "https:///auth"] {
            #expect(throws: AuthClientError.insecureURL) { try client(text) }
        }
        for text in ["https://example.com/auth/v1", "http://localhost:9999", "http://127.0.0.1:9999", "http://[::1]:1"]
        {
            _ = try client(text)
        }
    }

    private func client(_ text: String) throws -> GatehouseClient {
        try GatehouseClient(url: URL(string: text)!, publishableKey: "key", storage: MemoryStorage())
    }

    @Test("Nothing prints a token, a password or a query")
    func secrets() async throws {
        try await World.with { world in
            let session = try await world.signUp()
            let credentials = IDTokenCredentials(provider: .google, idToken: "id-secret", nonce: "nonce-secret")
            let attributes = AuthUserAttributes(password: TestServer.password)
            let administered = AuthAdminUserAttributes(password: TestServer.password)
            for value in [session, credentials, attributes, administered, world.network.calls[0]] as [Any] {
                var dumped = ""
                dump(value, to: &dumped)
                for text in ["\(value)", String(reflecting: value), dumped] {
                    for secret in [session.accessToken, session.refreshToken, "-secret", TestServer.password] {
                        #expect(!text.contains(secret))
                    }
                }
            }
            for call in world.network.calls {
                #expect(!call.url.absoluteString.contains(session.refreshToken))
                #expect(!call.url.absoluteString.contains(session.accessToken))
            }
        }
    }
}

/// Whatever its text.
func expectRefusal(_ code: AuthErrorCode, _ call: () async throws -> some Any) async {
    do {
        _ = try await call()
        Issue.record("was not refused")
    } catch {
        #expect((error as? AuthClientError)?.code == code)
    }
}
