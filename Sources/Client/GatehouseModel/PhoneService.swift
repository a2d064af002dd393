public import Foundation
public import Gatehouse

/// The part of an ``AuthService`` for telephone numbers, which are in E.164 format with `+`.
///
/// By default, every call fails like one that the server does not know.
public protocol PhoneService: Sendable {
    /// Creates an account.
    ///
    /// - Returns: `user` if the user must first confirm the number with the texted code.
    /// - Throws: As `GatehouseClient.signUp(phone:password:channel:data:captchaToken:)`.
    func signUp(phone: String, password: String, firstName: String?) async throws -> SessionOrUser

    /// Signs in with a password.
    ///
    /// - Throws: As `GatehouseClient.signIn(phone:password:captchaToken:)`.
    func signIn(phone: String, password: String) async throws -> AuthSession

    /// Texts a code to sign in with, or to create an account if the server accepts new ones.
    ///
    /// - Throws: `over_sms_send_rate_limit`; `sms_send_failed`; `phone_provider_disabled`.
    func sendSignInText(to phone: String) async throws

    /// Texts a pending code again.
    ///
    /// - Parameter phone: The number, also for a change the current one.
    /// - Throws: As ``sendSignInText(to:)``.
    func resendText(to phone: String, for purpose: PhoneCodeType) async throws

    /// Redeems a texted code.
    ///
    /// - Parameter password: The password just typed, which the account adopts if it waits or is set aside.
    /// - Throws: `otp_expired` for a wrong, used or expired code; `over_request_rate_limit` after too many.
    func verify(
        code: String, textedTo phone: String, for purpose: PhoneCodeType, password: String?
    ) async throws -> SessionOrUser

    /// Adds a number as a second factor, to prove with its code.
    ///
    /// - Throws: As `AuthFactors.enroll(params:)`.
    func enrollPhone(_ phone: String, friendlyName: String?) async throws -> AuthEnrolledFactor

    /// Texts a second factor's code.
    ///
    /// - Throws: As `AuthFactors.challenge(params:)`.
    func sendCode(of factor: UUID) async throws -> AuthFactorChallenge

    /// Raises the session with a texted code.
    ///
    /// - Throws: As `AuthFactors.verify(params:)`.
    func verify(code: String, of factor: UUID, answering challenge: UUID) async throws -> AuthSession
}

extension PhoneService {
    private var unknown: AuthClientError { .refused(AuthRefusal(status: 404, code: nil)) }

    public func signUp(phone: String, password: String, firstName: String?) async throws -> SessionOrUser {
        throw unknown
    }
    public func signIn(phone: String, password: String) async throws -> AuthSession { throw unknown }
    public func sendSignInText(to phone: String) async throws { throw unknown }
    public func resendText(to phone: String, for purpose: PhoneCodeType) async throws { throw unknown }
    public func verify(
        code: String, textedTo phone: String, for purpose: PhoneCodeType, password: String?
    ) async throws -> SessionOrUser { throw unknown }
    public func enrollPhone(_ phone: String, friendlyName: String?) async throws -> AuthEnrolledFactor {
        throw unknown
    }
    public func sendCode(of factor: UUID) async throws -> AuthFactorChallenge { throw unknown }
    public func verify(code: String, of factor: UUID, answering challenge: UUID) async throws -> AuthSession {
        throw unknown
    }
}
