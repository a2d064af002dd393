package import AccountDomain
import GatehouseWire
import SQLDatabase

// What a strict policy has to know: with which of a session's refresh tokens an access token came that was used.
extension Accounts {
    /// Notes that an access token which came with a refresh token has been used. An older one changes nothing.
    ///
    /// - Parameter counter: Of the refresh token.
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

    /// Whether an access token that came with the session's current refresh token has been used.
    func wasUsed(_ session: Session) async throws -> Bool {
        try await database.read { db in
            try db.row("SELECT used_counter FROM sessions WHERE id = \(session.id)") { $0.intIfPresent(0) } ?? nil
        } == session.counter
    }
}
