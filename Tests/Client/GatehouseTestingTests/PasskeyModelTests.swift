import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

/// Passkeys in the manager and the models.
@Suite("Passkeys", .timeLimit(.minutes(5))) @MainActor
struct PasskeyModelTests {
    private func registered() async throws -> (InMemoryAuthService, AuthManager, ScriptedPasskeys) {
        let service = InMemoryAuthService.signedIn()
        service.serverSettings.allowsPasskeys = true
        let (manager, passkeys) = (service.makeManager(), ScriptedPasskeys())
        await manager.wait { $0.isProfileLoaded }
        try await manager.passkeys.add(with: passkeys)
        await manager.signOut()
        await manager.loadServerSettings()
        return (service, manager, passkeys)
    }

    @Test("A passkey signs in, and the list shows its use")
    func signIn() async throws {
        let (_, manager, passkeys) = try await registered()
        #expect(try await manager.signInWithPasskey(with: passkeys) == .signedIn)
        #expect(manager.user?.email == "ada@example.com" && manager.lastMethod == .passkey)
        let known = try await manager.passkeys.list()
        #expect(known?.map(\.friendlyName) == ["Apple Passwords"])
        #expect(known?.first?.lastUsedAt == Fixtures.date)
    }

    @Test("A closed sheet, and a device without a passkey, show nothing", arguments: [true, false])
    func cancelled(isClosed: Bool) async throws {
        let (_, manager, _) = try await registered()
        let login = LoginModel(manager: manager)
        #expect(login.offersPasskey)
        await login.signInWithPasskey(with: isClosed ? ScriptedPasskeys(.cancels) : ScriptedPasskeys())?.value
        #expect(login.message == nil && login.phase == .editing && manager.phase == .unauthenticated)
    }

