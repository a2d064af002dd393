import SQLDatabase

extension Accounts {
    /// When a mail server permanently refused the account's address; null again when it accepts a mail.
    static let undeliverable: SQL = "ALTER TABLE users ADD COLUMN email_undeliverable_at \(.instant)"
}
