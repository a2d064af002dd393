import SQLDatabase

extension Accounts {
    static let phones: [SQL] = [
        "ALTER TABLE users ADD COLUMN phone_proven_at \(.instant)",
        // No foreign key: see ``addressChangeSession``.
        "ALTER TABLE users ADD COLUMN phone_change_session \(.uuid)",
        // A factor with a number has the kind `totp` and no secret: the table allows no other kind, and an earlier
        // release, which does not know the number, accepts no code for it.
        "ALTER TABLE factors ADD COLUMN phone \(.text) CHECK (phone <> '')",
    ]
}
