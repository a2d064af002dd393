import SQLDatabase

extension Accounts {
    /// When a mail server refused the account's address for good; null again when it accepts a mail.
    static let undeliverable: SQL = "ALTER TABLE users ADD COLUMN email_undeliverable_at \(.instant)"
}
