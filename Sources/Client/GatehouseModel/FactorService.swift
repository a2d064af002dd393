public import Foundation
public import Gatehouse

/// The part of an ``AuthService`` for passkeys, second factors, recovery codes and fresh proofs.
///
/// A custom service without them needs no code: by default every call fails like one that the server does not know.
public protocol FactorService: Sendable {
    /// Lets the user choose a passkey.
    ///
    /// - Throws: `AuthClientError`, as `GatehouseClient.passkeyAssertion(with:style:captchaToken:)`.
    func passkeyAssertion(
        with passkeys: any PasskeyAuthenticator, style: PasskeyRequestStyle
    ) async throws -> PasskeyAssertion

    /// Signs in with the chosen passkey.
    ///
    /// - Throws: `AuthClientError`, as `GatehouseClient.signIn(with:)`. The previous session stays active.
    func signIn(with assertion: PasskeyAssertion) async throws -> AuthSession

    /// Creates a new account's passkey.
    ///
    /// - Throws: `AuthClientError`, as `GatehouseClient.passkeySignUp(email:data:with:captchaToken:)`.
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
    /// - Throws: `AuthClientError`, as `GatehouseClient.signUp(with:redirectTo:telling:captchaToken:)`. The previous session stays active.
    func signUp(with signUp: PasskeySignUp, telling passkeys: any PasskeyAuthenticator) async throws -> AuthSession

    /// Creates a passkey for the signed-in user.
    ///
    /// - Throws: `AuthClientError`, as `GatehouseClient.registerPasskey(with:style:)`.
    func registerPasskey(with passkeys: any PasskeyAuthenticator, style: PasskeyCreationStyle) async throws
        -> AuthPasskey

    /// Fetches the user's passkeys, the oldest first.
    ///
    /// - Throws: `AuthClientError`, with the code `passkey_disabled` if the server has none.
    func passkeys() async throws -> [AuthPasskey]

    /// Renames a passkey.
    ///
    /// - Throws: `AuthClientError`: `refused` with status 404 if the user has no such passkey.
    func renamePasskey(id: UUID, friendlyName: String) async throws

    /// Deletes a passkey.
    ///
    /// - Throws: As ``renamePasskey(id:friendlyName:)``. Codes: `insufficient_aal`, `fresh_sign_in_required`.
    func deletePasskey(id: UUID) async throws

    /// Tells password managers the account's passkeys.
    ///
    /// - Throws: `AuthClientError`, as `GatehouseClient.signalPasskeys(to:)`.
    func signalPasskeys(to passkeys: any PasskeyAuthenticator) async throws

    /// Fetches the user's factors, including unproven ones.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session.
    func factors() async throws -> [AuthFactor]

    /// Adds an authenticator app, which ``verify(code:of:)`` must prove.
    ///
    /// - Throws: `AuthClientError`, as `AuthFactors.enroll(params:)`.
    func enrollApp(issuer: String?, friendlyName: String?) async throws -> AuthEnrolledFactor

    /// Raises the session with an authenticator app's code.
    ///
    /// - Throws: `AuthClientError`, as `AuthFactors.challengeAndVerify(params:)`.
    func verify(code: String, of factor: UUID) async throws -> AuthSession

    /// Raises the session with a security key.
    ///
    /// - Throws: `AuthClientError`, as `AuthFactors.challengeAndVerify(factorId:with:)`.
    func verify(_ factor: UUID, with keys: any PasskeyAuthenticator) async throws -> AuthSession

    /// Removes a factor.
    ///
    /// - Throws: `AuthClientError`, as `AuthFactors.unenroll(params:)`.
    func removeFactor(id: UUID) async throws

    /// Returns the number of remaining recovery codes; nil if there are none.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session.
    func recoveryCodes() async throws -> AuthRecoveryCodesStatus?

    /// Generates the recovery codes, or replaces all of them.
    ///
    /// - Throws: `AuthClientError`, as `AuthFactorRecoveryCodes.generate(friendlyName:)`.
    func makeRecoveryCodes(replacing: Bool) async throws -> AuthRecoveryCodes

    /// Deletes the recovery codes.
    ///
    /// - Throws: `AuthClientError`, as `AuthFactorRecoveryCodes.unenroll()`.
    func deleteRecoveryCodes() async throws

    /// Raises the session with a recovery code, which is single-use.
    ///
    /// - Throws: `AuthClientError`, as `AuthFactorRecoveryCodes.verify(code:)`.
    func verify(recoveryCode: String) async throws -> AuthSession

    /// Signs the same user in again with a password, as a fresh proof.
    ///
    /// - Throws: `AuthClientError`, with code `invalid_credentials`. The current session stays active.
    func signInAgain(password: String) async throws -> AuthSession

    /// Signs the same user in again with a passkey, as a fresh proof.
    ///
    /// - Throws: `AuthClientError`: `otherAccount` for another account's passkey. The current session stays active.
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
