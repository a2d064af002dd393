public import Foundation
public import Gatehouse

extension LiveAuthService {
    public func signUp(phone: String, password: String, firstName: String?) async throws -> SessionOrUser {
        try await client.signUp(
            phone: phone, password: password, data: firstName.map { ["first_name": .string($0)] })
    }

    public func signIn(phone: String, password: String) async throws -> AuthSession {
        try await client.signIn(phone: phone, password: password)
    }

    public func sendSignInText(to phone: String) async throws { try await client.signInWithOTP(phone: phone) }

    public func resendText(to phone: String, for purpose: PhoneCodeType) async throws {
        try await client.resend(phone: phone, type: purpose)
    }

    public func verify(
        code: String, textedTo phone: String, for purpose: PhoneCodeType, password: String?
    ) async throws -> SessionOrUser {
        guard let password else { return try await client.verifyOTP(phone: phone, token: code, type: purpose) }
        return try await client.verifyOTP(phone: phone, token: code, type: purpose, password: password)
    }

    public func enrollPhone(_ phone: String, friendlyName: String?) async throws -> AuthEnrolledFactor {
        try await client.mfa.enroll(params: .phone(friendlyName: friendlyName, phone: phone))
    }

    public func sendCode(of factor: UUID) async throws -> AuthFactorChallenge {
        try await client.mfa.challenge(params: FactorChallengeParams(factorId: factor, channel: .sms))
    }

    public func verify(code: String, of factor: UUID, answering challenge: UUID) async throws -> AuthSession {
        try await client.mfa.verify(
            params: FactorVerifyParams(factorId: factor, challengeId: challenge, code: code))
    }
}
