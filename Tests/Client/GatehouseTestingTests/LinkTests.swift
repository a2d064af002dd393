import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Undone links, and names that Apple gives once") @MainActor
struct LinkTests {
    private func manager(
        _ service: InMemoryAuthService, storage: any SecureStorage = MemoryStorage()
    ) async -> AuthManager {
        let manager = service.makeManager(storage: storage)
        await manager.wait { !$0.isLoading }
        return manager
    }

    @Test("A manual link can be undone; the identity then belongs to another person")
    func undo() async throws {
        let service = InMemoryAuthService.signedIn()
        let manager = await manager(service)
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        try await manager.identities.linkGoogle { try await sheet.google() }
        await manager.signOut()
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        let (mine, links) = (manager.user?.id, try await manager.identities.undoableLinks())
        #expect(links.map(\.provider) == ["google"] && links.map(\.rule) == ["linked_by_hand"])
        #expect(links.map { $0.until.timeIntervalSince($0.linkedAt) } == [30 * 86_400])
        try await manager.identities.undo(links[0])
        #expect(try await manager.identities.list().map(\.provider) == ["email"])
        #expect(try await manager.identities.undoableLinks().isEmpty)
        let failure = await #expect(throws: AuthError.self) { try await manager.identities.undo(links[0]) }
        #expect(failure?.cause?.code == .identityNotFound)
        await manager.signOut()
        #expect(try await manager.signInWithGoogle { try await sheet.google() } == .signedIn)
        #expect(manager.user?.id != mine && manager.user?.email == nil)
    }

    @Test("Undoing the link that opened this session keeps it")
    func undoOwn() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", isEmailProven: true)
        let manager = await manager(service)
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        try await manager.signInWithApple { try await sheet.apple() }
        let links = try await manager.identities.undoableLinks()
        #expect(links.map(\.rule) == ["proven_by_both"])
        try await manager.identities.undo(links[0])
        #expect(try await manager.identities.list().map(\.provider) == ["email"])
        #expect(manager.isLoggedIn)
    }

    @Test("A link can be undone within 30 days", arguments: [true, false])
    func late(_ isFault: Bool) async throws {
        let service = InMemoryAuthService.signedIn()
        let manager = await manager(service)
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        try await manager.identities.linkGoogle { try await sheet.google() }
        let links = try await manager.identities.undoableLinks()
        if isFault { service.meet(.linkTooOld) } else { service.clock.advance(by: .seconds(30 * 86_400)) }
        let failure = await #expect(throws: AuthError.self) { try await manager.identities.undo(links[0]) }
        #expect(failure == .tooLateToUndo)
        #expect(try await manager.identities.undoableLinks().isEmpty == !isFault)
    }

    @Test("A guest has no undoable links")
    func guest() async throws {
        let manager = await manager(InMemoryAuthService())
        await #expect(throws: AuthError.notAuthenticated) { try await manager.identities.undoableLinks() }
    }

    @Test("Pitfall 6: The name goes with the sign-in, and is removed here when the server has it")
    func name() async throws {
        let (service, storage) = (InMemoryAuthService(), MemoryStorage())
        let manager = await manager(service, storage: storage)
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        service.meet(.offline)
        await #expect(throws: AuthError.self) { try await manager.signInWithApple { try await sheet.apple() } }
        #expect(await storage.contents.keys.sorted() == ["gatehouse.apple-names"])
        // The second time Apple sends no name.
        #expect(try await manager.signInWithApple { try await sheet.apple() } == .signedIn)
        await manager.wait { $0.user?.firstName == "Ada" }
        #expect(await service.service.currentSession?.user.userMetadata["full_name"] == "Ada")
        await until { await storage.contents.isEmpty }
        #expect(!service.calls.contains(.updateMetadata) && !service.calls.contains(.updateProfile))
    }

    @Test("Pitfall 6: A server that ignores the name in the sign-in gets it right after")
    func stockServer() async throws {
        let (service, storage) = (InMemoryAuthService(), MemoryStorage())
        let manager = await manager(service, storage: storage)
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        service.meet(.nameIgnored)
        service.meet(.serverError, at: .updateMetadata)
        try await manager.signInWithApple { try await sheet.apple() }
        await until { service.pendingFaults.isEmpty }
        #expect(manager.user?.firstName == "Ada")
        #expect(await service.service.currentSession?.user.userMetadata["full_name"] == nil)
        #expect(await !storage.contents.isEmpty)
        manager.reloadProfile()
        await until { await storage.contents.isEmpty }
        #expect(await service.service.currentSession?.user.userMetadata["full_name"] == "Ada")
        #expect(await service.service.currentSession?.user.userMetadata["first_name"] == "Ada")
    }

    @Test("E2, pitfall 6: The sign-in does not wait for the name, which arrives later")
    func nameArrivesLater() async throws {
        let (service, storage) = (InMemoryAuthService(), MemoryStorage())
        let manager = await manager(service, storage: storage)
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        service.meet(.nameIgnored)
        service.meet(.slow, at: .updateMetadata)
        // A screen that closes at the sign-in.
        let screen = Task { try await manager.signInWithApple { try await sheet.apple() } }
        #expect(try await screen.value == .signedIn)
        screen.cancel()
        #expect(manager.isLoggedIn)
        await until { service.heldCount == 1 }
        #expect(await !storage.contents.isEmpty)
        service.release()
        await until { await storage.contents.isEmpty }
        #expect(await service.service.currentSession?.user.userMetadata["full_name"] == "Ada")
    }

    @Test("Pitfall 6: A pending name does not apply to the next user")
    func nameOfAnother() async throws {
        let (service, storage) = (InMemoryAuthService(), MemoryStorage())
        service.addAccount(email: "grace@example.com", firstName: "Grace")
        let manager = await manager(service, storage: storage)
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        service.meet(.nameIgnored)
        service.meet(.slow, at: .updateProfile)
        try await manager.signInWithApple { try await sheet.apple() }
        await until { service.heldCount == 1 }
        await manager.signOut()
        try await manager.signInWithEmail("grace@example.com", password: Fixtures.password)
        service.release()
        for _ in 0..<100 { await Task.yield() }
        #expect(await service.service.currentSession?.user.userMetadata["full_name"] == nil)
        #expect(manager.user?.firstName == "Grace")
        #expect(await !storage.contents.isEmpty)
    }

    @Test("A family name alone goes to the account, and the profile's first name stays empty")
    func familyName() async throws {
        let (service, storage) = (InMemoryAuthService(), MemoryStorage())
        let manager = await manager(service, storage: storage)
        let person = ProviderPerson(id: "p", email: nil, isEmailVerified: false)
        let token = person.credentials(from: .apple).idToken
        service.meet(.nameIgnored)
        try await manager.signInWithApple {
            AppleCredential(idToken: token, nonce: nil, person: "p", firstName: " ", lastName: "Lovelace")
        }
        await until { await storage.contents.isEmpty }
        #expect(manager.user?.firstName == nil)
        #expect(await service.service.currentSession?.user.userMetadata["full_name"] == "Lovelace")
    }
}

