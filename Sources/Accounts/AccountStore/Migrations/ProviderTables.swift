import SQLDatabase

extension Accounts {
    static let provenAddresses: [SQL] = [
        """
        ALTER TABLE users ADD COLUMN email_proven_at \(.instant)
            CHECK (email_proven_at IS NULL OR (email IS NOT NULL AND email_confirmed_at IS NOT NULL))
        """,
        "ALTER TABLE identities ADD COLUMN email_verified \(.flag) NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1))",
        // Whether and since when the provider does not forward emails.
        "ALTER TABLE identities ADD COLUMN mail_stopped \(.flag) NOT NULL DEFAULT 0 CHECK (mail_stopped IN (0, 1))",
        "ALTER TABLE identities ADD COLUMN mail_noticed_at \(.instant)",
        // The identity that opened the session; null for the account's own password. No foreign key: the session in
        // which the user unlinks the identity stays active.
        "ALTER TABLE sessions ADD COLUMN identity_id \(.uuid)",
    ]

    static let provenImports: [Dialect: [SQL]] = [
        .sqlite: [
            """
            UPDATE identities SET email_verified = 1
            WHERE provider NOT IN ('email', 'phone') AND email IS NOT NULL
            AND json_type(identity_data, '$.email_verified') = 'true'
            """, provenImportedUsers,
        ],
        .postgresql: [
            """
            UPDATE identities SET email_verified = 1
            WHERE provider NOT IN ('email', 'phone') AND email IS NOT NULL
            AND (identity_data::jsonb) -> 'email_verified' = 'true'::jsonb
            """, provenImportedUsers,
        ],
    ]

    private static let provenImportedUsers: SQL = """
        UPDATE users SET email_proven_at = email_confirmed_at
        WHERE email IS NOT NULL AND email_confirmed_at IS NOT NULL AND deleted_at IS NULL AND EXISTS (
            SELECT 1 FROM identities
            WHERE identities.user_id = users.id AND identities.email = users.email AND identities.email_verified = 1)
        """

    static let flows: [SQL] = [
        """
        CREATE TABLE flow_states (
            digest            \(.bytes) PRIMARY KEY CHECK (length(digest) = 32),  -- SHA-256 of the state
            provider          \(.text) NOT NULL,
            browser_digest    \(.bytes) CHECK (length(browser_digest) = 32),      -- SHA-256 of what the browser keeps
            sealed            \(.bytes) NOT NULL,                                 -- verifier and nonce
            challenge         \(.text),
            challenge_method  \(.text) CHECK (challenge_method IN ('s256', 'plain')),
            redirect_to       \(.text) NOT NULL,
            link_to           \(.uuid) REFERENCES users (id) ON DELETE CASCADE,
            link_session      \(.uuid),
            created_at        \(.instant) NOT NULL,
            expires_at        \(.instant) NOT NULL,
            used_at           \(.instant),
            CHECK ((challenge IS NULL) = (challenge_method IS NULL))
        ) \(.table)
        """,
        "CREATE INDEX flow_states_by_end ON flow_states (expires_at)",
        "CREATE INDEX flow_states_by_user ON flow_states (link_to)",
        """
        CREATE TABLE authorization_codes (
            digest            \(.bytes) PRIMARY KEY CHECK (length(digest) = 32),  -- SHA-256 of the code
            user_id           \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            identity_id       \(.uuid) REFERENCES identities (id) ON DELETE CASCADE,
            method            \(.text) NOT NULL,                                  -- of the session that it opens
            challenge         \(.text) NOT NULL,
            challenge_method  \(.text) NOT NULL CHECK (challenge_method IN ('s256', 'plain')),
            provider          \(.text),
            rule              \(.text) NOT NULL,
            sealed            \(.bytes),                                          -- the provider's tokens
            created_at        \(.instant) NOT NULL,
            expires_at        \(.instant) NOT NULL
        ) \(.table)
        """,
        "CREATE INDEX authorization_codes_by_end ON authorization_codes (expires_at)",
        "CREATE INDEX authorization_codes_by_user ON authorization_codes (user_id)",
        "CREATE INDEX authorization_codes_by_identity ON authorization_codes (identity_id)",
    ]

    static let links: [SQL] = [
        """
        CREATE TABLE link_tickets (
            digest       \(.bytes) PRIMARY KEY CHECK (length(digest) = 32),       -- SHA-256 of the ticket
            user_id      \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            provider     \(.text) NOT NULL,
            provider_id  \(.text) NOT NULL,
            sealed       \(.bytes) NOT NULL,                                      -- the identity and its tokens
            created_at   \(.instant) NOT NULL,
            expires_at   \(.instant) NOT NULL,
            UNIQUE (provider, provider_id)
        ) \(.table)
        """,
        "CREATE INDEX link_tickets_by_end ON link_tickets (expires_at)",
        "CREATE INDEX link_tickets_by_user ON link_tickets (user_id)",
        """
        CREATE TABLE link_undos (
            identity_id  \(.uuid) PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
            rule         \(.text) NOT NULL,
            before       \(.json) NOT NULL,                                       -- what the link changed
            linked_at    \(.instant) NOT NULL,
            until        \(.instant) NOT NULL
        ) \(.table)
        """,
        "CREATE INDEX link_undos_by_end ON link_undos (until)",
        """
        CREATE TABLE link_removals (
            provider     \(.text) NOT NULL,
            provider_id  \(.text) NOT NULL,
            user_id      \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            kind         \(.text) NOT NULL CHECK (kind IN ('unlinked', 'undone')),
            created_at   \(.instant) NOT NULL,
            PRIMARY KEY (provider, provider_id, user_id)
        ) \(.table)
        """,
        "CREATE INDEX link_removals_by_user ON link_removals (user_id)",
        """
        CREATE TABLE provider_tokens (
            identity_id  \(.uuid) PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
            client       \(.text) NOT NULL,                                       -- our id there, needed to revoke
            sealed       \(.bytes) NOT NULL,                                      -- the refresh token
            created_at   \(.instant) NOT NULL
        ) \(.table)
        """,
        """
        CREATE TABLE provider_notices (
            digest       \(.bytes) PRIMARY KEY CHECK (length(digest) = 32),       -- SHA-256 of its id
            received_at  \(.instant) NOT NULL
        ) \(.table)
        """,
        "CREATE INDEX provider_notices_by_time ON provider_notices (received_at)",
    ]

    static let outbox: [SQL] = [
        // No foreign keys: tasks outlive their account.
        """
        CREATE TABLE outbox (
            id           \(.uuid) PRIMARY KEY,
            kind         \(.text) NOT NULL,
            details      \(.json) NOT NULL,
            sealed       \(.bytes) NOT NULL,
            sealed_name  \(.text) NOT NULL,                                       -- what it was sealed as
            attempts     \(.integer) NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            next_at      \(.instant) NOT NULL,                                    -- also the end of a lease
            created_at   \(.instant) NOT NULL
        ) \(.table)
        """,
        "CREATE INDEX outbox_by_time ON outbox (next_at)",
    ]
}