    @Test("A passkey answers a link question; a closed sheet and another account's passkey leave it open")
    func linkQuestion() async throws {
        let (service, manager, passkeys) = try await registered()
        let others = ScriptedPasskeys()
        service.addAccount(email: "bob@example.com")
        try await manager.signInWithEmail("bob@example.com", password: Fixtures.password)
        try await manager.passkeys.add(with: others)
        await manager.signOut()
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        await #expect(throws: AuthError.self) { try await manager.signInWithGoogle { try await sheet.google() } }
        let link = LinkModel(manager: manager)
        #expect(link.canUsePasskey)
        await link.confirm(withPasskey: ScriptedPasskeys(.cancels))?.value
        #expect(link.message == nil && link.phase == .asking && link.question != nil)
        await link.confirm(withPasskey: others)?.value
        #expect(
            link.message?.text == "That account has a different email. Please sign in to the account with this email.")
        #expect(link.question != nil && !manager.isLoggedIn)
        await link.confirm(withPasskey: passkeys)?.value
        #expect(link.question == nil && manager.user?.email == "ada@example.com")
        #expect(try await manager.identities.list().map(\.provider).contains("google"))
    }

    @Test("A passkey that the server does not know, and an authenticator that fails, say so")
    func refused() async throws {
        let (service, manager, passkeys) = try await registered()
        let login = LoginModel(manager: manager)
        await login.signInWithPasskey(with: ScriptedPasskeys(.fails))?.value
        #expect(login.message?.text == "The passkey didn't work. Please try again.")
        service.removeAccount(email: "ada@example.com")
        await login.signInWithPasskey(with: passkeys)?.value
        #expect(
            login.message?.text
                == "This passkey couldn't be used here. Please try again, or sign in another way.")
    }

    @Test("A passkey in the keyboard's bar signs in when the user taps it; until then nothing is in progress")
    func keyboard() async throws {
        let (service, manager, passkeys) = try await registered()
        let login = LoginModel(manager: manager)
        let offer = Task { await login.offerPasskeys(with: passkeys) }
        await until { passkeys.offeredCount == 1 && service.clock.sleeps.contains(.seconds(270)) }
        #expect(manager.phase == .unauthenticated && !login.isBusy)
        // The challenge is renewed before it expires.
        service.clock.advance(by: .seconds(270))
        await until { passkeys.offeredCount == 1 && service.calls.count { $0 == .passkeyOptions } == 3 }
        passkeys.chooseInKeyboard()
        await offer.value
        #expect(manager.isLoggedIn)
    }

    @Test("Failures of requests that the user did not start show nowhere")
    func silent() async throws {
        let (service, manager, passkeys) = try await registered()
        let login = LoginModel(manager: manager)
        service.meet(.serverError, at: .passkeyOptions)
        await login.offerPasskeys(with: passkeys)
        await login.offerPasskeys(with: ScriptedPasskeys())
        #expect(login.message == nil && manager.error == nil)
        let offer = Task { await login.offerPasskeys(with: passkeys) }
        await until { passkeys.offeredCount == 1 }
        offer.cancel()
        await offer.value
        #expect(login.message == nil && manager.phase == .unauthenticated)
        // A failure after the tap is shown.
        let second = Task { await login.offerPasskeys(with: passkeys) }
        await until { passkeys.offeredCount == 1 }
        service.meet(.offline, at: .signInWithPasskey)
        passkeys.chooseInKeyboard()
        await second.value
        #expect(login.message?.text == "No internet connection. Please try again.")
    }

    @Test("After a sign-in without a passkey it is offered once, and not again after an answer")
    func offer() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
        service.addAccount(email: "ada@example.com")
        let memory = SignInMemory.inMemory()
        let manager = AuthManager(
            service: service.service, storage: MemoryStorage(), clock: service.clock.clock, memory: memory)
        await manager.wait { $0.phase == .unauthenticated }
        let passkeys = ScriptedPasskeys()
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        await manager.passkeys.offer(with: passkeys)
        #expect(manager.asksForPasskey && passkeys.count == 0)
        manager.passkeys.dismissOffer()
        #expect(!manager.asksForPasskey)
        await manager.signOut()
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        await manager.passkeys.offer(with: passkeys)
        #expect(!manager.asksForPasskey)
    }

    @Test("A memory of the app's own keeps that a passkey was offered, so the next start does not ask")
    func ownMemory() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
        service.addAccount(email: "ada@example.com")
        let offers = Locked(0)
        func start() async throws -> AuthManager {
            let memory = SignInMemory(
                read: { nil }, keep: { _ in }, hasOfferedPasskey: { offers.withLock { $0 > 0 } },
                keepPasskeyOffer: { offers.withLock { $0 += 1 } })
            let manager = AuthManager(
                service: service.service, storage: MemoryStorage(), clock: service.clock.clock, memory: memory)
            await manager.wait { $0.phase != .restoring }
            await manager.signOut()
            try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
            await manager.passkeys.offer(with: ScriptedPasskeys())
            return manager
        }
        let first = try await start()
        #expect(first.asksForPasskey && offers.withLock { $0 } == 0)
        first.passkeys.dismissOffer()
        #expect(offers.withLock { $0 } == 1)
        #expect(try await !start().asksForPasskey)
    }

    @Test("The system may add a passkey by itself after a password, and then nothing is asked")
    func automatic() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
        service.addAccount(email: "ada@example.com")
        let (manager, passkeys) = (service.makeManager(), ScriptedPasskeys())
        passkeys.createsAutomatically = true
        await manager.wait { $0.phase == .unauthenticated }
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        await manager.passkeys.offer(with: passkeys)
        #expect(!manager.asksForPasskey && passkeys.count == 1)
        #expect(try await manager.passkeys.list()?.count == 1)
    }

    @Test("Nothing is offered without passkeys on the server, after a restart, or to an account that has one")
    func noOffer() async throws {
        let (service, manager, passkeys) = try await registered()
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        await manager.passkeys.offer(with: passkeys)
        #expect(!manager.asksForPasskey)
        let restarted = service.makeManager()
        await restarted.wait { $0.isLoggedIn }
        await restarted.passkeys.offer(with: passkeys)
        #expect(!restarted.asksForPasskey)
    }

    @Test("The list renames and deletes passkeys, and the password managers learn what is left")
    func list() async throws {
        let (_, manager, passkeys) = try await registered()
        try await manager.signInWithPasskey(with: passkeys)
        let model = SecurityModel(manager: manager)
        await model.load()
        let passkey = try #require(model.passkeys?.first)
        await model.rename(passkey, to: "  My phone ")?.value
        #expect(model.passkeys?.map(\.friendlyName) == ["My phone"])
        await model.addPasskey(with: passkeys)?.value
        #expect(model.message?.text == "This device already has a passkey for your account.")
        await model.delete(passkey, with: passkeys)?.value
        #expect(model.passkeys == [])
        guard case .accepted(let party, _, let ids)? = passkeys.signals.dropLast().last else {
            throw CancellationError()
        }
        #expect(party == "accounts.example.com" && ids.isEmpty)
    }

    @Test("Beside a passkey the only sign-in method can be removed, and the passkey still signs in")
    func onlyPasskey() async throws {
        let (_, manager, passkeys) = try await registered()
        try await manager.signInWithPasskey(with: passkeys)
        let methods = SignInMethodsModel(manager: manager)
        await methods.load()
        let password = try #require(methods.identities.first)
        #expect(methods.canRemove && methods.identities.count == 1)
        await methods.remove(password)?.value
        #expect(methods.phase == .showing && methods.identities.isEmpty)
        await manager.signOut()
        #expect(try await manager.signInWithPasskey(with: passkeys) == .signedIn)
    }

    @Test("A server without passkeys has an empty section, and everything else works")
    func unsupported() async throws {
        let manager = InMemoryAuthService.signedIn().makeManager()
        await manager.wait { $0.isProfileLoaded }
        let model = SecurityModel(manager: manager)
        await model.load()
        #expect(model.phase == .showing && model.passkeys == nil && model.factors.isEmpty)
    }
}