@Suite("A user who stopped using Sign in with Apple for the app") @MainActor
struct AppleCredentialTests {
    private let apple = ScriptedAppleConsent()
    private let sheet = ScriptedProviderSheet(.signsIn(.ada))

    private func signedIn(_ service: InMemoryAuthService) async throws -> AuthManager {
        let manager = service.makeManager(appleCredentials: apple.credentials)
        await manager.wait { $0.phase == .unauthenticated }
        try await manager.signInWithApple { try await sheet.apple() }
        return manager
    }

    @Test("Is signed out when the app becomes active, and asked to sign in again")
    func active() async throws {
        let service = InMemoryAuthService()
        let manager = try await signedIn(service)
        apple.askAgain()
        // The manager also asks at its start, perhaps after the sign-in.
        await until { apple.asked.first == "person-ada" }
        #expect(manager.isLoggedIn)
        apple.set(.revoked, for: .ada)
        apple.askAgain()
        await manager.wait { !$0.isLoggedIn }
        #expect(manager.phase == .unauthenticated && manager.signedOutReason == .consentRevoked)
        #expect(LoginModel(manager: manager).message?.text == "Session expired. Please sign in again.")
        await until { service.openSessionCount == 0 }
    }

    @Test("Is signed out at the app's next start, with one log line without a name")
    func start() async throws {
        let service = InMemoryAuthService()
        _ = try await service.service.signIn(with: ProviderPerson.ada.credentials(from: .apple))
        apple.set(.revoked, for: .ada)
        let (log, telemetry) = (Locked<[String]>([]), HeardTelemetry())
        let next = AuthManager(
            service: service.service, storage: MemoryStorage(), clock: service.clock.clock, telemetry: [telemetry],
            appleCredentials: apple.credentials,
            log: { level, line in log.withLock { $0.append("\(level.rawValue) \(line)") } })
        await next.wait { $0.signedOutReason == .consentRevoked }
        #expect(next.phase == .unauthenticated)
        #expect(log.withLock { $0 } == ["info signed_out reason=consent_revoked"])
        #expect(telemetry.all.isEmpty)
    }

    @Test("A device that does not know the user, or is offline, signs nobody out")
    func unknown() async throws {
        let service = InMemoryAuthService()
        let manager = try await signedIn(service)
        for state in [AppleCredentialState.notFound, .unavailable, .transferred] {
            apple.set(state, for: .ada)
            let count = apple.asked.count
            apple.askAgain()
            await until { apple.asked.count > count }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(manager.isLoggedIn)
    }

    @Test("Stays signed in after another sign-in method")
    func otherWay() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", isEmailProven: true)
        let manager = try await signedIn(service)
        apple.set(.revoked, for: .ada)
        apple.askAgain()
        await manager.wait { !$0.isLoggedIn }
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        let count = apple.asked.count
        apple.askAgain()
        await until { apple.asked.count > count }
        for _ in 0..<100 { await Task.yield() }
        #expect(manager.isLoggedIn)
    }
}
