import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("The profile button and the login screen", .timeLimit(.minutes(5)))
struct LoginTests {
    @Test("E1: a guest's button is a person symbol labelled \"Sign in\" that opens the login sheet")
    func guest() async throws {
        let world = await World()
        #expect(world.screen.has(button: "Sign in"))
        #expect(world.screen.symbols.contains("person.fill"))
        try await world.openLogin()
        #expect(world.screen.presentations == ["sheet"])
        #expect(world.screen.shows("Harbour"))
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("E1: a user's button is the initial, labelled \"Your profile\", and opens the profile")
    func user() async throws {
        let world = await World(.signedIn())
        #expect(world.screen.has(button: "Your profile"))
        #expect(!world.screen.symbols.contains("person.fill"))
        try await world.openProfile()
        #expect(world.screen.title == "Profile")
    }

    @Test("A4: the first frame of a signed-in user shows the user, without waiting for anything")
    func firstFrame() {
        let screen = Screen(HomeView().gatehouse(InMemoryAuthService.signedIn().makeManager(), browser: nil))
        #expect(screen.buttons == ["Menu", "Your profile"])
        #expect(screen.shows("A") && !screen.symbols.contains("person.fill"))
    }

    @Test("A4, E1: while the store does not answer the button is neither the guest's nor the user's")
    func restoring() async throws {
        let service = InMemoryAuthService.signedIn()
        service.stay(.storeLocked)
        let screen = Screen(HomeView().gatehouse(service.makeManager(), browser: nil))
        #expect(screen.buttons == ["Menu", "Account"])
        #expect(!screen.symbols.contains("person.fill") && screen.progress.isEmpty)
        await screen.settle()
        #expect(screen.buttons == ["Menu", "Account"])
        service.clear()
        try await screen.wait { $0.has(button: "Your profile") }
    }

    @Test("A4: while the store is locked the screen says why, and every way out works", arguments: ["Close", "swipe"])
    func locked(_ way: String) async throws {
        let service = InMemoryAuthService.signedIn()
        service.stay(.storeLocked)
        let screen = Screen(HomeView().gatehouse(service.makeManager(), browser: nil))
        try await screen.tap("Account")
        try await screen.wait(for: "Your account can't be read while this device is locked. Please unlock it.")
        #expect(try !screen.isEnabled("Sign in with Email"))
        #expect(try screen.isEnabled("Continue as Guest"))
        if way == "swipe" { #expect(await screen.swipeDown()) } else { try await screen.tap(way) }
        #expect(screen.presentations.isEmpty)
        try await screen.tap("Account")
        service.clear()
        try await screen.wait { $0.presentations.isEmpty && $0.has(button: "Your profile") }
    }

    @Test("E2: all parts are there, Apple first")
    func contents() async throws {
        let world = await World()
        try await world.openLogin()
        #expect(
            world.screen.buttons == [
                "Close", "Sign in with Apple", "Sign in with Google", "Sign in with Email", "Create Account",
                "Continue as Guest",
            ])
        #expect(world.screen.snapshot().contains("\"or\""))
        #expect(!world.screen.shows("or"), "VoiceOver does not stop at the line")
        #expect(
            try world.screen.hint(of: "Sign in with Apple") == "Signs you in with your Apple Account.")
    }

    @Test("A second app shows its own name, symbol and reason, and no Google if it has none")
    func branding() async throws {
        let branding = Branding(name: "DailyRitual", symbol: "book.closed.fill", tagline: "Keep your journal.")
        let manager = InMemoryAuthService().makeManager()
        let screen = Screen(LoginView().gatehouse(manager, branding: branding, browser: nil))
        #expect(screen.texts.prefix(2) == ["DailyRitual", "Keep your journal."])
        #expect(screen.symbols.contains("book.closed.fill"))
        #expect(!screen.has(button: "Sign in with Google"))
    }

    @Test("E2, A12: a guest can leave in three ways", arguments: ["Continue as Guest", "Close", "swipe"])
    func leave(_ way: String) async throws {
        let world = await World()
        try await world.openLogin()
        if way == "swipe" { #expect(await world.screen.swipeDown()) } else { try await world.screen.tap(way) }
        #expect(world.screen.presentations.isEmpty)
        #expect(world.screen.has(button: "Menu"))
    }

    @Test("In place of an app that needs a user, the screen has no button that does nothing, and gives way to the app")
    func gate() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        let manager = service.makeManager()
        let screen = Screen(GatedView().gatehouse(manager, browser: nil))
        try await screen.wait { $0.has(button: "Sign in with Email") }
        #expect(!screen.has(button: "Close") && !screen.has(button: "Continue as Guest"))
        #expect(screen.complaints.isEmpty)
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        try await screen.wait { $0.shows("Home") }
        await manager.signOut()
        try await screen.wait { $0.has(button: "Sign in with Email") }
    }

