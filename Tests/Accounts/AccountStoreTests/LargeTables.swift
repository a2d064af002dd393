import AccountStore
import GatehouseWire
import SQLDatabase
import Seeding
import TestDatabases
import Testing

/// Shared by a suite's tests, which only read. Filled on first use.
actor LargeTables {
    @TaskLocal private static var current: LargeTables?
    private var stores: [TestDatabase: Task<StoreFixture, any Error>] = [:]

    /// - Precondition: The suite has the trait ``Testing/Trait/largeTables``.
    static func of(_ kind: TestDatabase) async throws -> StoreFixture {
        try await #require(current).store(kind)
    }

    private func store(_ kind: TestDatabase) async throws -> StoreFixture {
        if let store = stores[kind] { return try await store.value }
        let store = Task {
            let store = try await StoreFixture(kind, isNew: true)
            // PostgreSQL reads a whole index for a bulk deletion from a smaller table.
            try await store.fillTables(people: kind == .sqlite ? 5_000 : 10_000)
            return store
        }
        stores[kind] = store
        return try await store.value
    }

    struct Shared: SuiteTrait, TestScoping {
        func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            try await LargeTables.$current.withValue(LargeTables(), operation: function)
        }
    }
}

extension Trait where Self == LargeTables.Shared {
    static var largeTables: Self { Self() }
}

// Large enough for the plans of even larger tables.
extension StoreFixture {
    func fillTables(people: Int) async throws {
        let seeded = SeededPeople(accounts, seed: 1, passwordHash: Secret("$hash$"), at: clock.now)
        for start in stride(from: 0, to: people, by: SeedStore.seedBatch) {
            _ = try await accounts.seeds.add(seeded, start..<min(people, start + SeedStore.seedBatch))
        }
        let digest: SQL =
            storage.database.dialect == .postgresql
            ? "sha256(convert_to(CAST(id AS text), 'UTF8'))" : "randomblob(32)"
        let coded: SQL =
            storage.database.dialect == .postgresql ? "\(digest) || CAST('\\x00' AS bytea)" : "randomblob(33)"
        for statement in Self.copies(digest) + Self.passkeys(digest) + Self.mails(digest, coded) + Self.counts
            + Self.clients(digest)
        {
            try await storage.database.write { db in try db.run(statement) }
        }
        while try await accounts.searchIndex.update(limit: 500) > 0 {}
        for table in Self.tables { try await storage.database.write { db in try db.run(table) } }
    }

    private static func passkeys(_ digest: SQL) -> [SQL] {
        [
            """
            INSERT INTO passkeys (
                id, user_id, credential_id, public_key, algorithm, model, sign_count, is_backup_eligible, is_backed_up,
                transports, attestation, friendly_name, created_at, updated_at)
            SELECT id, id, \(digest), \(digest), -7, \([UInt8](repeating: 0, count: 16)), 0, 0, 0, '[]', 'none',
                'Passkey', created_at, created_at
            FROM users
            """,
            "INSERT INTO used_passkey_challenges (id, expires_at) SELECT id, created_at FROM users",
        ]
    }

    private static func clients(_ digest: SQL) -> [SQL] {
        [
            """
            INSERT INTO oauth_clients (id, registration, metadata, created_at, updated_at)
            SELECT id, 'dynamic', '{}', created_at, created_at FROM users
            """,
            """
            INSERT INTO oauth_authorizations (
                id, client_id, user_id, flow, status, request, code_digest, created_at, expires_at)
            SELECT id, id, id, 'redirect', 'pending', '{}', \(digest), created_at, created_at FROM users
            """,
            """
            INSERT INTO oauth_consents (user_id, client_id, scopes, resources, granted_at)
            SELECT id, id, 'email', '[]', created_at FROM users
            """,
        ]
    }

    private static func copies(_ digest: SQL) -> [SQL] {
        [
            """
            INSERT INTO flow_states (digest, provider, sealed, redirect_to, created_at, expires_at)
            SELECT \(digest), 'google', \(digest), 'myapp://callback', created_at, created_at FROM users
            """,
            """
            INSERT INTO authorization_codes (
                digest, user_id, method, challenge, challenge_method, rule, created_at, expires_at)
            SELECT \(digest), id, 'oauth', 'c', 's256', 'r', created_at, created_at FROM users
            """,
            """
            INSERT INTO link_tickets (digest, user_id, provider, provider_id, sealed, created_at, expires_at)
            SELECT \(digest), id, 'google', CAST(id AS text), \(digest), created_at, created_at FROM users
            """,
            """
            INSERT INTO link_undos (identity_id, rule, before, linked_at, until)
            SELECT id, 'r', '{}', created_at, created_at FROM identities
            """,
            """
            INSERT INTO link_removals (provider, provider_id, user_id, kind, created_at)
            SELECT provider, provider_id, user_id, 'unlinked', created_at FROM identities
            """,
            """
            INSERT INTO provider_tokens (identity_id, client, sealed, created_at)
            SELECT id, 'c', \(digest), created_at FROM identities
            """,
            "INSERT INTO provider_notices (digest, received_at) SELECT \(digest), created_at FROM users",
            """
            INSERT INTO outbox (id, kind, details, sealed, sealed_name, next_at, created_at)
            SELECT id, 'revoke_token', '{}', \(digest), 'n', created_at, created_at FROM users
            """,
            "INSERT INTO request_counts (bucket, digest, full_at) SELECT 'b', \(digest), created_at FROM users",
            "INSERT INTO imported_sessions (id, user_id) SELECT id, user_id FROM sessions",
            """
            INSERT INTO imported_refresh_tokens (digest, session_id, counter) SELECT \(digest), id, 0 FROM sessions
            """,
        ]
    }

