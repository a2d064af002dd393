import SQLDatabase

extension Accounts {
    /// The session that began the pending change of address. No foreign key: a change without a session waits for its
    /// codes, but one whose session is gone has ended.
    static let addressChangeSession: SQL = "ALTER TABLE users ADD COLUMN address_change_session \(.uuid)"
}
