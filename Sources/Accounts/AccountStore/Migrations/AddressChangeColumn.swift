import SQLDatabase

extension Accounts {
    /// The session that began the waiting change of address. No foreign key: a change whose session is gone has ended, and one
    /// without a session waits for its codes alone.
    static let addressChangeSession: SQL = "ALTER TABLE users ADD COLUMN address_change_session \(.uuid)"
}
