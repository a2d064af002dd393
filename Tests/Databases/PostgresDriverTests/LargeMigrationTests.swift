import Foundation
import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

/// Version 0.2.0, which serves while the next one migrates its database.
private enum EarlierProgram {
    /// Its last migration.
    static let level = 16

    static func fill(_ accounts: Int) -> [SQL] {
        let id: SQL = "CAST(lpad(to_hex(n), 32, '0') AS uuid)"
        let numbers: SQL = "generate_series(1, \(Int64(accounts))) AS n"
        return [
            """
            INSERT INTO users (id, aud, role, email, app_metadata, user_metadata, created_at, updated_at, email_confirmed_at)
            SELECT \(id), 'authenticated', 'authenticated', 'person-' || n || '@example.com',
                '{"provider":"email","providers":["email"]}', '{}', now(), now(), now()
            FROM \(numbers)
            """,
            """
            INSERT INTO identities (id, user_id, provider, provider_id, identity_data, email, created_at, updated_at)
            SELECT \(id), \(id), 'email', 'person-' || n, '{}', 'person-' || n || '@example.com',
                now(), now()
            FROM \(numbers)
            """,
            """
            INSERT INTO sessions (id, user_id, aal, amr, created_at) SELECT \(id), \(id), 'aal1', '[]', now() FROM \(numbers)
            """,
        ]
    }

    static func signIn(_ email: String, in database: PostgresDatabase) async throws {
        try await database.write { db in
            let id = try db.row("SELECT id FROM users WHERE email = \(email) AND is_sso_user = 0") { $0.text() }
            let session = try db.row("SELECT gen_random_uuid()") { $0.text() }
            try db.run(
                """
                INSERT INTO sessions (id, user_id, aal, amr, user_agent, created_at)
                VALUES (\(session), \(id), 'aal1', '[]', 'app', now())
                """)
            try db.run("UPDATE users SET last_sign_in_at = now(), updated_at = now() WHERE id = \(id)")
            try db.run("UPDATE identities SET last_sign_in_at = now() WHERE user_id = \(id)")
            try db.run(
                """
                INSERT INTO audit_log (id, action, log_type, actor_id, actor_name, traits, created_at)
                VALUES (\(session), 'login', 'account', \(id), \(email), '{}', now())
                """)
        }
    }
}

@Suite("PostgreSQL: migrations of a database with many accounts", .needsServer)
struct LargeMigrationTests {
    private let accounts = Int(ProcessInfo.processInfo.environment["GATEHOUSE_MIGRATED_ACCOUNTS"] ?? "") ?? 1_000

    @Test("Everybody who signs in to the earlier program during a migration gets in")
    func signInsDuringMigrations() async throws {
        let bench = try await Bench()
        let migrator = try bench.open(1)
        let (before, after) = (
            TestDatabase.migrations.filter { $0.number <= EarlierProgram.level },
            TestDatabase.migrations.filter { $0.number > EarlierProgram.level }
        )
        try await migrator.migrate(before)
        for statement in EarlierProgram.fill(accounts) {
            try await migrator.write { db in try db.run(statement) }
        }
        // After these limits a sign-in fails.
        let standard = PostgresSettings()
        let service = try bench.open(
            2, change: { ($0.waitLimit, $0.statementLimit) = (standard.waitLimit, standard.statementLimit) })
        var (signIns, longest) = (0, Duration.zero)
        for migration in after {
            let known = TestDatabase.migrations.filter { $0.number <= migration.number }
            let ends = Tally()
            let work = Task {
                defer { ends.add() }
                try await migrator.migrate(known)
            }
            repeat {
                let began = uptime()
                try await EarlierProgram.signIn("person-\(signIns % accounts + 1)@example.com", in: service)
                longest = max(longest, uptime() - began)
                signIns += 1
            } while ends.value == 0
            _ = try await work.value
        }
        #expect(try await migrator.appliedMigrations() == TestDatabase.migrations.map(\.number))
        let stored = try await migrator.row("SELECT count(*) FROM sessions") { $0.int() }
        #expect(stored == Int64(accounts + signIns))
        print("figure: \(accounts) accounts, \(after.count) migrations, \(signIns) sign-ins, the slowest in \(longest)")
    }
}