    private static func mails(_ digest: SQL, _ coded: SQL) -> [SQL] {
        [
            """
            INSERT INTO one_time_tokens (
                digest, user_id, slot, kind, address, code_digest, by_admin, redirect_to, created_at, expires_at)
            SELECT \(digest), id, 'recovery', 'recovery', coalesce(email, ''), \(coded), 0, '', created_at, created_at
            FROM users
            """,
            """
            INSERT INTO mail_outbox (id, lane, kind, place, state, next_at, expires_at, created_at)
            SELECT id, 'codes', 'recovery', \(digest), 'queued', created_at, created_at, created_at FROM users
            """,
            """
            INSERT INTO mail_outbox (id, lane, kind, place, state, next_at, expires_at, created_at, ended_at)
            SELECT id, 'codes', 'recovery', \(digest), 'sent', created_at, created_at, created_at, created_at
            FROM identities
            """,
            """
            INSERT INTO ended_sessions (id, user_id, created_at, ended_at, reason, actor)
            SELECT id, user_id, created_at, created_at, 'signed_out', 'user' FROM sessions
            """,
            """
            INSERT INTO webhook_deliveries (
                id, endpoint, kind, user_id, sealed, state, next_at, expires_at, created_at)
            SELECT id, 'app', 'user.created', id, \(digest), 'queued', created_at, created_at, created_at FROM users
            """,
            """
            INSERT INTO webhook_deliveries (
                id, endpoint, kind, user_id, sealed, state, next_at, expires_at, created_at, ended_at)
            SELECT id, 'app', 'user.updated', user_id, \(digest), 'delivered', created_at, created_at, created_at,
                created_at
            FROM identities
            """,
            "INSERT INTO refused_sign_ins (user_id, refusals, last_at) SELECT id, '[]', created_at FROM users",
            "INSERT INTO bans (user_id, reason, actor_name, created_at) SELECT id, 'r', 'a', created_at FROM users",
            "INSERT INTO known_devices (digest, user_id, seen_at) SELECT \(digest), id, created_at FROM users",
        ]
    }

    private static let counts: [SQL] = [
        """
        INSERT INTO event_counts (hour, app, name, method, detail, count)
        SELECT created_at, 'a', CAST(id AS text), '', '', 1 FROM users
        """,
        """
        INSERT INTO activity_counts (hour, name, label, detail, count)
        SELECT 500000 + id_number / 40, 'sign_ins', CAST(id_number AS text), '', 1
        FROM (SELECT row_number() OVER (ORDER BY id) AS id_number FROM users) AS numbered
        """,
        """
        INSERT INTO factors (id, user_id, kind, is_verified, name, created_at, updated_at)
        SELECT id, id, 'totp', 1, 'app', created_at, created_at FROM users
        """,
        """
        INSERT INTO factor_challenges (id, factor_id, created_at, expires_at)
        SELECT id, id, created_at, created_at FROM users
        """,
        """
        INSERT INTO recovery_codes (factor_id, selector, hash) SELECT id, 'ab', '$hash$' FROM users
        """,
    ]

    private static let tables: [SQL] = [
        "ANALYZE one_time_tokens", "ANALYZE mail_outbox", "ANALYZE known_devices", "ANALYZE webhook_deliveries",
        "ANALYZE refused_sign_ins", "ANALYZE bans", "ANALYZE ended_sessions",
        "ANALYZE oauth_clients", "ANALYZE oauth_authorizations", "ANALYZE oauth_consents",
        "ANALYZE users", "ANALYZE identities", "ANALYZE profiles", "ANALYZE sessions", "ANALYZE audit_log",
        "ANALYZE flow_states", "ANALYZE authorization_codes", "ANALYZE link_tickets", "ANALYZE link_undos",
        "ANALYZE link_removals", "ANALYZE provider_tokens", "ANALYZE provider_notices", "ANALYZE outbox",
        "ANALYZE request_counts", "ANALYZE event_counts", "ANALYZE activity_counts", "ANALYZE imported_sessions",
        "ANALYZE imported_refresh_tokens", "ANALYZE search_terms", "ANALYZE search_changes", "ANALYZE search_filling",
        "ANALYZE factors", "ANALYZE factor_challenges", "ANALYZE recovery_codes",
    ]
}
