import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@testable import Example

@Suite("The account") @MainActor
struct AccountTests {
    @Test("A guest loses the connection, signs up, and notes a mood")
    func account() async throws {
        let service = InMemoryAuthService()
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }

        service.meet(.offline)
        let message = await signUp(manager, email: "ada@example.com", password: Fixtures.password, firstName: "Ada")
        #expect(message == "Unable to connect. Check your internet and try again.")

        #expect(await signUp(manager, email: "ada@example.com", password: Fixtures.password, firstName: "Ada") == nil)
        await note("calm", manager)
        #expect(try manager.user?.data(as: Journal.self) == Journal(mood: "calm"))
        #expect(headline(manager) == "Hello, Ada!")
    }

    @Test("The name comes with Apple's first response")
    func apple() async throws {
        let sheet = ScriptedProviderSheet(.cancels, .signsIn(.ada))
        let manager = InMemoryAuthService().makeManager()
        await manager.wait { $0.phase == .unauthenticated }

        #expect(try await manager.signInWithApple { try await sheet.apple(nonce: SignInNonce()) } == .cancelled)
        #expect(try await manager.signInWithApple { try await sheet.apple(nonce: SignInNonce()) } == .signedIn)
        await manager.wait { $0.isProfileLoaded }
        #expect(manager.user?.firstName == "Ada")
    }

    @Test("Google's Ada has an email account: its password opens it and links the two")
    func link() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }

        let browser = ScriptedProviderSheet(.signsIn(.ada))
        let message = await signInWithGoogle(manager, in: browser)
        #expect(message == "This email is already associated with another account.")

        let screen = LinkModel(manager: manager)
        #expect(question(screen)?.hasPrefix("ada@example.com has an account already.") == true)
        await screen.confirm(password: Fixtures.password)?.value
        #expect(try await manager.identities().map(\.provider) == ["email", "google"])
        #expect(question(screen) == nil)
    }

    @Test("Every state has its own text")
    func states() async throws {
        let session = Fixtures.session()
        let states: [AuthState] = [
            .restoring, .signedIn(session, isFresh: true), .signedIn(session, isFresh: false),
            .signedOut(.neverSignedIn), .signedOut(.requested), .signedOut(.endedByServer(.sessionExpired)),
            .signedOut(.consentRevoked), .signedOut(.signedOutElsewhere), .signedOut(.storeDamaged),
        ]
        #expect(Set(states.map(explain)).count == states.count)
    }
}

/// The server that `Tests/External/test_example_package.py` started, its key, and an unused address.
private let server = ProcessInfo.processInfo.environment["EXAMPLE_SERVER"].flatMap { URL(string: $0) }
private let key = ProcessInfo.processInfo.environment["EXAMPLE_KEY"] ?? ""
private let email = ProcessInfo.processInfo.environment["EXAMPLE_EMAIL"] ?? ""

@Suite("The page, step by step, before a real server", .enabled(if: server != nil)) @MainActor
struct LiveTests {
    @Test("Sign up, sign out, sign in, change the profile, get a token, start again")
    func steps() async throws {
        let storage = MemoryStorage()
        let accounts = try Accounts(server: try #require(server), key: key, storage: storage)
        let manager = accounts.manager
        await manager.wait { $0.phase == .unauthenticated }

        #expect(await signUp(manager, email: email, password: Fixtures.password, firstName: "Ada") == nil)
        await manager.signOut()
        #expect(explain(await accounts.client.state) == "Signed out by the person.")
        let wrong = await signIn(manager, email: email, password: "another password")
        #expect(wrong == "Incorrect email or password. Please try again.")
        #expect(await signIn(manager, email: email, password: Fixtures.password) == nil)
        #expect(headline(manager) == "Hello, Ada!")

        await note("calm", manager)
        let answer = try await scores(from: try #require(server).appending(path: "v1/auth/me"), manager)
        #expect(String(decoding: answer, as: UTF8.self).contains("calm"))

        let next = try Accounts(server: try #require(server), key: key, storage: storage).manager
        await next.wait { $0.user?.data == ["mood": "calm"] }
        try await next.deleteAccount()
        #expect(next.phase == .unauthenticated)
    }
}
