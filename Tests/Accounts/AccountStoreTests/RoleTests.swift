import AccountDomain
import AccountStore
import GatehouseWire
import PostgresDriver
import ProfileGateway
import SQLDatabase
import TestDatabases
import Testing

@Suite("Least-privilege roles", .enabled("needs PostgreSQL") { TestCluster.programs != nil })
struct RoleTests {
    private let clock = TestClock()
    private var now: Instant { clock.now }

    private func accounts(of roles: TestRoles) throws -> Accounts {
        let randomness = TestRandomness()
        return Accounts(
            database: try roles.open(.service), secrets: StoreFixture.secrets, randomBytes: { randomness.bytes($0) })
    }

    private func signUp(_ email: String, _ accounts: Accounts) async throws -> UserID {
        let signUp = SignUpRequest(
            email: EmailAddress(email)!, passwordHash: Secret("$hash$"), metadata: ["first_name": "Ada"],
            isConfirmed: true)
        let outcome = try await accounts.signIns.signUp(signUp, from: Device(userAgent: nil, address: nil), at: now)
        guard case .signedIn(let issued) = outcome else { throw NotSignedIn() }
        return issued.account.user.id
    }

    /// - Returns: The SQLSTATE of the refusal.
    private func refusal(_ database: PostgresDatabase, _ statement: SQL) async -> String? {
        do {
            try await database.write { db in _ = try db.run(statement) }
            return nil
        } catch {
            return (error as? DatabaseFailure)?.code
        }
    }