    private struct GatedView: View {
        @Environment(AuthManager.self) private var account

        var body: some View {
            if account.isLoggedIn { Text("Home") } else { LoginView(isDismissible: false) }
        }
    }

    @Test("E2: during a sign-in all buttons are disabled, progress shows, and the sheet stays")
    func busy() async throws {
        let world = await World()
        world.google.follow(.signsIn(.ada))
        world.google.hold()
        try await world.openLogin()
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { _ in world.google.heldCount == 1 }
        #expect(world.screen.progress == ["Signing in…"])
        for button in world.screen.buttons { #expect(try !world.screen.isEnabled(button), "\(button)") }
        #expect(await !world.screen.swipeDown())
        world.google.release()
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.screen.has(button: "Your profile"))
    }

    @Test("E2: the sheet closes itself after the sign-in, without a flash of the profile")
    func closes() async throws {
        let world = await World()
        world.google.follow(.signsIn(.ada))
        try await world.openLogin()
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { screen in
            #expect(screen.title != "Profile")
            return screen.presentations.isEmpty
        }
        #expect(world.screen.shows("Welcome back, Ada"))
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("E8: Apple gets the hash of a nonce and both scopes; the user is signed in with their name")
    func apple() async throws {
        let world = await World()
        world.device.follow(.signsIn(.init(.ada)))
        try await world.openLogin()
        try await world.screen.tap("Sign in with Apple")
        try await world.screen.wait { $0.presentations.isEmpty }
        try await world.screen.wait(for: "Welcome back, Ada")
        let request = try #require(world.device.requests.first)
        #expect(request.nonce?.count == 64)
        #expect(request.scopes == ["full_name", "email"])
    }

    @Test("E2, E8: the sheet closes at once; a name from Apple arrives later")
    func nameArrivesLater() async throws {
        let world = await World()
        world.device.follow(.signsIn(.init(.ada)))
        world.service.meet(.nameIgnored)
        world.service.meet(.slow, at: .updateProfile)
        try await world.openLogin()
        try await world.screen.tap("Sign in with Apple")
        try await world.screen.wait { $0.presentations.isEmpty }
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        #expect(world.screen.has(button: "Your profile"))
        world.service.release()
        try await world.screen.wait(for: "Welcome back, Ada")
    }

    @Test("E7: closing Apple's or Google's sheet shows nothing", arguments: ["Apple", "Google"])
    func cancelled(_ provider: String) async throws {
        let world = await World()
        try await world.openLogin()
        let before = world.screen.snapshot()
        try await world.screen.tap("Sign in with \(provider)")
        try await world.screen.wait { $0.progress.isEmpty }
        #expect(world.screen.snapshot() == before)
        #expect(world.screen.announcements.isEmpty)
    }

    @Test(
        "E7: Apple's errors have their exact text",
        arguments: [
            (ScriptedDevice.Step.fails, "Sign in with Apple failed. Please try again.", false),
            (.isOffline, "No internet connection. Please try again.", true),
        ])
    func appleFails(_ step: ScriptedDevice.Step, _ text: String, _ offersRetry: Bool) async throws {
        let world = await World()
        world.device.follow(step, .signsIn(.init(.ada)))
        try await world.openLogin()
        try await world.screen.tap("Sign in with Apple")
        try await world.screen.wait(for: text)
        #expect(world.screen.spokenFocus == text)
        #expect(world.screen.announcements == [text])
        #expect(world.screen.has(button: "Retry") == offersRetry)
        if offersRetry {
            try await world.screen.tap("Retry")
            try await world.screen.wait { $0.has(button: "Your profile") }
        }
    }

    @Test(
        "E7: the service's errors have their exact text, with a retry",
        arguments: [
            (InMemoryAuthService.Fault.offline, "No internet connection. Please try again."),
            (.serviceUnavailable, "Sign in service unavailable. Please try again later."),
            (.serverError, "Service temporarily unavailable. Please try again later."),
        ])
    func serviceFails(_ fault: InMemoryAuthService.Fault, _ text: String) async throws {
        let world = await World()
        world.google.follow(.signsIn(.ada))
        try await world.openLogin()
        world.service.meet(fault)
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait(for: text)
        try await world.screen.tap("Retry")
        try await world.screen.wait { $0.has(button: "Your profile") }
    }

    @Test("E7: a session that the server ended shows a message at the next sign-in")
    func expired() async throws {
        let world = await World(.signedIn())
        world.service.endSession(.endedByServer(.sessionExpired))
        try await world.screen.wait { $0.has(button: "Sign in") }
        try await world.openLogin()
        #expect(world.screen.shows("Session expired. Please sign in again."))
    }

    @Test("001.10: the sheet closes with the session; a slow gateway delays nothing, a missing profile is reported")
    func profileLater() async throws {
        let world = await World()
        world.google.follow(.signsIn(.ada))
        world.service.meet(.slow, at: .fetchMe)
        world.service.meet(.profileMissing, at: .fetchMe)
        try await world.openLogin()
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { $0.presentations.isEmpty && $0.has(button: "Your profile") }
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        world.service.release()
        await world.manager.wait { !$0.isLoading }
        world.manager.reloadProfile()
        await world.manager.wait { $0.error == .profileNotCreated }
        #expect(world.manager.isLoggedIn)
        try await world.openProfile()
        #expect(world.screen.shows("Account created but profile setup failed. Please try again."))
    }

    @Test("Every provider of the server has a button, Apple first; what the server cannot do is hidden")
    func providers() async throws {
        let service = InMemoryAuthService()
        service.serverSettings = AuthServerSettings(
            providers: ["github", .google, "azure", .apple], allowsEmail: false, allowsSignUp: false)
        let world = await World(service)
        try await world.openLogin()
        #expect(
            world.screen.buttons == [
                "Close", "Sign in with Apple", "Sign in with Google", "Sign in with GitHub", "Sign in with Microsoft",
                "Continue as Guest",
            ])
        #expect(!world.screen.snapshot().contains("\"or\""))
        world.google.follow(.signsIn(.ada))
        try await world.screen.tap("Sign in with GitHub")
        try await world.screen.wait { $0.has(button: "Your profile") }
        #expect(try await world.manager.identities.list().map(\.provider) == ["github"])
    }

