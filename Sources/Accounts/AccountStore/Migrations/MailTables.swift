import SQLDatabase

extension Accounts {
    static let oneTimeTokens: [SQL] = [
        """
        CREATE TABLE one_time_tokens (
            digest            \(.bytes) PRIMARY KEY CHECK (length(digest) = 32),  -- SHA-256 of the link's token
            user_id           \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            slot              \(.text) NOT NULL,
            kind              \(.text) NOT NULL,                                  -- of the mail
            address           \(.text) NOT NULL,                                  -- that the mail went to
            code_digest       \(.bytes) NOT NULL CHECK (length(code_digest) = 33), -- under a server secret
            attempts          \(.integer) NOT NULL DEFAULT 0,
            challenge         \(.text),
            challenge_method  \(.text) CHECK (challenge_method IN ('s256', 'plain')),
            browser_digest    \(.bytes) CHECK (length(browser_digest) = 32),      -- of the browser that asked
            by_admin          \(.flag) NOT NULL CHECK (by_admin IN (0, 1)),
            redirect_to       \(.text) NOT NULL,
            sealed            \(.bytes),                                          -- the sign-up that it confirms
            created_at        \(.instant) NOT NULL,
            expires_at        \(.instant) NOT NULL,
            used_at           \(.instant),
            UNIQUE (user_id, slot),
            CHECK ((challenge IS NULL) = (challenge_method IS NULL))
        ) \(.table)
        """,
        "CREATE INDEX one_time_tokens_by_address ON one_time_tokens (address)",
        "CREATE INDEX one_time_tokens_by_end ON one_time_tokens (expires_at)",
    ]

    static let mailOutbox: [SQL] = [
        // No foreign key: the status outlives the account. Requests for addresses without an account are rows too, so
        // that timing does not reveal them.
        """
        CREATE TABLE mail_outbox (
            id          \(.uuid) PRIMARY KEY,
            lane        \(.text) NOT NULL,
            kind        \(.text) NOT NULL,
            place       \(.bytes) NOT NULL CHECK (length(place) = 32),            -- keyed digest of the recipient
            user_id     \(.uuid),
            sealed      \(.bytes),                                                -- gone when the mail is
            state       \(.text) NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
            reason      \(.text),
            attempts    \(.integer) NOT NULL DEFAULT 0,
            next_at     \(.instant) NOT NULL,                                     -- also the end of a lease
            expires_at  \(.instant) NOT NULL,
            created_at  \(.instant) NOT NULL,
            ended_at    \(.instant)
        ) \(.table)
        """,
        "CREATE INDEX mail_outbox_by_time ON mail_outbox (lane, next_at, id) WHERE state = 'queued'",
        // Another condition than the index above, which PostgreSQL would otherwise use without statistics, comparing
        // each of an address's emails with each.
        "CREATE INDEX mail_outbox_by_place ON mail_outbox (place, created_at) WHERE ended_at IS NULL",
        "CREATE INDEX mail_outbox_by_end ON mail_outbox (ended_at) WHERE state <> 'queued'",
        "CREATE INDEX mail_outbox_by_creation ON mail_outbox (created_at)",
    ]
}
