public import Foundation
public import Gatehouse

extension AuthManager {
    /// The user's second factors and recovery codes.
    public var factors: Factors { Factors(manager: self) }

    /// Manages second factors and recovery codes. See ``AuthManager/factors``.
    ///
    /// Changes may raise ``AuthManager/proofQuestion``.
    @MainActor
    public struct Factors {
        let manager: AuthManager
    }
}

extension AuthManager.Factors {
    /// Fetches the user's second factors, including unproven ones.
    public func list() async throws(AuthError) -> [AuthFactor] {
        try await manager.changing { try await manager.service.factors() }
    }

    /// Adds an authenticator app, to prove with ``AuthManager/Proofs/prove(code:of:)``.
    ///
    /// - Parameters:
    ///   - issuer: The app's name in the authenticator app.
    ///   - name: Unique among the factors.
    /// - Throws: ``AuthError/nameTaken``, ``AuthError/tooMany``, ``AuthError/notOffered``.
    public func addApp(issuer: String?, name: String?) async throws(AuthError) -> AuthEnrolledFactor {
        try await manager.changing { try await manager.service.enrollApp(issuer: issuer, friendlyName: name) }
    }

    /// Removes a factor.
    ///
    /// - Throws: ``AuthError/otherFactorNeeded`` for the last one other than recovery codes.
    public func remove(id: UUID) async throws(AuthError) {
        try await manager.changing { try await manager.service.removeFactor(id: id) }
    }

    /// Returns the number of remaining recovery codes, if any.
    public func recoveryCodes() async throws(AuthError) -> AuthRecoveryCodesStatus? {
        try await manager.changing { try await manager.service.recoveryCodes() }
    }

    /// Generates the recovery codes, or replaces all of them. They are returned only once.
    ///
    /// - Throws: ``AuthError/otherFactorNeeded`` without another factor; ``AuthError/notOffered``.
    public func makeRecoveryCodes(replacing: Bool) async throws(AuthError) -> AuthRecoveryCodes {
        try await manager.changing { try await manager.service.makeRecoveryCodes(replacing: replacing) }
    }

    /// Deletes the recovery codes.
    public func deleteRecoveryCodes() async throws(AuthError) {
        try await manager.changing { try await manager.service.deleteRecoveryCodes() }
    }
}
