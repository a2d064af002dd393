import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Sign-up with a passkey in the models", .timeLimit(.minutes(5))) @MainActor
struct PasskeySignUpModelTests {
    private static let ada = "ada@example.com"

    private func started(
        confirms: Bool = false, _ answers: ScriptedPasskeys.AccountAnswer...
    ) async -> (InMemoryAuthService, AuthManager, ScriptedPasskeys) {
        let service = InMemoryAuthService(confirmsAutomatically: confirms)
        (service.serverSettings.allowsPasskeys, service.serverSettings.allowsPasskeySignUp) = (true, true)
        let (manager, passkeys) = (service.makeManager(), ScriptedPasskeys())
        await manager.wait { $0.phase == .unauthenticated }
        await manager.loadServerSettings()
        for answer in answers { passkeys.follow(answer) }
        return (service, manager, passkeys)
    }

    @Test("The sheet's name, address and passkey make an account; the mailed code gives it its address")
    func sheet() async throws {
        let (service, manager, passkeys) = await started(.creates(email: Self.ada, firstName: "Ada"))
        #expect(try await manager.signUpWithPasskey(with: passkeys) == .signedIn)
        #expect(manager.isNewUser && manager.user?.email == nil && manager.user?.newEmail == Self.ada)
        #expect(manager.asksForEmailCode && manager.lastMethod == .passkey)
        let code = try #require(service.mailCode(.emailChange, to: Self.ada))
        #expect(try await manager.credentials.confirmEmail(withCode: code, sentTo: Self.ada) == .changed)
        // The user may be fetched before the change's event arrives.
        await manager.wait { $0.user?.email == Self.ada && !$0.asksForEmailCode }
        #expect(service.account(email: Self.ada)?.profile?.firstName == "Ada")
        await manager.signOut()
        #expect(try await manager.signInWithPasskey(with: passkeys) == .signedIn)
        #expect(manager.user?.email == Self.ada)
    }

    @Test("With automatic confirmation the account has its address at once, and no code is asked for")
    func confirmed() async throws {
        let (_, manager, passkeys) = await started(confirms: true)
        #expect(try await manager.signUpWithPasskey(Self.ada, firstName: "Ada", with: passkeys) == .signedIn)
        #expect(manager.user?.email == Self.ada && !manager.asksForEmailCode && manager.isNewUser)
    }

    @Test("A code that the user leaves for later stays out of the way, and a sign-out forgets it")
    func later() async throws {
        let (_, manager, passkeys) = await started()
        try await manager.signUpWithPasskey(Self.ada, with: passkeys)
        manager.credentials.dismissCode()
        #expect(!manager.asksForEmailCode && manager.user?.newEmail == Self.ada)
        await manager.signOut()
        try await manager.signUpWithPasskey("grace@example.com", with: passkeys)
        #expect(manager.asksForEmailCode)
        await manager.signOut()
        #expect(!manager.asksForEmailCode)
    }

    @Test("Without a sheet, or on a device that cannot create passkeys, the form is needed and nothing was created")
    func form() async throws {
        let (service, manager, passkeys) = await started()
        #expect(try await manager.signUpWithPasskey(with: passkeys) == .formNeeded)
        passkeys.follow(.unavailable)
        let login = LoginModel(manager: manager)
        await login.signUpWithPasskey(with: passkeys)?.value
        #expect(login.asksForPasskeyDetails && login.message == nil && login.phase == .editing)
        #expect(manager.phase == .unauthenticated && service.openSessionCount == 0)
    }

    @Test("A user who prefers Sign in with Apple is led there; a closed sheet shows nothing, a broken one says so")
    func otherAnswers() async throws {
        let (_, manager, passkeys) = await started(.prefersApple, .cancels, .fails)
        let login = LoginModel(manager: manager)
        await login.signUpWithPasskey(with: passkeys)?.value
        #expect(login.prefersApple && login.message == nil)
        await login.signUpWithPasskey(with: passkeys)?.value
        #expect(!login.prefersApple && login.message == nil && login.phase == .editing)
        await login.signUpWithPasskey(with: passkeys)?.value
        #expect(login.message?.text == "The passkey didn't work. Please try again.")
        #expect(passkeys.count == 0 && manager.phase == .unauthenticated)
    }

