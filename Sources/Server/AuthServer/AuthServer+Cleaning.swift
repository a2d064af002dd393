import AccountStore
import HTTPServing

// Background work. Any node may do it.
extension AuthServer {
    /// Deletes expired rows that no request cleaned up.
    ///
    /// - Returns: The number of rows deleted. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. The next call deletes the rows.
    package func purgeExpired() async throws -> Int {
        let removed = try await accounts.factors.removeDueFactors(at: runtime.now())
        return try await removed + accounts.cleaning.purgeExpired(at: runtime.now())
    }

    /// Deletes a batch of the rows that are older than the settings allow.
    ///
    /// - Returns: The number of rows deleted. Call again after a pause until it is 0.
    /// - Throws: ``DatabaseFailure``. A later call deletes the rest.
    package func removeOutdated() async throws -> Int { try await accounts.cleaning.removeOutdated(at: runtime.now()) }

    /// Scans a part of all sessions and deletes those that ended long ago.
    ///
    /// - Returns: The number of sessions deleted.
    /// - Throws: ``DatabaseFailure``. A later call deletes the rest.
    package func removeEndedSessions() async throws -> Int {
        try await accounts.cleaning.removeEndedSessions(at: runtime.now())
    }
}
