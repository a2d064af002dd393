import Foundation
import Gatehouse
import GatehouseTesting
import Synchronization
import Testing

@testable import GatehouseModel

@Suite("The account manager over accounts in memory") @MainActor
struct ManagerTests {
    private let events = Telemetry()

    private func manager(_ service: InMemoryAuthService) async -> AuthManager {
        let manager = service.makeManager(telemetry: [events])
        await manager.wait { !$0.isLoading }
        return manager
    }

    @Test("001.10, E7: an account without a profile is signed in, and the missing profile is reported")
    func withoutProfile() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        service.meet(.profileMissing)
        let manager = await manager(service)
        #expect(try await manager.signInWithEmail("ada@example.com", password: Fixtures.password) == .signedIn)
        await manager.wait { $0.error == .profileNotCreated }
        #expect(manager.isLoggedIn && service.openSessionCount == 1)
        #expect(!manager.isProfileLoaded, "a screen loads it again")
        manager.reloadProfile()
        await manager.wait { $0.isProfileLoaded && $0.error == nil }
    }

    @Test("Without a connection nobody knows what the server offers; as soon as there is one, a signed-out app does")
    func settingsOffline() async throws {
        let service = InMemoryAuthService()
        service.goOffline()
        let manager = await manager(service)
        await manager.loadServerSettings()
        #expect(manager.phase == .unauthenticated && manager.serverSettings == nil)
        service.goOnline()
        await manager.wait { $0.serverSettings != nil }
        #expect(manager.serverSettings == service.serverSettings)
    }

    @Test("Signing out a device that is signed out already signs nobody out, and reads the list again")
    func deviceGone() async throws {
        let service = InMemoryAuthService.signedIn()
        service.addDevice(userAgent: "BoxScore/1 (iPad; iPadOS 18.2)")
        let manager = service.makeManager()
        await manager.wait { $0.isProfileLoaded }
        let screen = DevicesModel(manager: manager)
        await screen.load()
        let other = try #require(screen.devices?.first { !$0.isCurrent })
        try await manager.devices.signOut(other.id)
        await screen.end(other)?.value
        #expect(screen.phase == .showing && screen.devices?.count == 1 && manager.isLoggedIn)
    }

    @Test(
        "Signed in means a session: a gateway that hangs or fails neither delays a sign-in nor ends it",
        arguments: [InMemoryAuthService.Fault.slow, .accessTokenRefused, .serviceUnavailable, .offline, .forbidden])
    func gatewayFails(_ fault: InMemoryAuthService.Fault) async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        service.stay(fault, at: .fetchMe)
        let manager = await manager(service)
        #expect(try await manager.signInWithEmail("ada@example.com", password: Fixtures.password) == .signedIn)
        #expect(manager.user?.firstName == "Ada" && events.all.last?.name == "auth_completed")
        if fault != .slow { await manager.wait { $0.error != nil } }
        #expect(manager.isLoggedIn && service.openSessionCount == 1)
        service.clear()
        service.release()
        manager.reloadProfile()
        await manager.wait { $0.isProfileLoaded && $0.error == nil }
    }

    @Test("A sign-in loads the profile once, whatever events follow")
    func loadsOnce() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        let manager = await manager(service)
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        await manager.wait { $0.isProfileLoaded }
        for _ in 0..<100 { await Task.yield() }
        #expect(service.calls.filter { $0 == .fetchMe }.count == 1)
    }

    @Test("The event of a sign-in that arrives after its load has failed keeps the failure, and loads nothing")
    func lateEvent() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        service.stay(.profileMissing, at: .fetchMe)
        let manager = await manager(service)
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        await manager.wait { $0.error == .profileNotCreated }
        for event in [AuthEvent.initialSession, .signedIn] {
            await manager.events.hear((event, service.service.currentSession))
        }
        #expect(manager.error == .profileNotCreated && !manager.isLoading)
        #expect(service.calls.filter { $0 == .fetchMe }.count == 1)
    }

    @Test("A4: the stored session is shown with the first frame, before any task has run")
    func firstFrame() {
        let manager = InMemoryAuthService.signedIn().makeManager()
        #expect(manager.phase == .authenticated && manager.user?.firstName == "Ada")
        let guest = InMemoryAuthService().makeManager()
        #expect(guest.phase == .unauthenticated && guest.signedOutReason == .neverSignedIn)
    }

    @Test("A manager runs the client that ships, and that of the gateway")
    func realClient() {
        let manager = InMemoryAuthService().makeManager()
        #expect(manager.client != nil && manager.gateway != nil)
    }

    @Test("Who has just created an account is new, and not after a restart")
    func newUser() async throws {
        let service = InMemoryAuthService()
        let manager = await manager(service)
        try await manager.signUpWithEmail("ada@example.com", password: Fixtures.password, firstName: "Ada")
        #expect(manager.isNewUser)
        #expect(!service.makeManager().isNewUser)
        await manager.signOut()
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        #expect(!manager.isNewUser)
    }

    @Test(
        "A sign-up that a mail confirms is new too, by the link and by the password; another user is not",
        arguments: ["link", "password", "other"])
    func confirmedNewUser(_ way: String) async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.addAccount(email: "bob@example.com")
        let manager = await manager(service)
        let outcome = try await manager.signUpWithEmail(
            "Ada@example.com", password: Fixtures.password, firstName: "Ada")
        #expect(outcome == .checkMail && !manager.isNewUser)
        switch way {
        case "link":
            try await manager.mail.openLink(try #require(service.mailLink(.confirmation, to: "ada@example.com")))
            await manager.wait { $0.isLoggedIn }
        case "password":
            service.confirmEmail(of: "ada@example.com")
            try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        default: try await manager.signInWithEmail("bob@example.com", password: Fixtures.password)
        }
        #expect(manager.isNewUser == (way != "other"))
        await manager.signOut()
        try await manager.signInWithEmail("bob@example.com", password: Fixtures.password)
        #expect(!manager.isNewUser)
    }

    @Test("While the store does not answer there is neither a guest nor a user (pitfall 4)")
    func locked() async throws {
        let service = InMemoryAuthService.signedIn()
        service.stay(.storeLocked)
        let manager = service.makeManager()
        for _ in 0..<100 { await Task.yield() }
        #expect(manager.phase == .restoring && manager.user == nil)
        await manager.wait { $0.storeProblem?.cause == .locked }
        service.clear()
        await manager.wait { $0.isLoggedIn }
        #expect(manager.storeProblem == nil)
    }

    private nonisolated static func refused(_ status: Int, _ code: String? = nil) -> AuthClientError {
        .refused(AuthRefusal(status: status, code: code.map { AuthErrorCode(rawValue: $0) }))
    }

    @Test(
        "The gateway's response about the profile decides (A6)",
        arguments: [
            (.forbidden, .forbidden, true), (.serverError, .networkError(refused(500)), true),
            (.offline, .offline(.noAnswer("NSURLErrorDomain -1009")), true),
            (.rateLimited(retryAfter: nil), .networkError(refused(429, "RATE_LIMITED")), true),
            (
                .accessTokenRefused, .networkError(.refusesValidToken(AuthErrorCode(rawValue: "TOKEN_INVALID"))), true
            ),
            // The reason of the sign-out is enough.
            (.sessionEndedByServer(.sessionExpired), nil, false),
        ] as [(InMemoryAuthService.Fault, AuthError?, Bool)])
    func profile(_ fault: InMemoryAuthService.Fault, _ error: AuthError?, _ staysSignedIn: Bool) async throws {
        let service = InMemoryAuthService.signedIn()
        let manager = await manager(service)
        service.meet(fault)
        manager.reloadProfile()
        await manager.wait { $0.error == error && $0.isLoggedIn == staysSignedIn }
        await until { await (service.service.currentSession != nil) == staysSignedIn }
    }

    @Test("Another session ends pending work of the previous one: a late deletion signs nobody out")
    func anotherPerson() async throws {
        let service = InMemoryAuthService.signedIn()
        service.addAccount(email: "grace@example.com", firstName: "Grace")
        let manager = await manager(service)
        service.meet(.slow, at: .deleteAccount)
        let deletion = Task { try await manager.deleteAccount() }
        await until { service.heldCount == 1 }
        // Like a mail link.
        _ = try await service.service.signIn(email: "grace@example.com", password: Fixtures.password)
        await manager.wait { $0.user?.email == "grace@example.com" }
        service.release()
        try await deletion.value
        for _ in 0..<100 { await Task.yield() }
        #expect(manager.user?.email == "grace@example.com")
        #expect(await service.service.currentSession?.user.email == "grace@example.com")
    }

    @Test("Apple is added to an email account, and its name fills the profile; then email can be removed")
    func link() async throws {
        let service = InMemoryAuthService.signedIn(firstName: nil)
        let manager = await manager(service)
        let sheet = ScriptedProviderSheet(.signsIn(.hidingEmail))
        let mine = manager.user?.id
        #expect(try await manager.identities.linkApple { try await sheet.apple(nonce: SignInNonce()) } == .linked)
        await manager.wait { $0.user?.firstName == "Ada" }
        #expect(manager.user?.id == mine && manager.phase == .authenticated)
        #expect(events.all == [.started(.apple), .linked(existing: .email, new: .apple)])

        let identities = try await manager.identities.list()
        #expect(identities.map(\.provider) == ["email", "apple"])
        try await manager.identities.unlink(identities[0])
        let failure = await #expect(throws: AuthError.self) { try await manager.identities.unlink(identities[1]) }
        #expect(failure == .lastSignInMethod && manager.error == nil)
        #expect(try await manager.identities.list().map(\.provider) == ["apple"])
        await manager.signOut()
        #expect(try await manager.signInWithApple { try await sheet.apple() } == .signedIn)
        #expect(manager.user?.id == mine)
    }

    @Test("Google is added by its sheet, or in a browser with the right return address")
    func google() async throws {
        let service = InMemoryAuthService.signedIn()
        let manager = await manager(service)
        let sheet = ScriptedProviderSheet(.signsIn(.ada), .cancels, .signsIn(.grace))
        #expect(try await manager.identities.linkGoogle { try await sheet.google() } == .linked)
        let back = URL(string: "app://back")!
        let browser = AppBrowser(redirectTo: back) { try await sheet.browser($0) }
        #expect(try await manager.identities.link(.google, in: browser) == .cancelled)
        let elsewhere = AppBrowser(redirectTo: back) { _ in URL(string: "app://elsewhere?code=c")! }
        await #expect(throws: AuthError.invalidCallback) {
            try await manager.identities.link(.google, in: elsewhere)
        }
        #expect(try await manager.identities.link(.google, in: browser) == .linked)
        #expect(try await manager.identities.list().map(\.provider) == ["email", "google", "google"])
        #expect(
            events.all == [
                .started(.google), .linked(existing: .email, new: .google), .started(.google), .cancelled(.google),
                .started(.google), .failed(.google, .invalidCallback), .started(.google),
                .linked(existing: .email, new: .google),
            ])
    }

    @Test("A provider identity of another account cannot be added, with a message")
    func linkedElsewhere() async throws {
        let service = InMemoryAuthService.signedIn()
        service.addAccount(of: .grace, at: .apple)
        let manager = await manager(service)
        let sheet = ScriptedProviderSheet(.signsIn(.grace))
        do {
            try await manager.identities.linkApple { try await sheet.apple() }
            Issue.record("was linked")
        } catch {
            #expect(SignInMessage(.apple, error)?.text == "This email is already associated with another account.")
        }
        #expect(events.all.last == .failed(.apple, .emailInUse))
        #expect(try await manager.identities.list().count == 1)
    }

    @Test("A guest cannot link and sees no sheet")
    func guest() async throws {
        let manager = await manager(InMemoryAuthService())
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        await #expect(throws: AuthError.notAuthenticated) {
            try await manager.identities.linkApple { try await sheet.apple() }
        }
        await #expect(throws: AuthError.notAuthenticated) { try await manager.identities.list() }
        #expect(sheet.requests.isEmpty && events.all.isEmpty)
    }

    @Test("A provider's address with an email account opens the linking screen (E7)")
    func needsConfirmation() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        let screen = LoginModel(manager: await manager(service))
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        await screen.signInWithApple { try await sheet.apple() }?.value
        #expect(screen.message?.text == "This email is already associated with another account.")
        #expect(screen.message?.action == .link)
        #expect(service.account(email: "ada@example.com") != nil && service.openSessionCount == 0)
    }

    @Test("A sheet without a connection offers a retry; a failing one names the provider")
    func sheets() async throws {
        let screen = LoginModel(manager: await manager(InMemoryAuthService()))
        let sheet = ScriptedProviderSheet(.isOffline, .fails)
        await screen.signInWithGoogle { try await sheet.google() }?.value
        #expect(screen.message?.text == "No internet connection. Please try again.")
        #expect(screen.message?.action == .retry)
        await screen.signInWithApple { try await sheet.apple() }?.value
        #expect(screen.message?.text == "Sign in with Apple failed. Please try again.")
    }

    @Test("Google in a browser signs in; a cancelled page shows nothing")
    func browser() async throws {
        let service = InMemoryAuthService()
        let screen = LoginModel(manager: await manager(service))
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        let browser = AppBrowser(redirectTo: URL(string: "app://back")!) { try await sheet.browser($0) }
        service.meet(.providerCancelled)
        await screen.signIn(with: .google, in: browser)?.value
        #expect(screen.message == nil && !screen.isFinished)
        await screen.signIn(with: .google, in: browser)?.value
        #expect(screen.isFinished)
    }

    @Test("A browser with its own redirect address signs in and links, and shows nothing when it closes")
    func browserSession() async throws {
        let service = InMemoryAuthService()
        let manager = await manager(service)
        let screen = LoginModel(manager: manager)
        let sheet = ScriptedProviderSheet(.cancels, .fails, .signsIn(.ada), .signsIn(.grace))
        await screen.signIn(with: .google, in: sheet)?.value
        #expect(screen.phase == .editing && screen.message == nil)
        await screen.signIn(with: .google, in: sheet)?.value
        #expect(screen.message?.text == "Sign in with Google failed. Please try again.")
        await screen.signIn(with: .google, in: sheet)?.value
        #expect(screen.isFinished)
        #expect(try await manager.identities.link(.google, in: sheet) == .linked)
        #expect(try await manager.identities.list().count == 2)
    }
}

private final class Telemetry: TelemetrySink {
    private let heard = Mutex<[TelemetryEvent]>([])
    var all: [TelemetryEvent] { heard.withLock { $0 } }
    func record(_ event: TelemetryEvent) { heard.withLock { $0.append(event) } }
}
