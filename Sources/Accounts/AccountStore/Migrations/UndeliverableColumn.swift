import SQLDatabase

extension Accounts {
    /// Null again when a mail server accepts an email.
    static let undeliverable: SQL = "ALTER TABLE users ADD COLUMN email_undeliverable_at \(.instant)"
}
