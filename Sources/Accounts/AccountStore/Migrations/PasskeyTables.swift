import SQLDatabase

extension Accounts {
    static let passkeys: [SQL] = [
        """
        CREATE TABLE passkeys (
            id                  \(.uuid) PRIMARY KEY,
            user_id             \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            credential_id       \(.bytes) NOT NULL UNIQUE CHECK (length(credential_id) BETWEEN 1 AND 1023),
            public_key          \(.bytes) NOT NULL,                               -- COSE_Key
            algorithm           \(.integer) NOT NULL,                             -- of COSE
            model               \(.bytes) NOT NULL CHECK (length(model) = 16),    -- AAGUID
            sign_count          \(.integer) NOT NULL CHECK (sign_count BETWEEN 0 AND 4294967295),
            is_backup_eligible  \(.flag) NOT NULL CHECK (is_backup_eligible IN (0, 1)),
            is_backed_up        \(.flag) NOT NULL CHECK (is_backed_up IN (0, 1)),
            transports          \(.json) NOT NULL,
            attestation         \(.text) NOT NULL,                                -- the statement's format
            friendly_name       \(.text) NOT NULL,
            created_at          \(.instant) NOT NULL,
            updated_at          \(.instant) NOT NULL,
            last_used_at        \(.instant),
            CHECK (is_backed_up <= is_backup_eligible)
        ) \(.table)
        """,
        "CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at, id)",
        // Challenges are stored only when answered correctly.
        """
        CREATE TABLE used_passkey_challenges (
            id          \(.uuid) PRIMARY KEY,
            expires_at  \(.instant) NOT NULL
        ) \(.table)
        """,
        "CREATE INDEX used_passkey_challenges_by_end ON used_passkey_challenges (expires_at)",
    ]
}
