import SQLDatabase

extension Accounts {
    static let firstProofs: [SQL] = [
        // 0 for a link that an administrator passed on: it does not show who reads the mailbox.
        "ALTER TABLE one_time_tokens ADD COLUMN is_mailed \(.flag) NOT NULL DEFAULT 1 CHECK (is_mailed IN (0, 1))",
        // 1 if the address's first proof removed the identity, not its owner.
        "ALTER TABLE link_removals ADD COLUMN by_proof \(.flag) NOT NULL DEFAULT 0 CHECK (by_proof IN (0, 1))",
    ]
}
