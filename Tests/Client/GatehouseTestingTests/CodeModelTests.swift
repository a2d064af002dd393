import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("The screen for a code", .timeLimit(.minutes(5))) @MainActor
struct CodeModelTests {
    private let service = InMemoryAuthService(confirmsAutomatically: false)

    private func manager() async -> AuthManager {
        let manager = service.makeManager()
        await manager.wait { $0.phase != .restoring && !$0.isLoading }
        return manager
    }

    private func signedUp(wait: Duration = .zero) async throws -> (AuthManager, CodeModel) {
        let manager = await manager()
        try await manager.signUpWithEmail("ada@example.com", password: Fixtures.password)
        return (manager, CodeModel(.confirmation, email: "ada@example.com", wait: wait, manager: manager))
    }

    @Test(
        "A code has six digits in ASCII, whatever is typed or pasted",
        arguments: [
            ("123456", "123456"), ("123 456 789", "123456"), ("Your code is 04-29-17.", "042917"), ("٠٤٢٩١٧", "042917"),
            ("½一", "1"), ("", ""),
        ])
    func digits(_ typed: String, _ code: String) async {
        let model = CodeModel(.signIn, email: "ada@example.com", manager: await manager())
        await model.load()
        model.code = typed
        #expect(model.code == code && model.canSubmit == (code.count == 6) && model.isComplete == model.canSubmit)
    }

    @Test("Another mail can be requested after the countdown")
    func countdown() async throws {
        let (_, model) = try await signedUp(wait: CodeModel.interval)
        #expect(model.countdown == "1:00" && !model.canSendAgain && model.sendAgain() == nil)
        let counting = Task { await model.countDown() }
        try await service.clock.waitForSleepers()
        service.clock.advance(by: .milliseconds(55_500))
        await until { model.secondsToWait < 60 }
        #expect(model.countdown == "0:05")
        try await service.clock.waitForSleepers()
        service.clock.advance(by: .milliseconds(4_500))
        await counting.value
        #expect(model.countdown == nil)
        await model.sendAgain()?.value
        #expect(model.wasSentAgain && model.countdown == "1:00")
        #expect(service.mails.map(\.kind) == [.confirmation, .confirmation])
    }

    @Test("The countdown ends with the screen")
    func closed() async throws {
        let (_, model) = try await signedUp(wait: CodeModel.interval)
        let counting = Task { await model.countDown() }
        try await service.clock.waitForSleepers()
        counting.cancel()
        await counting.value
        #expect(service.clock.sleeperCount == 0)
    }

    @Test("A mail that was requested too soon says so, and the countdown is the server's")
    func tooSoon() async throws {
        let (manager, model) = try await signedUp()
        let text = "We just sent you an email. Please wait before requesting another."
        service.meet(.rateLimited(retryAfter: .seconds(42)), at: .resendConfirmation)
        await model.sendAgain()?.value
        #expect(model.message?.text == text && model.countdown == "0:42")
        // The earlier mail's code is still valid.
        let mail = MailModel(.passwordReset, email: "ada@example.com", manager: manager)
        service.meet(.rateLimited(retryAfter: nil), at: .sendPasswordMail)
        await mail.send()?.value
        let code = try #require(mail.code)
        #expect(mail.phase == .sent && code.message?.text == text && code.countdown == "1:00")
        mail.startOver()
        #expect(mail.phase == .editing && mail.code == nil && mail.form.email == "ada@example.com")
    }

    @Test("Too many codes ask to wait")
    func tooOften() async throws {
        let (_, model) = try await signedUp()
        service.meet(.rateLimited(retryAfter: nil), at: .verifyCode)
        model.code = "123456"
        await model.submit()?.value
        #expect(model.message?.text == "Too many attempts. Please wait a moment and try again.")
        #expect(model.canSendAgain && model.countdown == nil)
    }

    @Test("Without a connection the last attempt can be repeated: the code, or the mail")
    func offline() async throws {
        let (manager, model) = try await signedUp()
        service.goOffline()
        await model.sendAgain()?.value
        #expect(model.message?.action == .retry)
        service.goOnline()
        await model.retry()?.value
        #expect(model.wasSentAgain && model.message == nil)
        model.code = try #require(service.mailCode(.confirmation, to: "ada@example.com"))
        service.goOffline()
        await model.submit()?.value
        #expect(model.message?.action == .retry && model.code.count == 6)
        service.goOnline()
        await model.retry()?.value
        #expect(model.phase == .confirmed && manager.isLoggedIn)
    }

    @Test("A second tap sends nothing, and a late answer after a sign-out signs nobody in")
    func late() async throws {
        let (manager, model) = try await signedUp()
        service.meet(.slow, at: .verifyCode)
        model.code = try #require(service.mailCode(.confirmation, to: "ada@example.com"))
        let work = model.submit()
        #expect(model.submit() == nil && model.isBusy && !model.canSendAgain)
        await until { service.heldCount == 1 }
        await manager.signOut()
        service.release()
        await work?.value
        #expect(!manager.isLoggedIn && model.phase == .editing)
        #expect(service.calls.filter { $0 == .verifyCode }.count == 1)
    }

    @Test("A sign-in before the confirmation offers the code")
    func unconfirmed() async throws {
        let (manager, _) = try await signedUp()
        let login = LoginModel(manager: manager)
        login.form.email = "ada@example.com"
        login.enterCode()
        #expect(login.phase == .editing)
        await login.submit(password: Fixtures.password)?.value
        #expect(login.needsConfirmation)
        login.enterCode()
        let model = try #require(login.code)
        #expect(login.phase == .checkMail && model.canSendAgain && !login.needsConfirmation)
        login.startOver()
        #expect(login.phase == .editing && login.code == nil && login.form.email == "ada@example.com")
    }

    @Test("An account without an address confirms the new one alone")
    func firstAddress() async throws {
        let person = ProviderPerson(id: "one", email: nil, isEmailVerified: false)
        service.addAccount(of: person, at: .apple)
        let manager = await manager()
        let sheet = ScriptedProviderSheet(.signsIn(person))
        try await manager.signInWithApple { try await sheet.apple(nonce: SignInNonce()) }
        let change = ChangeEmailModel(manager: manager)
        change.form.email = "ada@example.com"
        await change.submit()?.value
        await manager.wait { $0.user?.newEmail != nil }
        let model = try #require(change.code)
        service.clock.advance(by: .seconds(61))
        await model.countDown()
        await model.sendAgain()?.value
        #expect(model.wasSentAgain)
        model.code = try #require(service.mailCode(.emailChange, to: "ada@example.com"))
        await model.submit()?.value
        #expect(model.phase == .confirmed && !model.isHalfway)
    }
}
