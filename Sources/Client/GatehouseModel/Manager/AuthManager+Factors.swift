public import Foundation
public import Gatehouse

// Second factors and recovery codes. Calls that the server refuses without a proof ask for it, see ``proofQuestion``.
extension AuthManager {
    /// Fetches the user's second factors, also those that are not proven yet.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out.
    public func factors() async throws(AuthError) -> [Factor] {
        try await changing { try await self.service.factors() }
    }

    /// Adds an authenticator app. It protects the account when ``prove(code:of:)`` has proven it.
    ///
    /// - Parameters:
    ///   - issuer: The app's name, as the authenticator app shows it.
    ///   - name: The user's name for it, unique among the factors.
    /// - Throws: ``AuthError``: ``AuthError/nameTaken``, ``AuthError/tooMany``, ``AuthError/notOffered``.
    ///   ``SignInMessage/init(changing:)`` has a text for each.
    public func addApp(issuer: String?, name: String?) async throws(AuthError) -> AuthMFAEnrollResponse {
        try await changing { try await self.service.enrollApp(issuer: issuer, friendlyName: name) }
    }

    /// Removes a factor.
    ///
    /// - Throws: As ``factors()``, and ``AuthError/otherFactorNeeded`` for the last one beside recovery codes.
    public func removeFactor(id: UUID) async throws(AuthError) {
        try await changing { try await self.service.removeFactor(id: id) }
    }

    /// How many recovery codes are left; nil if the user has none.
    ///
    /// - Throws: As ``factors()``.
    public func recoveryCodes() async throws(AuthError) -> AuthMFARecoveryCodesStatusResponse? {
        try await changing { try await self.service.recoveryCodes() }
    }

    /// Creates the recovery codes, or replaces all of them. They are returned only once.
    ///
    /// - Throws: As ``factors()``, and ``AuthError/otherFactorNeeded`` without another factor; ``AuthError/notOffered``.
    public func makeRecoveryCodes(replacing: Bool) async throws(AuthError) -> AuthMFARecoveryCodesGenerateResponse {
        try await changing { try await self.service.makeRecoveryCodes(replacing: replacing) }
    }

    /// Deletes the recovery codes.
    ///
    /// - Throws: As ``factors()``.
    public func deleteRecoveryCodes() async throws(AuthError) {
        try await changing { try await self.service.deleteRecoveryCodes() }
    }
}
