public import Foundation
public import Gatehouse

extension AuthManager {
    /// The user's second factors and recovery codes. A change that needs a proof asks for it, see ``proofQuestion``.
    public var factors: Factors { Factors(manager: self) }

    /// The user's second factors and recovery codes. A change that needs a proof asks for it, see ``proofQuestion``. See ``AuthManager/factors``.
    @MainActor
    public struct Factors {
        let manager: AuthManager
    }
}

extension AuthManager.Factors {
    /// Fetches the user's second factors, also those that are not proven yet.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out.
    public func list() async throws(AuthError) -> [AuthFactor] {
        try await manager.changing { try await manager.service.factors() }
    }

    /// Adds an authenticator app. It protects the account when ``AuthManager/Proofs/prove(code:of:)`` has proven it.
    ///
    /// - Parameters:
    ///   - issuer: The app's name, as the authenticator app shows it.
    ///   - name: The user's name for it, unique among the factors.
    /// - Throws: ``AuthError``: ``AuthError/nameTaken``, ``AuthError/tooMany``, ``AuthError/notOffered``.
    ///   ``SignInMessage/init(changing:)`` has a text for each.
    public func addApp(issuer: String?, name: String?) async throws(AuthError) -> AuthEnrolledFactor {
        try await manager.changing { try await manager.service.enrollApp(issuer: issuer, friendlyName: name) }
    }

    /// Removes a factor.
    ///
    /// - Throws: As ``list()``, and ``AuthError/otherFactorNeeded`` for the last one other than recovery codes.
    public func remove(id: UUID) async throws(AuthError) {
        try await manager.changing { try await manager.service.removeFactor(id: id) }
    }

    /// How many recovery codes are left; nil if the user has none.
    ///
    /// - Throws: As ``list()``.
    public func recoveryCodes() async throws(AuthError) -> AuthRecoveryCodesStatus? {
        try await manager.changing { try await manager.service.recoveryCodes() }
    }

    /// Creates the recovery codes, or replaces all of them. They are returned only once.
    ///
    /// - Throws: As ``list()``, and ``AuthError/otherFactorNeeded`` without another factor; ``AuthError/notOffered``.
    public func makeRecoveryCodes(replacing: Bool) async throws(AuthError) -> AuthRecoveryCodes {
        try await manager.changing { try await manager.service.makeRecoveryCodes(replacing: replacing) }
    }

    /// Deletes the recovery codes.
    ///
    /// - Throws: As ``list()``.
    public func deleteRecoveryCodes() async throws(AuthError) {
        try await manager.changing { try await manager.service.deleteRecoveryCodes() }
    }
}
