import AccountStore
import HTTPServing

extension AuthServer {
    /// - Returns: The number of rows deleted. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. The next call deletes the rest.
    package func purgeExpired() async throws -> Int {
        let removed = try await accounts.factors.removeDueFactors(at: runtime.now())
        return try await removed + accounts.cleaning.purgeExpired(at: runtime.now())
    }

    /// Deletes one batch.
    ///
    /// - Returns: The number of rows. Call again after a pause until it is 0.
    /// - Throws: As ``purgeExpired()``.
    package func removeOutdated() async throws -> Int { try await accounts.cleaning.removeOutdated(at: runtime.now()) }

    /// Scans part of the sessions.
    ///
    /// - Returns: The number deleted.
    /// - Throws: As ``purgeExpired()``.
    package func removeEndedSessions() async throws -> Int {
        try await accounts.cleaning.removeEndedSessions(at: runtime.now())
    }

    /// Indexes a batch of changed accounts for searches.
    ///
    /// - Returns: The number of accounts. Call again until it is 0.
    /// - Throws: As ``purgeExpired()``.
    package func indexAccounts() async throws -> Int { try await accounts.searchIndex.update() }
}
