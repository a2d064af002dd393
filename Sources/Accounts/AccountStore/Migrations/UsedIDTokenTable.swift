import SQLDatabase

extension Accounts {
    static let usedIDTokens: [SQL] = [
        """
        CREATE TABLE used_id_tokens (
            digest      \(.bytes) PRIMARY KEY CHECK (length(digest) = 32),       -- SHA-256 of what is signed
            used_at     \(.instant) NOT NULL,                                    -- for the first time
            expires_at  \(.instant) NOT NULL
        ) \(.table)
        """,
        "CREATE INDEX used_id_tokens_by_end ON used_id_tokens (expires_at)",
    ]
}
