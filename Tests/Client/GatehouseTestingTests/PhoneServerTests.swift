import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("The server in memory takes telephone numbers")
struct PhoneServerTests {
    private static let number = "+491701234567"
    private let memory: InMemoryAuthService
    private var service: LiveAuthService { memory.service }

    init() {
        memory = InMemoryAuthService(confirmsAutomatically: false)
        memory.serverSettings.allowsPhone = true
        memory.serverSettings.allowsPhoneFactors = true
    }

    private func code(_ kind: InMemoryAuthService.TextMessage.Kind, to phone: String = number) throws -> String {
        try #require(memory.textCode(kind, to: phone))
    }

    private func redeem(
        _ code: String, from phone: String = number, for purpose: PhoneCodeType = .sms, password: String? = nil
    ) async throws -> AuthSession {
        try #require(
            try await service.verify(code: code, textedTo: phone, for: purpose, password: password).session)
    }

    private func refused(_ call: () async throws -> Void) async -> String? {
        do {
            try await call()
            return nil
        } catch AuthClientError.refused(let refusal) {
            return "\(refusal.status) \(refusal.code?.rawValue ?? "")"
        } catch {
            return "\(error)"
        }
    }

    private func opens(_ password: String, _ phone: String = number) async -> String? {
        await refused { _ = try await service.signIn(phone: phone, password: password) }
    }

    @Test("A texted code creates an account, confirms its number and signs in, once")
    func otp() async throws {
        try await service.sendSignInText(to: Self.number)
        #expect(memory.texts == [.init(kind: .signIn, phone: Self.number)])
        let code = try code(.signIn)
        let session = try await redeem(code)
        #expect(session.user.phone == "491701234567" && session.user.times.phoneConfirmedAt != nil)
        #expect(session.user.identities?.map(\.provider) == ["phone"] && session.user.email == nil)
        #expect(await refused { _ = try await redeem(code) } == "403 otp_expired")
        try await service.sendSignInText(to: Self.number)
        #expect(try await redeem(try self.code(.signIn)).user.id == session.user.id)
    }

    @Test("A sign-up with a password waits for its code, which keeps the password")
    func signUp() async throws {
        let answer = try await service.signUp(phone: Self.number, password: Fixtures.password, firstName: "Ada")
        #expect(answer.session == nil && answer.user?.phone == "491701234567")
        #expect(await opens(Fixtures.password) == "400 phone_not_confirmed")
        #expect(await opens("another password") == "400 invalid_credentials")
        let session = try await redeem(try code(.confirmation))
        #expect(session.user.userMetadata["first_name"]?.stringValue == "Ada")
        #expect(await opens(Fixtures.password) == nil)
    }

    @Test("A stranger's password does not survive the owner's code, and no session of the stranger does")
    func setAside() async throws {
        _ = try await service.signUp(phone: Self.number, password: "the stranger's", firstName: "Eve")
        try await service.sendSignInText(to: Self.number)
        let session = try await redeem(try code(.signIn))
        #expect(session.user.setAside.map(\.kind) == [.password])
        #expect(session.user.userMetadata["first_name"] == nil)
        #expect(await opens("the stranger's") == "403 credential_set_aside")
        // Who reads the messages may keep the password.
        _ = try await redeem(try code(.signIn), password: "the stranger's")
        #expect(await opens("the stranger's") == nil)
    }

    @Test("Of competing sign-ups, the one whose password is typed with the code counts")
    func competing() async throws {
        _ = try await service.signUp(phone: Self.number, password: "the stranger's", firstName: "Eve")
        let second = try await service.signUp(phone: Self.number, password: Fixtures.password, firstName: "Ada")
        #expect(second.user?.phone == "491701234567")
        _ = try await redeem(try code(.confirmation), password: Fixtures.password)
        #expect(await opens(Fixtures.password) == nil)
        #expect(await opens("the stranger's") == "403 credential_set_aside")
    }

    @Test("A sign-up does not reveal that the number has an account")
    func hidden() async throws {
        let id = memory.addAccount(phone: Self.number, password: Fixtures.password)
        let answer = try await service.signUp(phone: Self.number, password: "another password", firstName: nil)
        #expect(answer.session == nil && answer.user?.phone == "491701234567" && answer.user?.id != id)
        #expect(memory.texts.isEmpty)
        #expect(await opens("another password") == "400 invalid_credentials")
        memory.serverSettings.confirmsPhoneAutomatically = true
        #expect(
            await refused {
                _ = try await service.signUp(phone: Self.number, password: "another password", firstName: nil)
            } == "422 user_already_exists")
    }

    @Test("Five wrong codes void a code, and so do ten minutes")
    func void() async throws {
        try await service.sendSignInText(to: Self.number)
        let guessed = try code(.signIn)
        for _ in 1...5 { #expect(await refused { _ = try await redeem("000000") } == "403 otp_expired") }
        #expect(await refused { _ = try await redeem(guessed) } == "403 otp_expired")
        try await service.resendText(to: Self.number, for: .sms)
        let late = try code(.confirmation)
        memory.clock.advance(by: .seconds(601))
        #expect(await refused { _ = try await redeem(late) } == "403 otp_expired")
    }

    @Test("A new number waits for the code sent to it, and a taken one is refused")
    func change() async throws {
        memory.addAccount(phone: Self.number, password: Fixtures.password)
        memory.addAccount(phone: "+12125550123")
        _ = try await service.signIn(phone: Self.number, password: Fixtures.password)
        let taken = AuthUserAttributes(phone: "+12125550123")
        #expect(await refused { _ = try await service.update(user: taken) } == "422 phone_exists")
        let changed = try await service.update(user: AuthUserAttributes(phone: "+14155550123"))
        #expect(changed.newPhone == "14155550123" && changed.phone == "491701234567")
        try await service.resendText(to: Self.number, for: .phoneChange)
        #expect(memory.texts.map(\.kind) == [.phoneChange, .phoneChange])
        let session = try await redeem(
            try code(.phoneChange, to: "+14155550123"), from: "+14155550123", for: .phoneChange)
        #expect(session.user.phone == "14155550123" && session.user.newPhone == nil)
        #expect(await opens(Fixtures.password) == "400 invalid_credentials")
        #expect(await opens(Fixtures.password, "+14155550123") == nil)
    }

    @Test("A second factor's code answers only its own challenge")
    func factor() async throws {
        memory.addAccount(phone: "+12125550123", password: Fixtures.password)
        _ = try await service.signIn(phone: "+12125550123", password: Fixtures.password)
        let factor = try await service.enrollPhone(Self.number, friendlyName: "mine")
        #expect(factor.type == .phone && factor.phone == Self.number)
        let first = try await service.sendCode(of: factor.id)
        let old = try code(.secondFactor)
        let second = try await service.sendCode(of: factor.id)
        func verify(_ code: String, _ challenge: AuthFactorChallenge) async -> String? {
            await refused { _ = try await service.verify(code: code, of: factor.id, answering: challenge.id) }
        }
        #expect(await verify(old, second) == "422 mfa_verification_failed")
        #expect(await verify(old, first) == nil)
        #expect(await verify(old, first) == "422 mfa_verification_failed")
        #expect(try await service.factors().map(\.status) == [.verified])
        #expect(
            await refused { _ = try await service.enrollPhone(Self.number, friendlyName: "again") }
                == "422 mfa_verified_factor_exists")
        try await service.removeFactor(id: factor.id)
        #expect(try await service.factors().isEmpty)
    }

    @Test("A server without telephone numbers refuses them")
    func disabled() async throws {
        memory.addAccount(email: "ada@example.com")
        _ = try await service.signIn(email: "ada@example.com", password: Fixtures.password)
        memory.serverSettings.allowsPhone = false
        memory.serverSettings.allowsPhoneFactors = false
        #expect(await refused { try await service.sendSignInText(to: Self.number) } == "400 phone_provider_disabled")
        #expect(await opens(Fixtures.password) == "422 phone_provider_disabled")
        let change = AuthUserAttributes(phone: Self.number)
        #expect(await refused { _ = try await service.update(user: change) } == "422 phone_provider_disabled")
        #expect(
            await refused { _ = try await service.enrollPhone(Self.number, friendlyName: nil) }
                == "422 mfa_phone_enroll_not_enabled")
        #expect(memory.texts.isEmpty)
    }

    @Test(
        "Faults of messages have the server's codes",
        arguments: [
            (.textFailed, "422 sms_send_failed"), (.phoneDisabled, "400 phone_provider_disabled"),
            (.rateLimited(retryAfter: .seconds(42)), "429 over_sms_send_rate_limit"),
        ] as [(InMemoryAuthService.Fault, String)])
    func faults(_ fault: InMemoryAuthService.Fault, _ failure: String) async throws {
        memory.meet(fault, at: .sendText)
        #expect(await refused { try await service.sendSignInText(to: Self.number) } == failure)
        #expect(memory.texts.isEmpty && memory.pendingFaults.isEmpty)
    }
}