    @Test("The service role can do its work and can change no schema and no history")
    func service() async throws {
        let roles = try await TestRoles(TestCluster.running())
        let accounts = try accounts(of: roles)
        try await accounts.database.migrate(TestDatabase.migrations)
        let user = try await signUp("ada@example.com", accounts)
        let profiles = Profiles(database: accounts.database)
        let id = try #require(AccountID(user.text))
        #expect(try await profiles.profile(of: id)?.firstName == "Ada")
        _ = try await accounts.softDelete(user, at: now)
        #expect(try await profiles.profile(of: id) == nil)
        #expect(try await accounts.delete(user, actor: nil, at: now))
        _ = try await accounts.cleaning.purgeExpired(at: now)
        _ = try await accounts.cleaning.removeEndedSessions(at: now + .seconds(100 * 86_400))
        #expect(try await accounts.cleaning.removeOutdated(at: now + .seconds(100 * 86_400)) == 1)
        // The log needs a separate grant.
        var limited = accounts
        limited.retention.auditLog = .seconds(86_400)
        let failure = await #expect(throws: DatabaseFailure.self) {
            try await limited.cleaning.removeOutdated(at: now + .seconds(100 * 86_400))
        }
        #expect(failure?.code == "42501")
        let database = try roles.open(.service)
        for statement: SQL in [
            "DROP TABLE audit_log", "CREATE TABLE extra (id INTEGER)", "ALTER TABLE users ADD COLUMN extra INTEGER",
            "DELETE FROM audit_log", "UPDATE audit_log SET actor_name = ''", "TRUNCATE users",
            "DELETE FROM schema_migrations", "ALTER TABLE profiles DISABLE ROW LEVEL SECURITY",
            "DROP POLICY own_profile ON profiles",
        ] {
            #expect(await refusal(database, statement) == "42501", "\(statement.text)")
        }
    }

    @Test("C5: The trigger creates the profile for any role, whatever its search path")
    func trigger() async throws {
        let roles = try await TestRoles(TestCluster.running())
        let owner = try roles.open(.migrator)
        try await owner.write { db in
            _ = try db.run(SQL(stringLiteral: "REVOKE INSERT ON profiles FROM \(roles.name(of: .service))"))
            // Comes first on the search path.
            _ = try db.run("CREATE TEMPORARY TABLE profiles (id uuid, first_name text)")
            _ = try db.run(
                """
                INSERT INTO users (id, aud, role, app_metadata, user_metadata, created_at, updated_at)
                VALUES ('6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60', 'a', 'r', '{}', '{"first_name":"Grace"}',
                    \(SQLValue.instant(0)), \(SQLValue.instant(0)))
                """)
            #expect(try db.row("SELECT count(*) FROM profiles") { $0.int() } == 0)
            _ = try db.run("DROP TABLE pg_temp.profiles")
            #expect(try db.row("SELECT first_name FROM profiles") { $0.text() } == "Grace")
        }
        _ = try await signUp("ada@example.com", accounts(of: roles))
        let made = try await owner.read { db in
            try db.row(
                """
                SELECT count(*), bool_and(prosecdef), min(proconfig::text) FROM profiles, pg_proc
                WHERE oid = 'profile_comes_with_user()'::regprocedure
                """
            ) { ($0.int(), $0.bool(), $0.text()) }
        }
        #expect(made?.0 == 2)
        #expect(made?.1 == true)
        #expect(made?.2 == #"{"search_path=\"\""}"#)
    }

    @Test("JSON that text cannot hold is not a name, and does not prevent a sign-up")
    func oddNames() async throws {
        let storage = try await TestDatabase.postgres.open()
        for (number, name) in [#""\u0000""#, #""a\u0000b""#, #""\ud800""#].enumerated() {
            try await storage.database.write { db in
                _ = try db.run(
                    """
                    INSERT INTO users (id, aud, role, app_metadata, user_metadata, created_at, updated_at)
                    VALUES (\("6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f6\(number)"), 'a', 'r', '{}',
                        \("{\"first_name\":\(name)}"), \(SQLValue.instant(0)), \(SQLValue.instant(0)))
                    """)
            }
        }
        let counts = try await storage.database.read { db in
            try db.row("SELECT count(*), count(first_name) FROM profiles") { [$0.int(), $0.int()] }
        }
        #expect(counts == [3, 0])
    }

    @Test("The holder role reads its own profile and changes its own columns")
    func holder() async throws {
        let roles = try await TestRoles(TestCluster.running())
        let accounts = try accounts(of: roles)
        let (ada, grace) = (
            try await signUp("ada@example.com", accounts), try await signUp("grace@example.com", accounts)
        )
        let superuser = try roles.open(nil)
        func asHolder<Value: Sendable>(
            _ claims: String?, _ body: @escaping @Sendable (any Connection) throws -> Value
        ) async throws -> Value {
            try await superuser.write { db in
                if let claims { _ = try db.row("SELECT set_config('request.jwt.claims', \(claims), true)") { _ in } }
                _ = try db.run(SQL(stringLiteral: "SET LOCAL ROLE \(roles.name(of: .holder))"))
                return try body(db)
            }
        }
        let own = "{\"sub\":\"\(ada.text)\"}"
        let seen = try await asHolder(own) { db in try db.rows("SELECT id FROM profiles") { $0.text() } }
        #expect(seen == [ada.text])
        #expect(try await asHolder(own) { db in try db.run("UPDATE profiles SET first_name = 'A'") } == 1)
        for claims in [nil, "", "{}"] {
            #expect(try await asHolder(claims) { db in try db.run("UPDATE profiles SET first_name = 'B'") } == 0)
        }
        for statement: SQL in [
            "UPDATE profiles SET is_premium = 1", "UPDATE profiles SET id = \(grace.text)", "DELETE FROM profiles",
            "INSERT INTO profiles (id, created_at, updated_at) VALUES (\(grace.text), now(), now())",
            "SELECT id FROM users", "SELECT private_key FROM signing_keys",
        ] {
            let failure = await #expect(throws: DatabaseFailure.self) {
                try await asHolder(own) { db in try db.run(statement) }
            }
            #expect(failure?.code == "42501", "\(statement.text)")
        }
        let names = try await superuser.read { db in
            try db.rows("SELECT first_name FROM profiles ORDER BY first_name") { $0.text() }
        }
        #expect(names == ["A", "Ada"])
    }
}
