public import Foundation
public import Gatehouse
import GatehouseWire

/// The result of changing the telephone number.
public enum PhoneChange: Hashable, Sendable {
    /// The account has the new number.
    case changed
    /// The new number awaits its texted code.
    case checkMessages
}

extension AuthManager {
    /// Text messages with codes.
    public nonisolated var texts: Texts { Texts(manager: self) }

    /// Requests text messages. See ``AuthManager/texts``.
    public struct Texts: Sendable {
        let manager: AuthManager
    }

    var phoneCodeLengths: ClosedRange<Int> { serverSettings?.phoneCodeLength.map { $0...$0 } ?? 6...10 }
}

extension AuthManager.Texts {
    /// Texts a code to sign in with, to a new or existing user.
    ///
    /// ```swift
    /// try await account.texts.sendSignIn(to: "+491701234567")
    /// // The user reads the code in the message.
    /// try await account.signIn(withCode: code, textedTo: "+491701234567")
    /// ```
    ///
    /// - Parameter phone: In E.164 format; see ``PhoneForm/number``.
    /// - Throws: ``AuthError``, such as ``AuthError/rateLimited(retryAfter:)``, ``AuthError/textNotSent`` or
    ///   ``AuthError/phoneDisabled``.
    public func sendSignIn(to phone: String) async throws(AuthError) {
        do { try await manager.service.sendSignInText(to: phone) } catch { throw AuthError(error) }
    }

    /// Texts a sign-up's code again. Does not reveal accounts.
    ///
    /// - Throws: As ``sendSignIn(to:)``.
    public func resendConfirmation(to phone: String) async throws(AuthError) {
        do { try await manager.service.resendText(to: phone, for: .sms) } catch { throw AuthError(error) }
    }
}

extension AuthManager {
    /// Signs in with the code of ``Texts/sendSignIn(to:)`` or of a sign-up.
    ///
    /// - Parameter password: The sign-up's, or one rejected with ``AuthError/credentialSetAside(_:)``. The account
    ///   adopts a waiting or set-aside password; any other is ignored.
    /// - Throws: ``AuthError``, such as ``AuthError/codeWrong``.
    @discardableResult
    public func signIn(
        withCode code: String, textedTo phone: String, password: String? = nil
    ) async throws(AuthError) -> SignInOutcome {
        try await redeem(by: .phone) {
            try await self.service.verify(code: code, textedTo: phone, for: .sms, password: password)
        }
    }

    /// Signs in with a telephone number and a password.
    ///
    /// - Throws: As ``signInWithEmail(_:password:)``, and ``AuthError/phoneNotConfirmed``.
    @discardableResult
    public func signInWithPhone(_ phone: String, password: String) async throws(AuthError) -> SignInOutcome {
        try await authenticate(.phone) { .session(try await self.service.signIn(phone: phone, password: password)) }
    }

    /// Creates an account with a telephone number and a password.
    ///
    /// - Returns: ``SignInOutcome/checkMail`` if ``signIn(withCode:textedTo:password:)`` must follow.
    /// - Throws: As ``signUpWithEmail(_:password:firstName:)`` and ``Texts/sendSignIn(to:)``.
    @discardableResult
    public func signUpWithPhone(
        _ phone: String, password: String, firstName: String? = nil
    ) async throws(AuthError) -> SignInOutcome {
        try await authenticate(.phone, signingUp: phone) {
            try await self.service.signUp(phone: phone, password: password, firstName: firstName)
        }
    }
}

extension AuthManager.Credentials {
    /// Changes or sets the account's telephone number.
    ///
    /// - Parameters:
    ///   - phone: In E.164 format; see ``PhoneForm/number``.
    ///   - current: The password, after ``AuthError/currentPasswordRequired``.
    /// - Throws: ``AuthError``, such as ``AuthError/phoneInUse``. After ``AuthError/offline(_:)`` the number may be
    ///   changed.
    public func changePhone(_ phone: String, current: String? = nil) async throws(AuthError) -> PhoneChange {
        let change = AuthUserAttributes(phone: phone, currentPassword: current)
        let account = try await manager.changing { try await manager.service.update(user: change) }
        return AuthenticatedUser(account).phone == phone ? .changed : .checkMessages
    }

    /// Confirms a change of number with the texted code.
    ///
    /// - Parameter phone: The new number.
    /// - Throws: As ``changePhone(_:current:)``, and ``AuthError/codeWrong``.
    public func confirmPhone(withCode code: String, textedTo phone: String) async throws(AuthError) {
        _ = try await manager.changing {
            try await manager.service.verify(code: code, textedTo: phone, for: .phoneChange, password: nil)
        }
    }

    /// Texts the code for ``AuthenticatedUser/newPhone``, if any, again.
    ///
    /// - Throws: As ``changePhone(_:current:)``, and ``AuthError/rateLimited(retryAfter:)``.
    public func resendPhoneChange() async throws(AuthError) {
        guard let user = manager.user else { throw .notAuthenticated }
        guard let new = user.newPhone else { return }
        // The server finds the account by its current number.
        guard let current = user.phone else {
            _ = try await changePhone(new)
            return
        }
        try await manager.changing { try await manager.service.resendText(to: current, for: .phoneChange) }
    }
}

extension AuthManager.Factors {
    /// Adds a telephone number, to prove with ``AuthManager/Proofs/sendCode(to:)`` and
    /// ``AuthManager/Proofs/prove(code:of:)``.
    ///
    /// - Parameter phone: In E.164 format; see ``PhoneForm/number``. Also its name.
    /// - Throws: ``AuthError/nameTaken`` if the number is a factor, ``AuthError/tooMany``, ``AuthError/notOffered``.
    public func addPhone(_ phone: String) async throws(AuthError) -> AuthEnrolledFactor {
        try await manager.changing { try await manager.service.enrollPhone(phone, friendlyName: phone) }
    }
}

extension AuthManager.Proofs {
    /// Texts the code of a telephone factor, including a new one. Only the newest code is valid.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/rateLimited(retryAfter:)``.
    public func sendCode(to factor: UUID) async throws(AuthError) {
        do {
            manager.challenges[factor] = try await manager.service.sendCode(of: factor).id
        } catch {
            throw AuthError(error)
        }
    }
}