    @Test("A taken address looks the same: its owner keeps it and gets a mail, and no code comes")
    func taken() async throws {
        let (service, manager, passkeys) = await started()
        service.addAccount(email: Self.ada)
        #expect(try await manager.signUpWithPasskey(Self.ada, with: passkeys) == .signedIn)
        #expect(manager.asksForEmailCode && manager.user?.newEmail == Self.ada)
        #expect(service.mails.map(\.kind) == [.accountExists])
        #expect(service.mailCode(.emailChange, to: Self.ada) == nil)
        await manager.signOut()
        try await manager.signInWithEmail(Self.ada, password: Fixtures.password)
        #expect(manager.user?.email == Self.ada)
    }

    @Test("With automatic confirmation a taken address is refused, and the password manager forgets the passkey")
    func refused() async throws {
        let (service, manager, passkeys) = await started(confirms: true)
        service.addAccount(email: Self.ada)
        let login = LoginModel(manager: manager, mode: .signUp)
        (login.form.name, login.form.email) = ("Ada", Self.ada)
        await login.submit(with: passkeys)?.value
        #expect(
            login.message?.text
                == "An account with this email already exists. Try signing in, or use Apple or Google.")
        guard case .unknown? = passkeys.signals.last else { throw CancellationError() }
        #expect(manager.phase == .unauthenticated)
    }

    @Test("After a lost response the next attempt continues with the same passkey", arguments: [true, false])
    func lost(arrived: Bool) async throws {
        let (service, manager, passkeys) = await started(.creates(email: Self.ada, firstName: nil))
        service.meet(arrived ? .answerLost : .offline, at: .signUp)
        let login = LoginModel(manager: manager)
        await login.signUpWithPasskey(with: passkeys)?.value
        #expect(login.message?.action == .retry && login.signsUpWithPasskey)
        // The sheet has no further answer: a second one would be cancelled.
        await login.signUpWithPasskey(with: passkeys)?.value
        #expect(manager.isLoggedIn && manager.user?.newEmail == Self.ada && manager.isNewUser)
        #expect(passkeys.count == 1 && passkeys.signals.isEmpty)
        #expect(service.calls.count { $0 == .signInWithPasskey } == (arrived ? 1 : 0))
    }

    @Test("An unfinished sign-up is for the next attempt alone, and for its own address")
    func unfinished() async throws {
        let (service, manager, passkeys) = await started(confirms: true)
        service.addAccount(email: "grace@example.com")
        service.meet(.offline, at: .signUp)
        await #expect(throws: AuthError.self) { try await manager.signUpWithPasskey(Self.ada, with: passkeys) }
        try await manager.signInWithEmail("grace@example.com", password: Fixtures.password)
        await manager.signOut()
        try await manager.signUpWithPasskey("new@example.com", with: passkeys)
        #expect(passkeys.count == 2 && manager.user?.email == "new@example.com")
    }

    @Test("It is offered where the server creates such accounts and can confirm their addresses")
    func offered() async throws {
        let cases: [((inout AuthServerSettings) -> Void, Bool)] = [
            ({ _ in }, true), ({ $0.allowsPasskeySignUp = false }, false), ({ $0.allowsPasskeys = false }, false),
            ({ $0.allowsSignUp = false }, false), ({ $0.allowsEmail = false }, false),
            ({ ($0.sendsMail, $0.confirmsEmailAutomatically) = (false, false) }, false),
            ({ ($0.sendsMail, $0.confirmsEmailAutomatically) = (false, true) }, true),
        ]
        for (change, isOffered) in cases {
            let service = InMemoryAuthService()
            (service.serverSettings.allowsPasskeys, service.serverSettings.allowsPasskeySignUp) = (true, true)
            change(&service.serverSettings)
            let manager = service.makeManager()
            let login = LoginModel(manager: manager)
            #expect(!login.offersPasskeySignUp)
            await manager.loadServerSettings()
            #expect(login.offersPasskeySignUp == isOffered)
        }
    }

    @Test("An anonymous user is asked before the account is left; a signed-in user signs out first")
    func others() async throws {
        let (service, manager, passkeys) = await started(confirms: true)
        service.serverSettings.allowsAnonymousSignIn = true
        try await manager.signInAnonymously()
        await #expect(throws: AuthError.alreadySignedIn) {
            try await manager.signUpWithPasskey(Self.ada, with: passkeys)
        }
        manager.answersProofQuestions = true
        let signUp = Task { try await manager.signUpWithPasskey(Self.ada, with: passkeys) }
        await manager.wait { $0.switchQuestion != nil }
        #expect(passkeys.count == 0)
        manager.answerSwitch(true)
        #expect(try await signUp.value == .signedIn)
        #expect(manager.user?.email == Self.ada && !manager.isAnonymous)
        await #expect(throws: AuthError.alreadySignedIn) {
            try await manager.signUpWithPasskey("new@example.com", with: passkeys)
        }
    }
}
