import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import TestSupport
import Testing

/// Written before credentials could be set aside, in each state that the rules treat differently.
@Suite("An upgrade to credentials that are set aside takes nothing from any account")
struct EarlierAccountsTests {
    /// The last level that deleted what the first proof did not vouch for.
    private static let earlier = 29

    /// Reverses every later migration: without one of these statements, migrating again fails.
    private static let reverse: [SQL] = [
        "DROP INDEX users_by_former_email", "ALTER TABLE users DROP COLUMN set_aside",
        "ALTER TABLE users DROP COLUMN former_email", "ALTER TABLE users DROP COLUMN former_email_moved_at",
        "ALTER TABLE passkeys DROP COLUMN set_aside_at", "ALTER TABLE identities DROP COLUMN set_aside_at",
        "ALTER TABLE users DROP COLUMN address_change_session", "ALTER TABLE users DROP COLUMN phone_proven_at",
        "ALTER TABLE users DROP COLUMN phone_change_session", "ALTER TABLE factors DROP COLUMN phone",
        "DROP INDEX known_devices_by_report", "ALTER TABLE known_devices DROP COLUMN report_digest",
        "ALTER TABLE known_devices DROP COLUMN report_until",
        "DROP INDEX sessions_by_parent", "ALTER TABLE sessions DROP COLUMN parent_id",
        "ALTER TABLE sessions DROP COLUMN child", "ALTER TABLE sessions DROP COLUMN ends_at",
        "ALTER TABLE ended_sessions DROP COLUMN parent_id", "ALTER TABLE ended_sessions DROP COLUMN child",
        "DROP INDEX sessions_by_client", "ALTER TABLE sessions DROP COLUMN oauth_client_id",
        "ALTER TABLE sessions DROP COLUMN key_thumbprint", "ALTER TABLE sessions DROP COLUMN used_proofs",
        "ALTER TABLE sessions DROP COLUMN oauth_grant", "DROP TABLE oauth_consents", "DROP TABLE oauth_authorizations",
        "DROP TABLE oauth_clients",
        "DROP INDEX identities_by_provider_id", "DROP INDEX ended_sessions_by_request", "DROP TABLE search_terms",
        "DROP TABLE search_filling",
        "DROP TABLE refused_sign_ins", "DROP TABLE bans",
        "DELETE FROM schema_migrations WHERE number > \(earlier)",
    ]

    private static let triggers = [
        ("users", ["new_user", "user"]), ("identities", ["new_identity", "identity", "old_identity"]),
        ("profiles", ["new_profile", "profile"]),
    ]

    /// The triggers write to the table.
    private static func withoutNotes(_ dialect: Dialect) -> [SQL] {
        let triggers = triggers.flatMap { table, names in
            names.map { name in
                let place = dialect == .postgresql ? " ON \(table)" : ""
                return SQL(stringLiteral: "DROP TRIGGER search_notes_\(name)\(place)")
            }
        }
        let function: [SQL] = dialect == .postgresql ? ["DROP FUNCTION search_notes_change()"] : []
        return triggers + function + ["DROP TABLE search_changes"]
    }

    private func upgrade(_ server: TestServer) async throws {
        try await server.database.write { db in
            for statement in Self.withoutNotes(server.database.dialect) + Self.reverse { _ = try db.run(statement) }
        }
        let later = TestDatabase.migrations.map(\.number).filter { $0 > Self.earlier }
        try await server.database.migrate(TestDatabase.migrations)
        #expect(try await server.database.appliedMigrations().suffix(later.count) == later)
    }

    private func create(_ email: String, _ server: TestServer) async throws {
        let json: AuthJSON = [
            "email": .string(email), "password": .string(TestServer.password), "email_confirm": true,
            "user_metadata": ["name": "Ada"],
        ]
        #expect(try await server.admin(.post, "/users", json: json).status == 200)
    }

    private func code(_ path: String, _ email: String, _ server: TestServer) async throws -> String {
        server.passInterval()
        #expect(try await server.post(path, ["email": .string(email)]).status == 200)
        return try await server.deliveredMail().code
    }

    private func user(_ session: TestSession, _ server: TestServer) async throws -> TestAnswer {
        try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
    }

    @Test("A confirmed and unproven account keeps factor, data, session and password", arguments: TestDatabase.all)
    func unproven(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let email = "ada@example.com"
            try await create(email, server)
            try await server.database.write { db in
                _ = try db.run("UPDATE users SET email_proven_at = NULL WHERE email = \(email)")
            }
            let first = try #require(TestSession(try await server.signIn()))
            let app = try await server.enroll(first)
            let raised = try await server.raised(first, by: app)
            try await upgrade(server)
            let owner = try #require(TestSession(try await server.refresh(raised.refreshToken)))
            let kept = try await user(owner, server)
            #expect(kept["factors"]?.arrayValue?.count == 1 && kept["user_metadata"]?["name"] == "Ada")
            // The first emailed code proves the address.
            let proof = try await server.verify("email", code: try await code("/otp", email, server))
            #expect(proof["user"]?["set_aside"]?.arrayValue?.compactMap { $0["type"]?.stringValue } == ["password"])
            #expect(proof["user"]?["factors"]?.arrayValue?.count == 1)
            let restored = try await server.post(
                "/verify",
                [
                    "type": "email", "email": .string(email), "password": .string(TestServer.password),
                    "token": .string(try await code("/otp", email, server)),
                ])
            #expect(restored.status == 200)
            _ = try await server.raised(try #require(TestSession(restored)), by: app)
            let again = try #require(TestSession(try await server.signIn()))
            #expect(try await server.raised(again, by: app).userID == first.userID)
        }
    }

    @Test("A sign-up that waits for its code is confirmed by it, with its password", arguments: TestDatabase.all)
    func unconfirmed(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let json: AuthJSON = ["email": "ada@example.com", "password": .string(TestServer.password)]
            #expect(try await server.post("/signup", json).status == 200)
            let code = try await server.deliveredMail().code
            try await upgrade(server)
            #expect(try await server.verify("signup", code: code).status == 200)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("A proven account loses nothing to another emailed code", arguments: TestDatabase.all)
    func proven(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let email = "ada@example.com"
            try await create(email, server)
            let owner = try #require(TestSession(try await server.signIn()))
            try await upgrade(server)
            let entered = try await server.verify("recovery", code: try await code("/recover", email, server))
            #expect(entered["user"]?["id"]?.stringValue == owner.userID && entered["user"]?["set_aside"] == nil)
            #expect(try await server.refresh(owner.refreshToken).status == 200)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("An anonymous account continues, and takes an address with a password", arguments: TestDatabase.all)
    func anonymous(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let first = try #require(TestSession(try await server.post("/signup", [:])))
            try await upgrade(server)
            let guest = try #require(TestSession(try await server.refresh(first.refreshToken)))
            #expect(guest.userID == first.userID)
            let change: AuthJSON = ["email": "ada@example.com", "password": .string(TestServer.password)]
            let asked = try await server.send(.put, "/auth/v1/user", bearer: guest.accessToken, json: change)
            #expect(asked.status == 200, "\(asked)")
            let code = try await server.deliveredMail().code
            let proof: AuthJSON = ["type": "email_change", "token": .string(code), "email": "ada@example.com"]
            let typed = try await server.send(.post, "/auth/v1/verify", bearer: guest.accessToken, json: proof)
            #expect(typed.status == 200, "\(typed)")
            #expect(try #require(TestSession(try await server.signIn())).userID == first.userID)
        }
    }
}
