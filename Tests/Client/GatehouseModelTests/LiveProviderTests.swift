import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// With the dev stack's Apple and Google.
@Suite("Signing in with Apple and Google before a real server") @MainActor
struct LiveProviderTests {
    private static func with(_ test: (ModelWorld) async throws -> Void) async throws {
        try await ModelWorld.with(providers: TestProviders()) { world in
            await until { world.manager.phase == .unauthenticated }
            try await test(world)
        }
    }

    /// Has the name only the first time.
    private func apple(_ world: ModelWorld, nonce: SignInNonce = SignInNonce()) async throws -> AppleCredential {
        let answer = try await world.server.send(
            .post, "/dev/apple/native-credential",
            json: ["person": "existing", "email": "ada@example.com", "nonce": .string(nonce.hashed)])
        guard let token = answer["identityToken"]?.stringValue, let person = answer["user"]?.stringValue else {
            throw UnexpectedAnswer(answer: answer)
        }
        let name = answer["fullName"]
        return AppleCredential(
            idToken: token, nonce: nonce.raw, person: person, firstName: name?["givenName"]?.stringValue,
            lastName: name?["familyName"]?.stringValue, authorizationCode: answer["authorizationCode"]?.stringValue)
    }

    private struct Browser: WebAuthenticator {
        let server: TestServer

        func authenticate(_ address: @Sendable (URL) async throws -> URL) async throws -> URL {
            let start = try await address(URL(string: "myapp://callback")!)
            let back = try await TestBrowser(server).signIn(
                start.absoluteString, as: "existing", email: "ada@example.com")
            guard let url = back.location.flatMap({ URL(string: $0) }) else { throw UnexpectedAnswer(answer: back) }
            return url
        }
    }

