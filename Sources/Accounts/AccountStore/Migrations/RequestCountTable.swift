import SQLDatabase

extension Accounts {
    static let requestCounts: [SQL] = [
        // A missing row is a count of zero.
        """
        CREATE TABLE request_counts (
            bucket   \(.text) NOT NULL,
            digest   \(.bytes) NOT NULL CHECK (length(digest) = 32),              -- SHA-256 of whom it counts
            full_at  \(.instant) NOT NULL,                                        -- when all is allowed again
            PRIMARY KEY (bucket, digest)
        ) \(.table)
        """,
        "CREATE INDEX request_counts_by_end ON request_counts (full_at)",
    ]
}
