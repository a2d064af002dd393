package import AccountDomain
import GatehouseWire
import SQLDatabase

// For strict session policies.
extension SessionStore {
    /// Records the use of an access token. One older than the recorded one changes nothing.
    ///
    /// - Parameter counter: Of the refresh token that the access token was issued with.
    package func noteUse(of session: SessionID, counter: Int64) async throws {
        try await database.write { db in
            _ = try db.run(
                """
                UPDATE sessions SET used_counter = \(counter)
                WHERE id = \(session) AND refresh_token_counter >= \(counter)
                    AND (used_counter IS NULL OR used_counter < \(counter))
                """)
        }
    }

    /// Whether an access token issued with the current refresh token has been used.
    func wasUsed(_ session: Session) async throws -> Bool {
        try await database.row("SELECT used_counter FROM sessions WHERE id = \(session.id)") { $0.intIfPresent() }
            == session.counter
    }
}
