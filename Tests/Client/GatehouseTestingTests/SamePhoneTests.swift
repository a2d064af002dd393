import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Telephone numbers: the server in memory behaves like the real one", .timeLimit(.minutes(5)))
struct SamePhoneTests {
    private static let number = "+491701234567"
    private static let other = "+12125550123"

    private func with(_ kind: ServiceKind, _ test: (ServiceWorld) async throws -> Void) async throws {
        try await ServiceWorld.with(kind, confirms: false, sendsMail: true, textsCodes: true, test)
    }

    private func redeem(
        _ world: ServiceWorld, from phone: String = number, for purpose: PhoneCodeType = .sms, password: String? = nil
    ) async throws -> AuthSession {
        let code = try #require(try await world.textedCode(phone))
        let answer = try await world.service.verify(code: code, textedTo: phone, for: purpose, password: password)
        return try #require(answer.session)
    }

    private func opens(_ password: String, _ world: ServiceWorld, _ phone: String = number) async -> String? {
        await world.failure { try await world.service.signIn(phone: phone, password: password) }
    }

    @Test("A code creates the account, and signs in to it", arguments: ServiceKind.allCases)
    func code(_ kind: ServiceKind) async throws {
        try await with(kind) { world in
            let settings = try await world.service.settings()
            #expect(settings.allowsPhone && settings.allowsPhoneFactors && settings.phoneCodeLength == 6)
            try await world.service.sendSignInText(to: Self.number)
            let first = try await redeem(world)
            #expect(first.user.phone == "491701234567" && first.user.identities?.map(\.provider) == ["phone"])
            world.advance(.seconds(61))
            try await world.service.sendSignInText(to: Self.number)
            #expect(try await redeem(world).user.id == first.user.id)
        }
    }

    @Test("A sign-up waits for its code, which keeps the password", arguments: ServiceKind.allCases)
    func signUp(_ kind: ServiceKind) async throws {
        try await with(kind) { world in
            let answer = try await world.service.signUp(
                phone: Self.number, password: Fixtures.password, firstName: "Ada")
            #expect(answer.session == nil && answer.user?.phone == "491701234567")
            #expect(await opens(Fixtures.password, world) == "refused 400 phone_not_confirmed")
            #expect(await opens("another password", world) == "refused 400 invalid_credentials")
            #expect(try await redeem(world).user.userMetadata["first_name"]?.stringValue == "Ada")
            #expect(await opens(Fixtures.password, world) == nil)
        }
    }

    @Test("A stranger's password is set aside until the owner's code restores it", arguments: ServiceKind.allCases)
    func stranger(_ kind: ServiceKind) async throws {
        try await with(kind) { world in
            _ = try await world.service.signUp(phone: Self.number, password: "the stranger's", firstName: "Eve")
            world.advance(.seconds(61))
            try await world.service.sendSignInText(to: Self.number)
            let owner = try await redeem(world)
            #expect(owner.user.setAside.map(\.kind) == [.password])
            #expect(owner.user.userMetadata["first_name"] == nil)
            world.advance(.seconds(61))
            #expect(await opens("the stranger's", world) == "refused 403 credential_set_aside")
            _ = try await redeem(world, password: "the stranger's")
            #expect(await opens("the stranger's", world) == nil)
        }
    }

    @Test("A new number waits for its code, and a taken one is refused", arguments: ServiceKind.allCases)
    func change(_ kind: ServiceKind) async throws {
        try await with(kind) { world in
            try await world.service.sendSignInText(to: Self.other)
            _ = try await redeem(world, from: Self.other)
            try await world.service.sendSignInText(to: Self.number)
            _ = try await redeem(world)
            let taken = AuthUserAttributes(phone: Self.other)
            let refused = await world.failure { try await world.service.update(user: taken) }
            #expect(refused == "refused 422 phone_exists")
            world.advance(.seconds(61))
            let changed = try await world.service.update(user: AuthUserAttributes(phone: "+14155550123"))
            #expect(changed.newPhone == "14155550123" && changed.phone == "491701234567")
            let session = try await redeem(world, from: "+14155550123", for: .phoneChange)
            #expect(session.user.phone == "14155550123" && session.user.newPhone == nil)
        }
    }

    @Test("A sign-up's unproven number goes to the account that proves it", arguments: ServiceKind.allCases)
    func abandoned(_ kind: ServiceKind) async throws {
        try await with(kind) { world in
            _ = try await world.service.signUp(phone: Self.number, password: "the stranger's", firstName: "Eve")
            try await world.service.sendSignInText(to: Self.other)
            let owner = try await redeem(world, from: Self.other)
            world.advance(.seconds(61))
            _ = try await world.service.update(user: AuthUserAttributes(phone: Self.number))
            let changed = try await redeem(world, for: .phoneChange)
            #expect(changed.user.id == owner.user.id && changed.user.phone == "491701234567")
            #expect(await opens("the stranger's", world) == "refused 400 invalid_credentials")
        }
    }

    @Test("A number is a second factor", arguments: ServiceKind.allCases)
    func factor(_ kind: ServiceKind) async throws {
        try await with(kind) { world in
            try await world.service.sendSignInText(to: Self.other)
            _ = try await redeem(world, from: Self.other)
            let factor = try await world.service.enrollPhone(Self.number, friendlyName: "mine")
            #expect(factor.type == .phone && factor.phone == Self.number)
            let challenge = try await world.service.sendCode(of: factor.id)
            let code = try #require(try await world.textedCode(Self.number))
            let wrong = code == "000000" ? "000001" : "000000"
            let refused = await world.failure {
                try await world.service.verify(code: wrong, of: factor.id, answering: challenge.id)
            }
            #expect(refused == "refused 422 mfa_verification_failed")
            let raised = try await world.service.verify(code: code, of: factor.id, answering: challenge.id)
            #expect(raised.user.factors?.map(\.factorType) == [.phone])
        }
    }
}
