public import Foundation
public import Gatehouse

extension LiveAuthService {
    public func passkeyAssertion(
        with passkeys: any PasskeyAuthenticator, style: PasskeyRequestStyle
    ) async throws -> PasskeyAssertion { try await client.passkeyAssertion(with: passkeys, style: style) }

    public func signIn(with assertion: PasskeyAssertion) async throws -> AuthSession {
        try await client.signIn(with: assertion)
    }

    public func passkeySignUp(
        email: String, firstName: String?, with passkeys: any PasskeyAuthenticator
    ) async throws -> PasskeySignUp {
        try await client.passkeySignUp(
            email: email, data: firstName.map { ["first_name": .string($0)] }, with: passkeys)
    }

    public func passkeySignUp(inSheetOf passkeys: any PasskeyAuthenticator) async throws -> PasskeySignUp {
        try await client.passkeySignUp(inSheetOf: passkeys)
    }

    public func signUp(with signUp: PasskeySignUp, telling passkeys: any PasskeyAuthenticator) async throws
        -> AuthSession
    {
        try await client.signUp(with: signUp, redirectTo: redirectTo, telling: passkeys)
    }

    public func registerPasskey(
        with passkeys: any PasskeyAuthenticator, style: PasskeyCreationStyle
    ) async throws -> AuthPasskey { try await client.registerPasskey(with: passkeys, style: style) }

    public func passkeys() async throws -> [AuthPasskey] { try await client.listPasskeys() }

    public func renamePasskey(id: UUID, friendlyName: String) async throws {
        try await client.renamePasskey(id: id, friendlyName: friendlyName)
    }

    public func deletePasskey(id: UUID) async throws { try await client.deletePasskey(id: id) }

    public func signalPasskeys(to passkeys: any PasskeyAuthenticator) async throws {
        try await client.signalPasskeys(to: passkeys)
    }

    public func factors() async throws -> [AuthFactor] { try await client.mfa.listFactors().all }

    public func enrollApp(issuer: String?, friendlyName: String?) async throws -> AuthEnrolledFactor {
        try await client.mfa.enroll(params: .totp(issuer: issuer, friendlyName: friendlyName))
    }

    public func verify(code: String, of factor: UUID) async throws -> AuthSession {
        try await client.mfa.challengeAndVerify(params: FactorChallengeAndVerifyParams(factorId: factor, code: code))
    }

    public func verify(_ factor: UUID, with keys: any PasskeyAuthenticator) async throws -> AuthSession {
        try await client.mfa.challengeAndVerify(factorId: factor, with: keys)
    }

    public func removeFactor(id: UUID) async throws {
        try await client.mfa.unenroll(params: FactorUnenrollParams(factorId: id))
    }

    public func recoveryCodes() async throws -> AuthRecoveryCodesStatus? {
        do {
            return try await client.mfa.recoveryCodes.status()
        } catch let error as AuthClientError where error.code == .mfaFactorNotFound {
            return nil
        }
    }

    public func makeRecoveryCodes(replacing: Bool) async throws -> AuthRecoveryCodes {
        let codes = client.mfa.recoveryCodes
        return replacing ? try await codes.regenerate() : try await codes.generate()
    }

    public func deleteRecoveryCodes() async throws { try await client.mfa.recoveryCodes.unenroll() }

    public func verify(recoveryCode: String) async throws -> AuthSession {
        try await client.mfa.recoveryCodes.verify(code: recoveryCode)
    }

    public func signInAgain(password: String) async throws -> AuthSession {
        try await client.signInAgain(password: password)
    }

    public func signInAgain(with passkeys: any PasskeyAuthenticator) async throws -> AuthSession {
        try await client.signInAgain(with: passkeys)
    }
}
