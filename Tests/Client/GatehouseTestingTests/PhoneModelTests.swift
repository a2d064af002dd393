import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Screens for telephone numbers", .timeLimit(.minutes(5))) @MainActor
struct PhoneModelTests {
    private static let number = "+491701234567"
    private let service = InMemoryAuthService(confirmsAutomatically: false)

    init() {
        service.serverSettings.allowsPhone = true
        service.serverSettings.allowsPhoneFactors = true
    }

    private func manager() async -> AuthManager {
        let manager = service.makeManager()
        await manager.wait { $0.phase != .restoring && !$0.isLoading }
        await manager.loadServerSettings()
        return manager
    }

    private func user() async throws -> AuthManager {
        service.addAccount(phone: Self.number, password: Fixtures.password, firstName: "Ada")
        let manager = await manager()
        try await manager.signInWithPhone(Self.number, password: Fixtures.password)
        await manager.wait { !$0.isLoading }
        return manager
    }

    private func typed(_ number: String, _ kind: PhoneModel.Kind, _ manager: AuthManager) -> PhoneModel {
        let model = PhoneModel(kind, region: "DE", manager: manager)
        model.form.typed = number
        return model
    }

    private func code(_ kind: InMemoryAuthService.TextMessage.Kind, to phone: String = number) throws -> String {
        try #require(service.textCode(kind, to: phone))
    }

    @Test("A typed number becomes E.164, and another region's code changes the region")
    func form() {
        var form = PhoneForm(region: "DE")
        #expect(form.prefix == "+49" && form.number == nil && form.hint == nil)
        form.typed = "0170"
        #expect(form.hint?.english == "Please enter a valid phone number.")
        form.typed = "0170 123 45 67"
        #expect(form.number == Self.number && form.hint == nil && form.region == "DE")
        form.typed = "+1 212 555 0123"
        #expect(form.region == "US" && form.number == "+12125550123")
        form.region = "CA"
        form.typed = "+1 416 555 0123"
        #expect(form.region == "CA", "a shared code keeps the region")
        form.typed = String(repeating: "1", count: 1_000)
        #expect(form.typed == "+1 416 555 0123", "longer texts are ignored")
        #expect(PhoneForm.region(of: Locale(identifier: "de_AT")) == "AT")
        #expect(PhoneForm.region(of: Locale(identifier: "ja")) == "JP")
        #expect(PhoneForm(region: "ZZ").region.utf8.count == 2)
    }

    @Test("The number and its code sign a new user in")
    func signIn() async throws {
        let manager = await manager()
        let model = typed("0170 1234567", .signIn, manager)
        await model.send()?.value
        let code = try #require(model.code)
        #expect(model.phase == .sent && code.kind == .phoneSignIn && code.email == Self.number)
        #expect(code.recipient.contains("+49 170 123 4567") && code.countdown == "1:00")
        code.code = "12"
        #expect(!code.canSubmit)
        code.code = "000000"
        await code.submit()?.value
        #expect(code.message?.text == "The code is wrong or has expired." && !manager.isLoggedIn)
        code.code = try self.code(.signIn)
        #expect(code.isComplete)
        await code.submit()?.value
        #expect(code.phase == .confirmed && model.isFinished && manager.isNewUser)
        #expect(manager.user?.phone == Self.number && manager.lastMethod == .phone)
    }

    @Test("Another number can be entered, and another message requested after the countdown")
    func again() async throws {
        let manager = await manager()
        let model = typed(Self.number, .signIn, manager)
        await model.send()?.value
        model.startOver()
        #expect(model.phase == .editing && model.code == nil && model.form.typed == Self.number)
        model.form.typed = "+12125550123"
        await model.send()?.value
        let code = try #require(model.code)
        #expect(!code.canSendAgain)
        service.clock.advance(by: CodeModel.interval)
        await code.countDown()
        await code.sendAgain()?.value
        #expect(code.wasSentAgain && code.countdown == "1:00")
        #expect(service.texts.map(\.phone) == [Self.number, "+12125550123", "+12125550123"])
    }

