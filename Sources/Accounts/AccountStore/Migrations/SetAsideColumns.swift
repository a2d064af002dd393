import SQLDatabase

extension Accounts {
    static let setAside: [SQL] = [
        // For display; and the passwords themselves.
        "ALTER TABLE users ADD COLUMN set_aside \(.json)",
        "ALTER TABLE users ADD COLUMN former_email \(.text)",
        "ALTER TABLE users ADD COLUMN former_email_moved_at \(.instant)",
        "ALTER TABLE passkeys ADD COLUMN set_aside_at \(.instant)",
        "ALTER TABLE identities ADD COLUMN set_aside_at \(.instant)",
    ]

    static let usersByFormerEmail: SQL =
        "CREATE INDEX users_by_former_email ON users (former_email) WHERE former_email IS NOT NULL"
}
