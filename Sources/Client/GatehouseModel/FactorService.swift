public import Foundation
public import Gatehouse

/// The part of an ``AuthService`` for passkeys, second factors, recovery codes and fresh proofs.
///
/// By default, every call fails like one that the server does not know.
public protocol FactorService: Sendable {
    /// Lets the user choose a passkey.
    ///
    /// - Throws: As `GatehouseClient.passkeyAssertion(with:style:captchaToken:)`.
    func passkeyAssertion(
        with passkeys: any PasskeyAuthenticator, style: PasskeyRequestStyle
    ) async throws -> PasskeyAssertion

    /// Signs in with the chosen passkey.
    ///
    /// - Throws: As `GatehouseClient.signIn(with:)`.
    func signIn(with assertion: PasskeyAssertion) async throws -> AuthSession

    /// Creates a new account's passkey.
    ///
    /// - Throws: As `GatehouseClient.passkeySignUp(email:data:with:captchaToken:)`.
    func passkeySignUp(
        email: String, firstName: String?, with passkeys: any PasskeyAuthenticator
    ) async throws -> PasskeySignUp

    /// Creates a new account's passkey in the system's sheet, which asks for name and address.
    ///
    /// - Throws: `PasskeyAccountProblem`, or `AuthClientError`, as
    ///   `GatehouseClient.passkeySignUp(inSheetOf:captchaToken:)`.
    func passkeySignUp(inSheetOf passkeys: any PasskeyAuthenticator) async throws -> PasskeySignUp

    /// Creates the account.
    ///
    /// - Throws: As `GatehouseClient.signUp(with:redirectTo:telling:captchaToken:)`.
    func signUp(with signUp: PasskeySignUp, telling passkeys: any PasskeyAuthenticator) async throws -> AuthSession

    /// Creates a passkey for the signed-in user.
    ///
    /// - Throws: As `GatehouseClient.registerPasskey(with:style:)`.
    func registerPasskey(with passkeys: any PasskeyAuthenticator, style: PasskeyCreationStyle) async throws
        -> AuthPasskey

    /// Fetches the user's passkeys, oldest first.
    ///
    /// - Throws: `passkey_disabled` if the server has none.
    func passkeys() async throws -> [AuthPasskey]

    /// Renames a passkey.
    ///
    /// - Throws: `refused` with status 404 for an unknown passkey.
    func renamePasskey(id: UUID, friendlyName: String) async throws

    /// Deletes a passkey.
    ///
    /// - Throws: As ``renamePasskey(id:friendlyName:)``; `insufficient_aal`, `fresh_sign_in_required`.
    func deletePasskey(id: UUID) async throws

    /// Tells password managers the account's passkeys.
    ///
    /// - Throws: As `GatehouseClient.signalPasskeys(to:)`.
    func signalPasskeys(to passkeys: any PasskeyAuthenticator) async throws

    /// Fetches the user's factors, including unproven ones.
    func factors() async throws -> [AuthFactor]

    /// Adds an authenticator app, which ``verify(code:of:)`` must prove.
    ///
    /// - Throws: As `AuthFactors.enroll(params:)`.
    func enrollApp(issuer: String?, friendlyName: String?) async throws -> AuthEnrolledFactor

    /// Raises the session with an authenticator app's code.
    ///
    /// - Throws: As `AuthFactors.challengeAndVerify(params:)`.
    func verify(code: String, of factor: UUID) async throws -> AuthSession

    /// Raises the session with a security key.
    ///
    /// - Throws: As `AuthFactors.challengeAndVerify(factorId:with:)`.
    func verify(_ factor: UUID, with keys: any PasskeyAuthenticator) async throws -> AuthSession

    /// Removes a factor.
    ///
    /// - Throws: As `AuthFactors.unenroll(params:)`.
    func removeFactor(id: UUID) async throws

    /// Returns the number of remaining recovery codes, if any.
    func recoveryCodes() async throws -> AuthRecoveryCodesStatus?

    /// Generates the recovery codes, or replaces all of them.
    ///
    /// - Throws: As `AuthFactorRecoveryCodes.generate(friendlyName:)`.
    func makeRecoveryCodes(replacing: Bool) async throws -> AuthRecoveryCodes

    /// Deletes the recovery codes.
    ///
    /// - Throws: As `AuthFactorRecoveryCodes.unenroll()`.
    func deleteRecoveryCodes() async throws

    /// Raises the session with a recovery code, which is single-use.
    ///
    /// - Throws: As `AuthFactorRecoveryCodes.verify(code:)`.
    func verify(recoveryCode: String) async throws -> AuthSession

    /// Signs the same user in again with a password, as a fresh proof.
    ///
    /// - Throws: `invalid_credentials`.
    func signInAgain(password: String) async throws -> AuthSession

    /// Signs the same user in again with a passkey, as a fresh proof.
    ///
    /// - Throws: `otherAccount` for another account's passkey.
    func signInAgain(with passkeys: any PasskeyAuthenticator) async throws -> AuthSession
}

// For services without these calls.
extension FactorService {
    private var unknown: AuthClientError { .refused(AuthRefusal(status: 404, code: nil)) }

    public func passkeyAssertion(
        with _: any PasskeyAuthenticator, style _: PasskeyRequestStyle
    ) async throws -> PasskeyAssertion { throw unknown }
    public func signIn(with _: PasskeyAssertion) async throws -> AuthSession { throw unknown }
    public func passkeySignUp(
        email _: String, firstName _: String?, with _: any PasskeyAuthenticator
    ) async throws -> PasskeySignUp { throw unknown }
    public func passkeySignUp(inSheetOf _: any PasskeyAuthenticator) async throws -> PasskeySignUp { throw unknown }
    public func signUp(with _: PasskeySignUp, telling _: any PasskeyAuthenticator) async throws -> AuthSession {
        throw unknown
    }
    public func registerPasskey(
        with _: any PasskeyAuthenticator, style _: PasskeyCreationStyle
    ) async throws -> AuthPasskey { throw unknown }
    public func passkeys() async throws -> [AuthPasskey] { throw unknown }
    public func renamePasskey(id _: UUID, friendlyName _: String) async throws { throw unknown }
    public func deletePasskey(id _: UUID) async throws { throw unknown }
    public func signalPasskeys(to _: any PasskeyAuthenticator) async throws { throw unknown }
    public func factors() async throws -> [AuthFactor] { throw unknown }
    public func enrollApp(issuer _: String?, friendlyName _: String?) async throws -> AuthEnrolledFactor {
        throw unknown
    }
    public func verify(code _: String, of _: UUID) async throws -> AuthSession { throw unknown }
    public func verify(_: UUID, with _: any PasskeyAuthenticator) async throws -> AuthSession { throw unknown }
    public func removeFactor(id _: UUID) async throws { throw unknown }
    public func recoveryCodes() async throws -> AuthRecoveryCodesStatus? { throw unknown }
    public func makeRecoveryCodes(replacing _: Bool) async throws -> AuthRecoveryCodes {
        throw unknown
    }
    public func deleteRecoveryCodes() async throws { throw unknown }
    public func verify(recoveryCode _: String) async throws -> AuthSession { throw unknown }
    public func signInAgain(password _: String) async throws -> AuthSession { throw unknown }
    public func signInAgain(with _: any PasskeyAuthenticator) async throws -> AuthSession { throw unknown }
}
