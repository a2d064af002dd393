import GatehouseServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import TestSupport
import Testing

/// `Docs/operations.md`: migrate first; running nodes continue on the newer schema.
@Suite("A migration under a running node")
struct UpgradeTests {
    private static let level = TestDatabase.migrations.last?.number ?? 0

    /// A newer program may change each table in these ways.
    private static let next = Migration(
        level + 1, "of a newer program",
        [
            "ALTER TABLE users ADD COLUMN nickname \(.text)",
            "ALTER TABLE sessions ADD COLUMN device \(.text) NOT NULL DEFAULT ''",
            "ALTER TABLE identities ADD COLUMN seen_at \(.instant)",
            "ALTER TABLE profiles ADD COLUMN motto \(.text) NOT NULL DEFAULT ''",
            "ALTER TABLE audit_log ADD COLUMN place \(.text)",
            "CREATE INDEX sessions_by_device ON sessions (device)",
            "CREATE TABLE badges (id \(.uuid) PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE) \(.table)",
        ])

    @Test("The databases of the tests have the migrations that a server applies")
    func served() {
        let served = migrations(for: [.auth, .gateway])
        #expect(TestDatabase.migrations.map(\.number) == served.map(\.number) && !served.isEmpty)
    }

    /// From sign-up to the last sign-out.
    private func roundTrip(_ server: TestServer, _ email: String) async throws {
        let session = try await server.signUp(email, data: ["first_name": "Ada"])
        let refreshed = try await refresh(server, session.refreshToken)
        let token = refreshed["access_token"]?.stringValue
        #expect(try await server.send(.get, "/auth/v1/user", bearer: token)["email"] == .string(email))
        let change = try await server.send(.patch, "/v1/auth/me", bearer: token, json: ["favorite_teams": ["nfl_KC"]])
        #expect(change["profile"]?["favorite_teams"] == ["nfl_KC"])
        let again = try await server.signIn(email)
        #expect(again.status == 200, "\(again)")
        let other = again["access_token"]?.stringValue
        #expect(try await server.send(.post, "/auth/v1/logout?scope=others", bearer: other).status == 204)
        #expect(try await server.send(.get, "/auth/v1/user", bearer: token).status == 403)
        #expect(try await server.send(.delete, "/v1/auth/me", bearer: other).status / 100 == 2)
    }

    private func refresh(_ server: TestServer, _ token: String) async throws -> TestAnswer {
        let answer = try await server.refresh(token)
        #expect(answer.status == 200, "\(answer)")
        return answer
    }

    @Test("Older sessions continue, and all of a user's requests work as before", arguments: TestDatabase.all)
    func newerSchema(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            try await roundTrip(server, "ada@example.com")
            let before = try await server.signUp("grace@example.com", data: ["first_name": "Grace"])
            try await server.database.migrate(TestDatabase.migrations + [Self.next])
            #expect(try await server.database.migrate(TestDatabase.migrations) == [Self.level + 1])
            let after = try await refresh(server, before.refreshToken)
            let me = try await server.send(
                .get, "/v1/auth/me", bearer: after["access_token"]?.stringValue)
            #expect(me["profile"]?["first_name"] == "Grace")
            try await roundTrip(server, "joan@example.com")
        }
    }

    @Test("Users are served while another node's migration runs", arguments: TestDatabase.all)
    func during(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { try await roundTrip(server, "person\(number)@example.com") }
                }
                for _ in 0..<2 {
                    group.addTask { try await server.database.migrate(TestDatabase.migrations + [Self.next]) }
                }
                try await group.waitForAll()
            }
            #expect(try await server.database.appliedMigrations().last == Self.level + 1)
        }
    }
}
