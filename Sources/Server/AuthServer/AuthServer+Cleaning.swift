import AccountStore
import HTTPServing

extension AuthServer {
    /// Deletes expired rows that no request cleaned up.
    ///
    /// - Returns: The number of rows. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. The next call deletes the rest.
    package func purgeExpired() async throws -> Int {
        let removed = try await accounts.factors.removeDueFactors(at: runtime.now())
        return try await removed + accounts.cleaning.purgeExpired(at: runtime.now())
    }

    /// Deletes one batch of rows older than the settings allow.
    ///
    /// - Returns: The number of rows. Call again after a pause until it is 0.
    /// - Throws: ``DatabaseFailure``. The next call deletes the rest.
    package func removeOutdated() async throws -> Int { try await accounts.cleaning.removeOutdated(at: runtime.now()) }

    /// Scans part of the sessions and deletes the long-ended ones.
    ///
    /// - Returns: The number deleted.
    /// - Throws: ``DatabaseFailure``. The next call deletes the rest.
    package func removeEndedSessions() async throws -> Int {
        try await accounts.cleaning.removeEndedSessions(at: runtime.now())
    }
}
