import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Synchronization
import Testing

@Suite("The account manager over accounts in memory") @MainActor
struct ManagerTests {
    private let events = Telemetry()

    private func manager(_ service: InMemoryAuthService) async -> AuthManager {
        let manager = service.makeManager(telemetry: [events])
        await manager.wait { !$0.isLoading }
        return manager
    }

    @Test("An account without a profile is not signed in, with a message (E7)")
    func withoutProfile() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        service.meet(.profileMissing)
        let manager = await manager(service)
        await #expect(throws: SignInFailure.profileNotCreated) {
            try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        }
        #expect(manager.phase == .unauthenticated && manager.user == nil)
        #expect(await service.currentSession == nil)
    }

    @Test("While the store does not answer there is neither a guest nor a user (pitfall 4)")
    func locked() async throws {
        let service = InMemoryAuthService.signedIn()
        service.stay(.storeLocked)
        let manager = service.makeManager()
        for _ in 0..<100 { await Task.yield() }
        #expect(manager.phase == .restoring && manager.user == nil)
        service.clear()
        await manager.wait { $0.isLoggedIn }
    }

    @Test(
        "The gateway's response about the profile decides (A6)",
        arguments: [
            (.forbidden, .forbidden, true), (.serverError, .networkError, true), (.offline, .offline, true),
            (.rateLimited(retryAfter: nil), .networkError, true), (.accessTokenRefused, .networkError, true),
            // The reason of the sign-out is enough.
            (.sessionEndedByServer(.sessionExpired), nil, false),
        ] as [(InMemoryAuthService.Fault, AuthError?, Bool)])
    func profile(_ fault: InMemoryAuthService.Fault, _ error: AuthError?, _ staysSignedIn: Bool) async throws {
        let service = InMemoryAuthService.signedIn()
        let manager = await manager(service)
        service.meet(fault)
        manager.reloadProfile()
        await manager.wait { $0.error == error && $0.isLoggedIn == staysSignedIn }
        await until { await (service.currentSession != nil) == staysSignedIn }
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
        _ = try await service.signIn(email: "grace@example.com", password: Fixtures.password)
        await manager.wait { $0.user?.email == "grace@example.com" }
        service.release()
        try await deletion.value
        for _ in 0..<100 { await Task.yield() }
        #expect(manager.user?.email == "grace@example.com")
        #expect(await service.currentSession?.user.email == "grace@example.com")
    }

    @Test("Apple is added to an email account, and its name fills the profile; then email can be removed")
    func link() async throws {
        let service = InMemoryAuthService.signedIn(firstName: nil)
        let manager = await manager(service)
        let sheet = ScriptedProviderSheet(.signsIn(.hidingEmail))
        let mine = manager.user?.id
        #expect(try await manager.linkApple { try await sheet.apple(nonce: SignInNonce()) } == .linked)
        await manager.wait { $0.user?.firstName == "Ada" }
        #expect(manager.user?.id == mine && manager.phase == .authenticated)
        #expect(events.all == [.started(.apple), .linked(existing: .email, new: .apple)])

        let identities = try await manager.identities()
        #expect(identities.map(\.provider) == ["email", "apple"])
        try await manager.unlink(identities[0])
        await #expect(throws: AuthError.networkError) { try await manager.unlink(identities[1]) }
        #expect(try await manager.identities().map(\.provider) == ["apple"])
        await manager.signOut()
        #expect(try await manager.signInWithApple { try await sheet.apple() } == .signedIn)
        #expect(manager.user?.id == mine)
    }

    @Test("Google is added by its sheet, or in a browser with the right return address")
    func google() async throws {
        let service = InMemoryAuthService.signedIn()
        let manager = await manager(service)
        let sheet = ScriptedProviderSheet(.signsIn(.ada), .cancels, .signsIn(.grace))
        #expect(try await manager.linkGoogle { try await sheet.google() } == .linked)
        let back = URL(string: "app://back")!
        #expect(try await manager.linkGoogle(redirectTo: back) { try await sheet.browser($0) } == .cancelled)
        await #expect(throws: SignInFailure.invalidCallback) {
            try await manager.linkGoogle(redirectTo: back) { _ in URL(string: "app://elsewhere?code=c")! }
        }
        #expect(try await manager.linkGoogle(redirectTo: back) { try await sheet.browser($0) } == .linked)
        #expect(try await manager.identities().map(\.provider) == ["email", "google", "google"])
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
            try await manager.linkApple { try await sheet.apple() }
            Issue.record("was linked")
        } catch {
            #expect(SignInMessage(.apple, error)?.text == "This email is already associated with another account.")
        }
        #expect(events.all.last == .failed(.apple, .emailInUse))
        #expect(try await manager.identities().count == 1)
    }

    @Test("A guest cannot link and sees no sheet")
    func guest() async throws {
        let manager = await manager(InMemoryAuthService())
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        await #expect(throws: AuthError.notAuthenticated) { try await manager.linkApple { try await sheet.apple() } }
        await #expect(throws: AuthError.notAuthenticated) { try await manager.identities() }
        #expect(sheet.requests.isEmpty && events.all.isEmpty)
    }

    @Test("A provider's address with an email account opens the linking screen (E7)")
    func needsConfirmation() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        let screen = LoginModel(manager: await manager(service))
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        await screen.signInWithApple { try await sheet.apple() }
        #expect(screen.message?.text == "This email is already associated with another account.")
        #expect(screen.message?.action == .link)
        #expect(service.account(email: "ada@example.com") != nil && service.openSessionCount == 0)
    }

    @Test("A sheet without a connection offers a retry; a failing one names the provider")
    func sheets() async throws {
        let screen = LoginModel(manager: await manager(InMemoryAuthService()))
        let sheet = ScriptedProviderSheet(.isOffline, .fails)
        await screen.signInWithGoogle { try await sheet.google() }
        #expect(screen.message?.text == "No internet connection. Please try again.")
        #expect(screen.message?.action == .retry)
        await screen.signInWithApple { try await sheet.apple() }
        #expect(screen.message?.text == "Sign in with Apple failed. Please try again.")
    }

    @Test("Google in a browser signs in; a cancelled page shows nothing")
    func browser() async throws {
        let service = InMemoryAuthService()
        let screen = LoginModel(manager: await manager(service))
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        let back = URL(string: "app://back")!
        service.meet(.providerCancelled)
        await screen.signInWithGoogle(redirectTo: back) { try await sheet.browser($0) }
        #expect(screen.message == nil && !screen.isFinished)
        await screen.signInWithGoogle(redirectTo: back) { try await sheet.browser($0) }
        #expect(screen.isFinished)
    }

    @Test("A browser with its own redirect address signs in and links, and shows nothing when it closes")
    func browserSession() async throws {
        let service = InMemoryAuthService()
        let manager = await manager(service)
        let screen = LoginModel(manager: manager)
        let sheet = ScriptedProviderSheet(.cancels, .fails, .signsIn(.ada), .signsIn(.grace))
        await screen.signInWithGoogle(in: sheet)
        #expect(screen.phase == .editing && screen.message == nil)
        await screen.signInWithGoogle(in: sheet)
        #expect(screen.message?.text == "Sign in with Google failed. Please try again.")
        await screen.signInWithGoogle(in: sheet)
        #expect(screen.isFinished)
        #expect(try await manager.linkGoogle(in: sheet) == .linked)
        #expect(try await manager.identities().count == 2)
    }
}

private final class Telemetry: TelemetrySink {
    private let heard = Mutex<[TelemetryEvent]>([])
    var all: [TelemetryEvent] { heard.withLock { $0 } }
    func record(_ event: TelemetryEvent) { heard.withLock { $0.append(event) } }
}
