import SQLDatabase

extension Accounts {
    static let revocations: [SQL] = [
        // No foreign key: tokens outlive their session and account.
        """
        CREATE TABLE revocations (
            id        \(.uuid) PRIMARY KEY,                                      -- of a session or of a user
            noted_at  \(.instant) NOT NULL,
            until     \(.instant)                                                -- NULL: for good
        ) \(.table)
        """,
        "CREATE INDEX revocations_by_time ON revocations (noted_at)",
    ]
}