    @Test("Too many messages: the code can be entered, and the countdown is the server's")
    func tooSoon() async throws {
        let model = typed(Self.number, .signIn, await manager())
        service.meet(.rateLimited(retryAfter: .seconds(42)), at: .sendText)
        await model.send()?.value
        #expect(model.phase == .sent && model.code?.countdown == "0:42")
        #expect(model.code?.message?.text == "We just sent you a message. Please wait before requesting another.")
    }

    @Test(
        "A failure says what happened and what to do",
        arguments: [
            (.textFailed, "We couldn't send the message. Check the phone number and try again."),
            (.phoneDisabled, "Phone numbers can't be used here."),
            (.offline, "Unable to connect. Check your internet and try again."),
        ] as [(InMemoryAuthService.Fault, String)])
    func failures(_ fault: InMemoryAuthService.Fault, _ text: String) async throws {
        let model = typed(Self.number, .signIn, await manager())
        service.meet(fault, at: .sendText)
        await model.send()?.value
        #expect(model.message?.text == text && model.code == nil && model.canSend())
    }

    @Test("Number and password sign up, wait for the code, and sign in")
    func password() async throws {
        let manager = await manager()
        #expect(
            try await manager.signUpWithPhone(Self.number, password: Fixtures.password, firstName: "Ada") == .checkMail)
        await #expect(throws: AuthError.phoneNotConfirmed) {
            try await manager.signInWithPhone(Self.number, password: Fixtures.password)
        }
        let code = try code(.confirmation)
        let outcome = try await manager.signIn(withCode: code, textedTo: Self.number, password: Fixtures.password)
        #expect(outcome == .signedIn)
        #expect(manager.isNewUser && manager.user?.phone == Self.number)
        await manager.signOut()
        do {
            try await manager.signInWithPhone(Self.number, password: "wrong password")
            Issue.record("a wrong password signed in")
        } catch {
            #expect(
                SignInMessage(.phone, error)?.text == "Incorrect phone number or password. Please try again.")
        }
        #expect(try await manager.signInWithPhone(Self.number, password: Fixtures.password) == .signedIn)
    }

    @Test("A new number replaces the old one with its code, and waits across screens until then")
    func change() async throws {
        let manager = try await user()
        let model = typed(Self.number, .change, manager)
        #expect(!model.canSend(), "the current number")
        model.form.typed = "+12125550123"
        await model.send()?.value
        #expect(model.code?.kind == .phoneChange)
        await manager.wait { $0.user?.newPhone == "+12125550123" }
        let later = PhoneModel(.change, region: "DE", manager: manager)
        let code = try #require(later.code)
        #expect(later.phase == .sent && code.canSendAgain)
        code.code = try self.code(.phoneChange, to: "+12125550123")
        await code.submit()?.value
        #expect(later.isFinished)
        await manager.wait { $0.user?.phone == "+12125550123" }
        #expect(manager.user?.newPhone == nil)
    }

    @Test("A taken number and a required password are asked for on the form")
    func changeRefused() async throws {
        service.addAccount(phone: "+12125550123")
        let manager = try await user()
        let model = typed("+12125550123", .change, manager)
        await model.send()?.value
        #expect(model.message?.text == "This phone number is already associated with another account.")
        service.meet(.currentPasswordRequired, at: .updateUser)
        model.form.typed = "+14155550123"
        await model.send()?.value
        #expect(model.asksForCurrent && !model.canSend() && model.canSend(password: "x"))
        await model.send(password: "wrong password")?.value
        #expect(model.message?.text == "The current password isn't correct.")
        await model.send(password: Fixtures.password)?.value
        #expect(model.phase == .sent)
    }

    @Test("A first number is sent again by setting it again, which needs no current one")
    func firstNumber() async throws {
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let manager = await manager()
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        #expect(try await manager.credentials.changePhone(Self.number) == .checkMessages)
        await manager.wait { $0.user?.newPhone != nil }
        try await manager.credentials.resendPhoneChange()
        #expect(service.texts.map(\.kind) == [.phoneChange, .phoneChange])
        try await manager.credentials.confirmPhone(withCode: try code(.phoneChange), textedTo: Self.number)
        await manager.wait { $0.user?.phone == Self.number }
        #expect(manager.user?.email == "ada@example.com")
    }

    @Test("A number becomes a second factor, asks at the next sign-in, and can be removed")
    func secondFactor() async throws {
        let manager = try await user()
        let model = typed("+12125550123", .secondFactor, manager)
        await model.send()?.value
        let code = try #require(model.code)
        code.code = try self.code(.secondFactor, to: "+12125550123")
        await code.submit()?.value
        #expect(model.isFinished && model.offersCodes)
        let security = SecurityModel(manager: manager)
        await security.load()
        #expect(security.offersPhones && security.factors.map(\.phone) == ["12125550123"])
        await manager.signOut()
        let outcome = try await manager.signInWithPhone(Self.number, password: Fixtures.password)
        #expect(outcome == .secondFactorNeeded)
        let proof = ProofModel(question: try #require(manager.secondFactor), manager: manager)
        let texted = try #require(proof.texted)
        #expect(proof.explanation == "Enter the code we texted you." && !proof.canSubmit())
        await proof.load()
        texted.code = "000000"
        await texted.submit()?.value
        #expect(texted.message?.text == "The code is wrong or has expired.")
        texted.code = try self.code(.secondFactor, to: "+12125550123")
        await texted.submit()?.value
        #expect(manager.phase == .authenticated)
        await manager.wait { !$0.isLoading }
        await security.load()
        await security.remove(try #require(security.factors.first))?.value
        #expect(security.factors.isEmpty)
    }

    @Test("A refused second message leaves the first code valid")
    func secondMessage() async throws {
        let manager = try await user()
        let model = typed("+12125550123", .secondFactor, manager)
        await model.send()?.value
        let code = try #require(model.code)
        service.clock.advance(by: CodeModel.interval)
        await code.countDown()
        service.meet(.rateLimited(retryAfter: .seconds(30)), at: .sendFactorCode)
        await code.sendAgain()?.value
        #expect(code.message?.text == "We just sent you a message. Please wait before requesting another.")
        code.code = try self.code(.secondFactor, to: "+12125550123")
        await code.submit()?.value
        #expect(model.isFinished)
    }

    @Test("The same number twice says so, and a number that was never proven is replaced")
    func sameFactor() async throws {
        let manager = try await user()
        for _ in 1...2 {
            let model = typed("+12125550123", .secondFactor, manager)
            await model.send()?.value
            #expect(model.phase == .sent)
        }
        #expect(try await manager.factors.list().count == 1)
        let model = typed("+12125550123", .secondFactor, manager)
        await model.send()?.value
        model.code?.code = try code(.secondFactor, to: "+12125550123")
        await model.code?.submit()?.value
        let again = typed("+12125550123", .secondFactor, manager)
        await again.send()?.value
        #expect(again.message?.text == "You already use this phone number. Enter another one.")
    }

    @Test("Without telephone numbers, nothing offers them")
    func hidden() async throws {
        service.serverSettings.allowsPhone = false
        service.serverSettings.allowsPhoneFactors = false
        let manager = await manager()
        #expect(!LoginModel(manager: manager).offersPhone && !SecurityModel(manager: manager).offersPhones)
        #expect(!LoginModel(manager: manager).providers(hasBrowser: true).contains(.phone))
        let unknown = InMemoryAuthService().makeManager()
        #expect(!LoginModel(manager: unknown).offersPhone, "the settings are not known yet")
    }
}
