import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import JSONWebTokens
import SQLDatabase
import TestSupport
import Testing

@Suite("Recovery codes")
struct RecoveryCodeTests {
    private static let path = "/auth/v1/factors/recovery-codes"

    private func codes(_ answer: TestAnswer) -> [String] {
        answer["codes"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    private func verify(_ server: TestServer, _ code: String, _ session: TestSession) async throws -> TestAnswer {
        try await server.send(
            .post, Self.path + "/verify", bearer: session.accessToken, json: ["code": .string(code)])
    }

    @Test("A code opens the way back once; its hash alone is stored", arguments: TestDatabase.all)
    func once(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, factors: .withCodes) { server in
            let (session, _) = try await server.protected()
            let made = try await server.send(.post, Self.path, bearer: session.accessToken)
            let codes = codes(made)
            #expect(made.status == 200 && codes.count == 4 && Set(codes).count == 4, "\(made)")
            let hashes = try await server.database.read { db in
                try db.rows("SELECT hash FROM recovery_codes") { $0.text() }
            }
            #expect(hashes.count == 4 && hashes.allSatisfy { $0.hasPrefix("$argon2id$") })
            let low = try await server.low()
            let raised = try #require(TestSession(try await verify(server, codes[0].uppercased(), low)))
            #expect(try server.keys.verify(raised.accessToken).claims.members["aal"] == "aal2")
            #expect(try await verify(server, codes[0], raised).code == "mfa_verification_failed")
            let status = try await server.send(.get, Self.path, bearer: raised.accessToken)
            #expect(status["total"] == 4 && status["remaining"] == 3)
        }
    }

    @Test("Wrong codes lock the set and nothing else; new codes lift the lock", arguments: TestDatabase.all)
    func lock(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, factors: .withCodes) { server in
            let (session, app) = try await server.protected()
            let old = codes(try await server.send(.post, Self.path, bearer: session.accessToken))
            let low = try await server.low()
            for _ in 0..<3 { #expect(try await verify(server, "wrong", low).code == "mfa_verification_failed") }
            for code in [old[0], "wrong"] {
                let locked = try await verify(server, code, low)
                #expect(locked.status == 429 && locked.code == "mfa_recovery_codes_locked", "\(locked)")
                #expect(locked.headers[.retryAfter] == "900")
            }
            let raised = try await server.raised(low, by: app)
            let new = codes(try await server.send(.post, Self.path + "/regenerate", bearer: raised.accessToken))
            #expect(new.count == 4 && Set(new).isDisjoint(with: old))
            #expect(try await verify(server, old[0], raised).code == "mfa_verification_failed")
            #expect(try await verify(server, new[0], raised).status == 200)
        }
    }

    @Test("A lock of a clock that was a year ahead ends when the clock is right", arguments: TestDatabase.all)
    func ahead(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, factors: .withCodes) { server in
            let (session, _) = try await server.protected()
            let codes = codes(try await server.send(.post, Self.path, bearer: session.accessToken))
            let year = Duration.seconds(365 * 86_400)
            server.clock.advance(by: year)
            let low = try await server.low()
            for _ in 0..<4 { _ = try await verify(server, "wrong", low) }
            #expect(try await verify(server, codes[0], low).code == "mfa_recovery_codes_locked")
            server.clock.advance(by: .zero - year)
            #expect(try await verify(server, codes[0], try await server.low()).status == 200)
        }
    }

    @Test("Of many uses of one code at once, one counts", arguments: TestDatabase.all)
    func atOnce(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, factors: .withCodes) { server in
            let (session, _) = try await server.protected()
            let code = codes(try await server.send(.post, Self.path, bearer: session.accessToken))[0]
            let low = try await server.low()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await verify(server, code, low).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
        }
    }

    @Test("A request with a wrong code computes one hash, whatever the number of codes")
    func cost() async throws {
        var rules = FactorRules.withCodes
        rules.recoveryCodes.count = 16
        try await TestServer.with(factors: rules) { server in
            let (session, _) = try await server.protected()
            let code = codes(try await server.send(.post, Self.path, bearer: session.accessToken))[5]
            func hashes() -> Int {
                server.metrics.render().split(separator: "\n").filter { $0.hasPrefix("gatehouse_password_hash") }
                    .filter { $0.contains("_count") }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
                    .reduce(0, +)
            }
            for typed in [String(code.prefix(2)) + "aaaaaaaaaaaaaa", "00wrong", code] {
                let before = hashes()
                _ = try await verify(server, typed, session)
                #expect(hashes() == before + 1, "\(typed.prefix(2))")
            }
        }
    }

    @Test("Codes need another factor, which cannot be removed before them")
    func alone() async throws {
        try await TestServer.with(factors: .withCodes) { server in
            let first = try await server.signUp()
            #expect(try await server.send(.post, Self.path, bearer: first.accessToken).code == "insufficient_aal")
            let app = try await server.enroll(first)
            let session = try await server.raised(first, by: app)
            #expect(try await server.send(.post, Self.path, bearer: session.accessToken).status == 200)
            #expect(
                try await server.send(.post, Self.path, bearer: session.accessToken).code
                    == "mfa_verified_factor_exists")
            let refused = try await server.send(.delete, "/auth/v1/factors/\(app.factor)", bearer: session.accessToken)
            #expect(refused.code == "mfa_recovery_codes_sole_factor")
            #expect(try await server.send(.delete, Self.path, bearer: session.accessToken).status == 200)
            #expect(
                try await server.send(.delete, "/auth/v1/factors/\(app.factor)", bearer: session.accessToken).status
                    == 200)
        }
    }
}
