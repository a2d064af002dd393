import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import SQLDatabase
import TestSupport
import Testing

extension TestServer {
    /// The hook `custom_access_token` agrees by default.
    static func asking(
        on kind: TestDatabase, limits: AuthRates? = nil, providers: TestProviders? = nil, factors: FactorRules? = nil,
        hooks: [HookName] = [.customAccessToken], change: (inout AuthSettings) -> Void = { _ in },
        _ test: (TestServer) async throws -> Void
    ) async throws {
        try await with(
            on: kind, limits: limits, providers: providers, hooks: TestHooks(hooks), factors: factors, change: change
        ) { server in
            server.agree()
            try await test(server)
        }
    }

    func agree() {
        receiver.answers { call in
            guard let claims = call.json["claims"]?.objectValue else { return (200, [:]) }
            return (200, ["claims": .object(claims.merging(["agreed": true]) { $1 })])
        }
    }

    /// The rows that a step leaves in all tables.
    func traces() async throws -> [String] {
        try await database.read { db in
            var found = try db.rows("SELECT id, refresh_token_counter, aal FROM sessions ORDER BY id") { row in
                "\(row.text()) \(row.int()) \(row.text())"
            }
            for query: SQL in [
                "SELECT count(*) FROM users", "SELECT count(*) FROM identities", "SELECT count(*) FROM ended_sessions",
                "SELECT count(*) FROM audit_log", "SELECT count(*) FROM mail_outbox", "SELECT count(*) FROM passkeys",
                "SELECT count(*) FROM known_devices", "SELECT count(*) FROM recovery_codes WHERE used_at IS NOT NULL",
                "SELECT count(*) FROM one_time_tokens", "SELECT count(*) FROM link_tickets",
            ] { found.append("\(try db.row(query) { $0.int() } ?? -1)") }
            return found
        }
    }

    /// With a hook that fails, refuses and works. Only then does the step change anything.
    @discardableResult
    func surviving(_ step: () async throws -> TestAnswer) async throws -> TestSession {
        let before = try await traces()
        receiver.answers { _ in (500, [:]) }
        let failed = try await step()
        #expect(failed.status == 500 && failed.code == "unexpected_failure", "\(failed)")
        receiver.answers { _ in (200, ["error": ["http_code": 403, "message": "Not today"]]) }
        let refused = try await step()
        #expect(refused.status == 403 && refused["message"] == "Not today", "\(refused)")
        #expect(try await traces() == before)
        agree()
        let answer = try await step()
        let session = try #require(TestSession(answer), "\(answer)")
        let claims = try keys.verify(session.accessToken).claims
        #expect(claims.members["agreed"] == true)
        #expect(try await send(.get, "/auth/v1/user", bearer: session.accessToken).status == 200)
        #expect(try await refresh(session.refreshToken).status == 200)
        return session
    }
}
