import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

/// Example tests of an app, with accounts in memory.
@Suite("An app's tests") @MainActor
struct ExampleTests {
    let service = InMemoryAuthService()
    let sheet = ScriptedProviderSheet(.signsIn(.ada))

    @Test("A new user signs up, notes a mood, and is still there at the next start")
    func signUp() async throws {
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }

        let screen = LoginModel(manager: manager, mode: .signUp)
        (screen.form.name, screen.form.email) = ("Ada", "ada@example.com")
        await screen.submit(password: Fixtures.password, confirmation: Fixtures.password)?.value
        #expect(screen.isFinished)
        try await manager.updateProfile(data: ["mood": "calm"])

        let next = service.makeManager()
        await next.wait { $0.user?.data == ["mood": "calm"] }
        #expect(next.user?.firstName == "Ada")
    }

    @Test("A wrong password shows an error below the form; a lost connection offers a retry")
    func mistakes() async throws {
        service.addAccount(email: "ada@example.com")
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }

        let screen = LoginModel(manager: manager)
        screen.form.email = "ada@example.com"
        await screen.submit(password: "not my password")?.value
        #expect(screen.message?.text == "Incorrect email or password. Please try again.")

        service.meet(.offline)
        await screen.submit(password: Fixtures.password)?.value
        #expect(screen.message?.action == .retry)
        await screen.submit(password: Fixtures.password)?.value
        #expect(screen.isFinished)
    }

    @Test("A cancelled sheet leaves a guest; with the second one Apple's name fills the profile")
    func apple() async throws {
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }
        sheet.follow(.cancels, .signsIn(.ada))

        #expect(try await manager.signInWithApple { try await sheet.apple(nonce: SignInNonce()) } == .cancelled)
        #expect(try await manager.signInWithApple { try await sheet.apple(nonce: SignInNonce()) } == .signedIn)
        await manager.wait { $0.user?.firstName == "Ada" }
    }

    @Test("Buttons are disabled during a slow request")
    func slow() async throws {
        service.addAccount(email: "ada@example.com")
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }

        service.meet(.slow, at: .signIn)
        let screen = LoginModel(manager: manager)
        screen.form.email = "ada@example.com"
        let submitted = screen.submit(password: Fixtures.password)
        await manager.wait { _ in service.heldCount == 1 }
        #expect(screen.isBusy && manager.phase == .authenticating(.email))

        service.release()
        await submitted?.value
        #expect(screen.isFinished)
    }

    @Test("After the server ended the session, the app asks for a sign-in")
    func ended() async throws {
        let service = InMemoryAuthService.signedIn(email: "ada@example.com")
        let manager = service.makeManager()
        await manager.wait { $0.isLoggedIn }

        service.endSession(.endedByServer(.sessionExpired))
        await manager.wait { !$0.isLoggedIn }
        #expect(LoginModel(manager: manager).message?.text == "Session expired. Please sign in again.")
    }
}
