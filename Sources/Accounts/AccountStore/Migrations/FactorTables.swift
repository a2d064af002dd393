import SQLDatabase

// The previous release reads and writes none of this.
extension Accounts {
    static let factors: [SQL] = [
        """
        CREATE TABLE factors (
            id                 \(.uuid) PRIMARY KEY,
            user_id            \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            kind               \(.text) NOT NULL CHECK (kind IN ('totp', 'webauthn', 'recovery_code')),
            is_verified        \(.flag) NOT NULL CHECK (is_verified IN (0, 1)),
            name               \(.text) NOT NULL,
            created_at         \(.instant) NOT NULL,
            updated_at         \(.instant) NOT NULL,
            challenged_at      \(.instant),                                      -- the last time
            failures           \(.integer) NOT NULL DEFAULT 0 CHECK (failures >= 0),
            locked_until       \(.instant),
            removal_at         \(.instant),                                      -- by an administrator
            sealed_secret      \(.bytes),                                        -- of codes by time
            last_step          \(.integer),                                      -- of the last accepted code by time
            credential_id      \(.bytes),                                        -- of a WebAuthn key, as the rest
            public_key         \(.bytes),                                        -- COSE
            sign_count         \(.integer),
            aaguid             \(.uuid),
            transports         \(.json),
            is_backup_eligible \(.flag),
            is_backed_up       \(.flag)
        ) \(.table)
        """,
        "CREATE INDEX factors_by_user ON factors (user_id, created_at)",
        "CREATE UNIQUE INDEX factors_by_name ON factors (user_id, name) WHERE name <> ''",
        "CREATE UNIQUE INDEX recovery_sets_by_user ON factors (user_id) WHERE kind = 'recovery_code'",
        "CREATE UNIQUE INDEX factors_by_credential ON factors (credential_id) WHERE credential_id IS NOT NULL",
        // For unverified factors, and an administrator's removals.
        "CREATE INDEX factors_by_time ON factors (created_at) WHERE is_verified = 0",
        "CREATE INDEX factors_by_removal ON factors (removal_at) WHERE removal_at IS NOT NULL",
        """
        CREATE TABLE factor_challenges (
            id          \(.uuid) PRIMARY KEY,
            factor_id   \(.uuid) NOT NULL REFERENCES factors (id) ON DELETE CASCADE,
            created_at  \(.instant) NOT NULL,
            expires_at  \(.instant) NOT NULL,
            used_at     \(.instant),
            data        \(.text)                                                 -- what a WebAuthn answer has to match
        ) \(.table)
        """,
        "CREATE INDEX factor_challenges_by_factor ON factor_challenges (factor_id)",
        "CREATE INDEX factor_challenges_by_time ON factor_challenges (expires_at)",
        """
        CREATE TABLE recovery_codes (
            factor_id  \(.uuid) NOT NULL REFERENCES factors (id) ON DELETE CASCADE,
            selector   \(.text) NOT NULL CHECK (length(selector) = 2),           -- the first letters of the code
            hash       \(.text) NOT NULL,                                        -- Argon2id of the whole code
            used_at    \(.instant),
            PRIMARY KEY (factor_id, selector)
        ) \(.table)
        """,
        // Here, so that reading a user takes no further statement.
        "ALTER TABLE users ADD COLUMN factors \(.json)",
        """
        ALTER TABLE users ADD COLUMN has_second_factor \(.flag) NOT NULL DEFAULT 0 CHECK (has_second_factor IN (0, 1))
        """,
        // No foreign key: a removal sets it to null, together with the level.
        "ALTER TABLE sessions ADD COLUMN factor_id \(.uuid)",
        "ALTER TABLE sessions ADD COLUMN level_counter \(.integer) NOT NULL DEFAULT 0",
    ]
}
