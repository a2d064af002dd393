import SQLDatabase

extension Accounts {
    static let transfers: [SQL] = [
        """
        CREATE TABLE import_keys (
            id          \(.integer) PRIMARY KEY CHECK (id = 1),
            sealed      \(.bytes) NOT NULL,                                      -- the key of the digests below
            created_at  \(.instant) NOT NULL
        ) \(.table)
        """,
        // Outlives the session, so that a second import does not restore it.
        """
        CREATE TABLE imported_sessions (
            id       \(.uuid) PRIMARY KEY,
            user_id  \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE
        ) \(.table)
        """,
        "CREATE INDEX imported_sessions_by_user ON imported_sessions (user_id)",
        """
        CREATE TABLE imported_refresh_tokens (
            digest      \(.bytes) PRIMARY KEY CHECK (length(digest) = 32),       -- HMAC-SHA-256 of the token
            session_id  \(.uuid) NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            counter     \(.integer) NOT NULL CHECK (counter BETWEEN 0 AND 2)     -- which of our tokens it stands for
        ) \(.table)
        """,
        "CREATE INDEX imported_refresh_tokens_by_session ON imported_refresh_tokens (session_id)",
    ]
}