    @Test("A server without mail offers no password mail; one without sign-ups no new accounts")
    func emailOnly() async throws {
        let service = InMemoryAuthService()
        service.serverSettings = AuthServerSettings(
            providers: [], allowsEmail: true, allowsSignUp: false, sendsMail: false)
        let world = await World(service)
        try await world.openLogin()
        #expect(world.screen.buttons == ["Close", "Sign in with Email", "Continue as Guest"])
        try await world.screen.tap("Sign in with Email")
        #expect(!world.screen.has(button: "Forgot password?"))
        #expect(!world.screen.has(button: "Don't have an account? Create one"))
    }

    @Test("A server that does not say what it offers is offered Apple, Google and email")
    func unknownServer() async throws {
        let service = InMemoryAuthService()
        service.stay(.serverError, at: .settings)
        let world = await World(service)
        try await world.openLogin()
        #expect(world.screen.has(button: "Sign in with Google") && world.screen.has(button: "Create Account"))
        service.clear()
        service.serverSettings.providers = [.apple]
        try await world.screen.tap("Close")
        try await world.openLogin()
        try await world.screen.wait { !$0.has(button: "Sign in with Google") }
    }

    @Test("The login screen remembers the method of the last sign-in on this phone")
    func lastMethod() async throws {
        let world = await World()
        world.google.follow(.signsIn(.ada))
        try await world.openLogin()
        #expect(!world.screen.texts.contains { $0.hasPrefix("Last time") })
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { $0.has(button: "Your profile") }
        await world.manager.wait { $0.lastMethod == .google }
        await world.manager.signOut()
        await world.screen.settle()
        try await world.openLogin()
        #expect(world.screen.shows("Last time you signed in with Google."))
    }

    @Test("Apple's sheet survives a change of the text size, as when a phone is turned")
    func turned() async throws {
        let world = await World()
        world.device.follow(.signsIn(.init(.ada)))
        world.device.hold()
        try await world.openLogin()
        let before = world.screen.buttons
        try await world.screen.tap("Sign in with Apple")
        try await world.screen.wait { _ in world.device.heldCount == 1 }
        world.screen.settings.dynamicTypeSize = .accessibility3
        await world.screen.settle()
        #expect(world.screen.buttons == before)
        world.device.release()
        try await world.screen.wait { $0.has(button: "Your profile") }
    }

    @Test("Passkeys are offered above the keyboard as soon as the server says that it has them")
    func lateSettings() async throws {
        let service = InMemoryAuthService.signedIn()
        service.serverSettings.allowsPasskeys = true
        service.stay(.slow, at: .settings)
        let world = await World(service)
        try await world.manager.passkeys.add(with: world.passkeys)
        await world.manager.signOut()
        await world.screen.settle()
        try await world.openLogin()
        try await world.screen.tap("Sign in with Email")
        try await world.screen.wait { _ in service.heldCount > 0 }
        await world.screen.settle()
        #expect(world.manager.serverSettings == nil && world.passkeys.offeredCount == 0)
        service.release()
        try await world.screen.wait { _ in world.passkeys.offeredCount == 1 }
    }
}
