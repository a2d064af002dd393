import Gatehouse
import GatehouseTesting
import GatehouseUI
import Testing

@testable import Example

@Suite("Screens of the app's own") @MainActor
struct OwnScreensTests {
    @Test("A guest loses the connection, and then signs up")
    func signingUp() async throws {
        let service = InMemoryAuthService()
        let account = service.makeManager()
        await account.wait { $0.phase == .unauthenticated }

        service.meet(.offline)
        let message = await signUp(account, email: "ada@example.com", password: Fixtures.password, firstName: "Ada")
        #expect(message == "Unable to connect. Check your internet and try again.")

        #expect(await signUp(account, email: "ada@example.com", password: Fixtures.password, firstName: "Ada") == nil)
        await account.wait { $0.isProfileLoaded }
        #expect(headline(account) == "Hello, Ada!")
    }

    @Test("The name comes with Apple's first response")
    func apple() async throws {
        let sheet = ScriptedProviderSheet(.cancels, .signsIn(.ada))
        let account = InMemoryAuthService().makeManager()
        await account.wait { $0.phase == .unauthenticated }

        #expect(try await account.signInWithApple { try await sheet.apple(nonce: SignInNonce()) } == .cancelled)
        #expect(try await account.signInWithApple { try await sheet.apple(nonce: SignInNonce()) } == .signedIn)
        await account.wait { $0.isProfileLoaded }
        #expect(account.user?.firstName == "Ada")
    }

    @Test("Google's Ada has an email account: its password opens it and links the two")
    func link() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        let account = service.makeManager()
        await account.wait { $0.phase == .unauthenticated }

        let browser = ScriptedProviderSheet(.signsIn(.ada))
        let message = await signInWithGoogle(account, in: browser)
        #expect(message == "This email is already associated with another account.")

        let link = LinkModel(manager: account)
        #expect(question(link)?.hasPrefix("ada@example.com has an account already.") == true)
        await link.confirm(password: Fixtures.password)?.value
        #expect(try await account.identities.list().map(\.provider) == ["email", "google"])
        #expect(question(link) == nil)
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
