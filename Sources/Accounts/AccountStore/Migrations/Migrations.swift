package import SQLDatabase

extension Accounts {
    /// Append only: released migrations never change. `Profiles.migrations` of the gateway have the missing numbers.
    package static let migrations: [Migration] = [
        Migration(1, "users and identities", [users, usersByEmail, identities, identitiesByUser, identitiesByEmail]),
        Migration(2, "sessions", [sessions, sessionsByUser]),
        Migration(3, "audit log", [auditLog, auditLogByTime]),
        Migration(4, "signing keys", [signingKeys]),
        Migration(
            6, "confirmed and proven are two facts", provenAddresses, dialectStatements: provenImports,
            changing: ["users", "identities", "sessions"]),
        Migration(7, "sign-in through providers", flows, changing: ["users", "identities"]),
        Migration(8, "links between identities and accounts", links, changing: ["users", "identities"]),
        Migration(9, "outbox", outbox),
        Migration(10, "counts that nodes share", requestCounts),
        Migration(11, "sessions that began elsewhere", transfers, changing: ["users", "sessions"]),
        Migration(12, "users by time", indexes: [usersByTime]),
        Migration(13, "sessions and people whose tokens are refused", revocations),
        Migration(14, "ID tokens that were used", usedIDTokens),
        Migration(15, "refresh tokens whose access tokens were used", usedTokens),
        Migration(17, "mailed codes", oneTimeTokens),
        Migration(18, "mails to send", mailOutbox),
        Migration(19, "devices that an account has used", knownDevices),
        Migration(20, "addresses that refuse mails", [undeliverable]),
        Migration(21, "first proofs of addresses", firstProofs, changing: ["one_time_tokens", "link_removals"]),
        Migration(22, "events for webhooks", webhooks),
        Migration(23, "records of ended sessions", endedSessions, dialectStatements: unexplainedEnds),
        Migration(24, "what is stored about a user", indexes: personalRecordIndexes),
        Migration(
            26, "searches of administrators", dialectStatements: SearchIndexes.functions,
            indexes: SearchIndexes.ofStates,
            dialectIndexes: SearchIndexes.ofTexts),
        Migration(27, "counted sign-ins and refreshes", activity),
        Migration(28, "second factors", factors, changing: ["users", "sessions"]),
        Migration(29, "passkeys", passkeys),
        Migration(30, "sessions that began a change of address", [addressChangeSession]),
        Migration(
            31, "credentials that are set aside", setAside, changing: ["users", "identities", "passkeys"],
            indexes: [usersByFormerEmail]),
        Migration(32, "telephone numbers", phones, changing: ["users", "factors"]),
        Migration(
            33, "OAuth clients, and keys of sessions", oauthTables, changing: ["users", "sessions"],
            indexes: [sessionsByClient]),
        Migration(34, "refused sign-ins, and reasons of bans", refusals),
        Migration(
            35, "terms of searches", dialectStatements: SearchTables.ofDialects,
            changing: ["users", "identities", "profiles"], indexes: SearchTables.indexes),
        Migration(
            36, "child sessions", childSessions, changing: ["sessions", "ended_sessions"], indexes: [sessionsByParent]),
        Migration(
            37, "reports of unknown devices", deviceReports, changing: ["known_devices"], indexes: [deviceReportIndex]),
    ]

    private static let users: SQL = """
        CREATE TABLE users (
            id                        \(.uuid) PRIMARY KEY,
            aud                       \(.text) NOT NULL,
            role                      \(.text) NOT NULL,
            email                     \(.text) CHECK (email = lower(email) AND email <> ''),
            phone                     \(.text) UNIQUE CHECK (phone <> ''),
            password_hash             \(.text) CHECK (password_hash <> ''),      -- PHC or crypt text
            app_metadata              \(.json) NOT NULL,
            user_metadata             \(.json) NOT NULL,
            is_anonymous              \(.flag) NOT NULL DEFAULT 0 CHECK (is_anonymous IN (0, 1)),
            is_sso_user               \(.flag) NOT NULL DEFAULT 0 CHECK (is_sso_user IN (0, 1)),
            new_email                 \(.text),
            new_phone                 \(.text),
            created_at                \(.instant) NOT NULL,                      -- microseconds since 1970
            updated_at                \(.instant) NOT NULL,
            email_confirmed_at        \(.instant),
            phone_confirmed_at        \(.instant),
            last_sign_in_at           \(.instant),
            invited_at                \(.instant),
            confirmation_sent_at      \(.instant),
            recovery_sent_at          \(.instant),
            email_change_sent_at      \(.instant),
            phone_change_sent_at      \(.instant),
            reauthentication_sent_at  \(.instant),
            banned_until              \(.instant),
            deleted_at                \(.instant)
        ) \(.table)
        """

    private static let usersByEmail: SQL = "CREATE UNIQUE INDEX users_by_email ON users (email) WHERE is_sso_user = 0"

    // For paging, newest first.
    private static let usersByTime: SQL = "CREATE INDEX users_by_time ON users (created_at, id)"

    private static let identities: SQL = """
        CREATE TABLE identities (
            id               \(.uuid) PRIMARY KEY,
            user_id          \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            provider         \(.text) NOT NULL CHECK (provider <> ''),
            provider_id      \(.text) NOT NULL,
            identity_data    \(.json) NOT NULL,
            email            \(.text) CHECK (email = lower(email)),              -- of identity_data
            last_sign_in_at  \(.instant),
            created_at       \(.instant) NOT NULL,
            updated_at       \(.instant) NOT NULL,
            UNIQUE (provider, provider_id)
        ) \(.table)
        """

    private static let identitiesByUser: SQL = "CREATE INDEX identities_by_user ON identities (user_id)"
    private static let identitiesByEmail: SQL = "CREATE INDEX identities_by_email ON identities (email)"

    private static let sessions: SQL = """
        CREATE TABLE sessions (
            id                     \(.uuid) PRIMARY KEY,
            user_id                \(.uuid) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            refresh_token_counter  \(.integer) NOT NULL DEFAULT 0 CHECK (refresh_token_counter >= 0),
            aal                    \(.text) NOT NULL CHECK (aal IN ('aal1', 'aal2', 'aal3')),
            amr                    \(.json) NOT NULL,                            -- newest first
            user_agent             \(.text),
            ip                     \(.text),
            created_at             \(.instant) NOT NULL,
            refreshed_at           \(.instant)
        ) \(.table)
        """

    private static let sessionsByUser: SQL = "CREATE INDEX sessions_by_user ON sessions (user_id)"

    // No foreign key: the log outlives the account.
    private static let auditLog: SQL = """
        CREATE TABLE audit_log (
            id          \(.uuid) PRIMARY KEY,
            action      \(.text) NOT NULL,
            log_type    \(.text) NOT NULL,
            actor_id    \(.uuid),
            actor_name  \(.text) NOT NULL,
            traits      \(.json) NOT NULL,
            ip_address  \(.text) NOT NULL DEFAULT '',
            created_at  \(.instant) NOT NULL
        ) \(.table)
        """

    private static let auditLogByTime: SQL = "CREATE INDEX audit_log_by_time ON audit_log (created_at)"

    private static let signingKeys: SQL = """
        CREATE TABLE signing_keys (
            id           \(.text) PRIMARY KEY,
            private_key  \(.bytes) NOT NULL,                                     -- sealed under a server secret
            created_at   \(.instant) NOT NULL,
            retired_at   \(.instant)                                             -- signs nothing new from then on
        ) \(.table)
        """
}
