import SQLDatabase

extension Accounts {
    static let oauthTables: [SQL] = [
        """
        CREATE TABLE oauth_clients (
            id             \(.uuid) PRIMARY KEY,
            document_url   \(.text) UNIQUE,                                      -- its client_id, if it has one
            registration   \(.text) NOT NULL,
            metadata       \(.json) NOT NULL,                                    -- RFC 7591
            secret_digest  \(.bytes) CHECK (length(secret_digest) = 32),
            is_verified    \(.flag) NOT NULL DEFAULT 0 CHECK (is_verified IN (0, 1)),
            created_at     \(.instant) NOT NULL,
            updated_at     \(.instant) NOT NULL,
            fresh_until    \(.instant)                                           -- of the document's content
        ) \(.table)
        """,
        "CREATE INDEX oauth_clients_by_time ON oauth_clients (created_at, id)",
        """
        CREATE INDEX oauth_clients_unvouched ON oauth_clients (updated_at)
            WHERE registration <> 'manual' AND is_verified = 0
        """,
        """
        CREATE TABLE oauth_authorizations (
            id           \(.uuid) PRIMARY KEY,
            client_id    \(.uuid) NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
            user_id      \(.uuid) REFERENCES users (id) ON DELETE CASCADE,       -- the first who looked
            flow         \(.text) NOT NULL,
            status       \(.text) NOT NULL,
            request      \(.json) NOT NULL,
            user_agent   \(.text),
            ip           \(.text),
            user_code    \(.text) UNIQUE,                                        -- RFC 8628
            code_digest  \(.bytes) UNIQUE CHECK (length(code_digest) = 32),      -- of a code, or of a device's code
            approval     \(.json),                                               -- by which session, with what proofs
            session_id   \(.uuid),                                               -- that the code opened
            polled_at    \(.instant),
            created_at   \(.instant) NOT NULL,
            expires_at   \(.instant) NOT NULL
        ) \(.table)
        """,
        "CREATE INDEX oauth_authorizations_by_user ON oauth_authorizations (user_id, created_at)",
        "CREATE INDEX oauth_authorizations_by_client ON oauth_authorizations (client_id)",
        "CREATE INDEX oauth_authorizations_by_expiry ON oauth_authorizations (expires_at)",
        """
        CREATE TABLE oauth_consents (
            user_id     \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            client_id   \(.uuid) NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
            scopes      \(.text) NOT NULL,
            resources   \(.json) NOT NULL,
            granted_at  \(.instant) NOT NULL,
            PRIMARY KEY (user_id, client_id)
        ) \(.table)
        """,
        "CREATE INDEX oauth_consents_by_client ON oauth_consents (client_id)",
        // No foreign key: a client's sessions end before it is deleted, with a reason.
        "ALTER TABLE sessions ADD COLUMN oauth_client_id \(.uuid)",
        "ALTER TABLE sessions ADD COLUMN oauth_grant \(.json)",
        // RFC 9449: the key that the refresh tokens are bound to, and its newest proofs.
        "ALTER TABLE sessions ADD COLUMN key_thumbprint \(.text)",
        "ALTER TABLE sessions ADD COLUMN used_proofs \(.text)",
    ]

    static let sessionsByClient: SQL = """
        CREATE INDEX sessions_by_client ON sessions (oauth_client_id, user_id) WHERE oauth_client_id IS NOT NULL
        """
}