    @Test("E8, pitfall 6: A name from Apple survives a failed exchange and arrives with the next one")
    func appleName() async throws {
        try await Self.with { world in
            world.network.fail("/token")
            await #expect(throws: AuthError.self) {
                try await world.manager.signInWithApple { try await apple(world) }
            }
            #expect(await world.storage.contents.keys.contains("gatehouse.apple-names"))
            world.network.clear()
            let second = try await apple(world)
            #expect(second.firstName == nil)
            #expect(try await world.manager.signInWithApple { second } == .signedIn)
            await until { world.manager.user?.firstName == "Existing" }
            #expect(await world.client.currentUser?.userMetadata["full_name"] == "Existing Example")
            // The server got it with the sign-in.
            await until { await !world.storage.contents.keys.contains("gatehouse.apple-names") }
            #expect(!world.network.calls.contains { $0.hasPrefix("PUT") || $0.hasPrefix("PATCH") })
        }
    }

    @Test("E8: A token for another nonce is refused, and the message names Apple")
    func nonce() async throws {
        try await Self.with { world in
            var credential = try await apple(world)
            credential.credentials.nonce = SignInNonce().raw
            let wrong = credential
            let screen = LoginModel(manager: world.manager)
            await screen.signInWithApple { wrong }?.value
            #expect(screen.message?.text == "Sign in with Apple failed. Please try again.")
            #expect(world.manager.phase == .unauthenticated)
        }
    }

    @Test("D7, E7: A conflict in a browser opens the linking screen; the password links and signs in")
    func confirm() async throws {
        try await Self.with { world in
            let ada = try await world.server.signUp(data: ["first_name": "Ada"])
            let login = LoginModel(manager: world.manager)
            await login.signIn(with: .google, in: Browser(server: world.server))?.value
            #expect(login.message?.text == "This email is already associated with another account.")
            #expect(login.message?.question == world.manager.linkQuestion && world.manager.linkQuestion != nil)
            #expect(await !world.storage.contents.keys.contains("gatehouse.pkce-flows"))
            let link = LinkModel(manager: world.manager)
            #expect(link.methods == [.email] && link.canRecover)
            await link.confirm(password: "a wrong password")?.value
            #expect(link.message?.text == "Incorrect email or password. Please try again.")
            await link.confirm(password: TestServer.password)?.value
            #expect(login.isFinished && link.question == nil)
            #expect(world.manager.user?.id.uuidString.lowercased() == ada.userID)
            #expect(world.manager.user?.firstName == "Ada")
            #expect(try await world.manager.identities.list().map(\.provider).sorted() == ["email", "google"])
            #expect(world.events.events.last == .linked(existing: .email, new: .google))
            await world.manager.signOut()
            #expect(try await world.manager.signInWithGoogle(in: Browser(server: world.server)) == .signedIn)
        }
    }

    @Test("D8: An unproven address is recovered, and the old password opens the old account alone")
    func recover() async throws {
        try await Self.with { world in
            let eve = try await world.server.signUp(data: ["first_name": "Eve"])
            await #expect(throws: AuthError.self) {
                try await world.manager.signInWithApple { try await apple(world) }
            }
            #expect(try await world.manager.linking.startOver() == .signedIn)
            #expect(world.manager.user?.id.uuidString.lowercased() != eve.userID)
            await until { world.manager.user?.firstName == "Existing" }
            #expect(world.manager.user?.email == "ada@example.com")
            let former = try #require(TestSession(try await world.server.signIn()))
            #expect(former.userID == eve.userID)
            #expect(try await world.restart().user?.email == "ada@example.com")
        }
    }

    @Test("D7: The account's other provider signs in and links in one call")
    func otherProvider() async throws {
        try await Self.with { world in
            try await world.manager.signInWithApple { try await apple(world) }
            try await world.manager.identities.link(.google, in: LinkingBrowser(server: world.server))
            let google = try #require(try await world.manager.identities.list().first { $0.provider == "google" })
            await world.manager.signOut()
            try await world.manager.signInWithApple { try await apple(world) }
            try await world.manager.identities.unlink(google)
            await world.manager.signOut()
            await #expect(throws: AuthError.self) {
                try await world.manager.signInWithGoogle(in: Browser(server: world.server))
            }
            let link = LinkModel(manager: world.manager)
            #expect(link.methods == [.apple] && !link.canRecover)
            await link.confirmWithApple { try await apple(world) }?.value
            #expect(world.manager.isLoggedIn && link.question == nil)
            #expect(try await world.manager.identities.list().map(\.provider).sorted() == ["apple", "google"])
            #expect(try await world.manager.identities.undoableLinks().first?.rule == "confirmed_by_owner")
        }
    }

    @Test("A link leaves one device: the session that it replaces ends", arguments: ["apple", "google"])
    func oneDevice(_ provider: String) async throws {
        try await Self.with { world in
            try await world.signUp()
            if provider == "google" {
                try await world.manager.identities.link(.google, in: LinkingBrowser(server: world.server))
            } else {
                try await world.manager.identities.linkApple { try await apple(world) }
            }
            // Ignored: a failed call is repeated.
            await until { (try? await world.manager.devices.list().count) == 1 }
            try await world.client.refreshSession()
            #expect(world.manager.isLoggedIn)
        }
    }

    @Test("D7: A server without a list of undoable links returns none, without an error")
    func noUndo() async throws {
        try await Self.with { world in
            try await world.signUp()
            world.network.fail("/undoable", 404)
            #expect(try await world.manager.identities.undoableLinks().isEmpty)
            #expect(world.manager.error == nil)
        }
    }

    /// Skips the server's page: it gave the provider's address to the app.
    private struct LinkingBrowser: WebAuthenticator {
        let server: TestServer

        func authenticate(_ address: @Sendable (URL) async throws -> URL) async throws -> URL {
            let start = try await address(URL(string: "myapp://callback")!)
            let back = try await TestBrowser(server).choose(
                "existing", email: "ada@example.com", at: start.absoluteString)
            guard let url = back.location.flatMap({ URL(string: $0) }) else { throw UnexpectedAnswer(answer: back) }
            return url
        }
    }
}
