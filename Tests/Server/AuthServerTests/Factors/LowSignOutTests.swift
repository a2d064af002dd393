import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import TestSupport
import Testing

@Suite("Ending sessions in a session without the user's second factor")
struct LowSignOutTests {
    /// Two that had the second factor, and two with only the password.
    private struct Sessions {
        let old: TestSession
        let high: [TestSession]
        let low: [TestSession]
    }

    private func sessions(_ server: TestServer) async throws -> Sessions {
        let first = try await server.signUp()
        let app = try await server.enroll(first)
        let high = try await server.raised(first, by: app)
        let other = try await server.raised(try await server.low(), by: app)
        return Sessions(old: first, high: [high, other], low: [try await server.low(), try await server.low()])
    }

    private func lives(_ sessions: [TestSession], _ server: TestServer) async throws -> [Bool] {
        var lives: [Bool] = []
        for session in sessions {
            let answer = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
            lives.append(answer.status == 200)
        }
        return lives
    }

    private func signOut(_ scope: String, _ session: TestSession, _ server: TestServer) async throws {
        let answer = try await server.send(.post, "/auth/v1/logout?scope=\(scope)", bearer: session.accessToken)
        #expect(answer.status == 204, "\(answer)")
    }

    @Test("A sign-out everywhere ends only sessions without the factor", arguments: TestDatabase.all)
    func everywhere(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let all = try await sessions(server)
            try await signOut("global", all.low[0], server)
            #expect(try await lives(all.low, server) == [false, false])
            #expect(try await lives(all.high, server) == [true, true])
            #expect(try await server.refresh(all.high[0].refreshToken).status == 200)
            try await signOut("global", all.high[0], server)
            #expect(try await lives(all.high, server) == [false, false])
        }
    }

    @Test("A sign-out of the others ends only sessions without the factor", arguments: TestDatabase.all)
    func others(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let all = try await sessions(server)
            try await signOut("others", all.low[0], server)
            #expect(try await lives(all.low, server) == [true, false])
            #expect(try await lives(all.high, server) == [true, true])
            try await signOut("others", all.high[0], server)
            #expect(try await lives(all.low + all.high, server) == [false, false, true, false])
        }
    }

    @Test(
        "A token from before the factor ends its own session, but no other that had the factor",
        arguments: TestDatabase.all)
    func oldToken(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let all = try await sessions(server)
            try await signOut("global", all.old, server)
            #expect(try await lives(all.low + all.high, server) == [false, false, false, true])
        }
    }

    @Test("One session ends by its id unless it had the factor", arguments: TestDatabase.all)
    func byID(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let all = try await sessions(server)
            func end(_ session: TestSession, by caller: TestSession) async throws -> TestAnswer {
                let id = try #require(try server.keys.verify(session.accessToken).claims.sessionID)
                return try await server.send(.delete, "/auth/v1/sessions/\(id)", bearer: caller.accessToken)
            }
            for caller in [all.low[0], all.old] {
                let refused = try await end(all.high[1], by: caller)
                #expect(refused.status == 403 && refused.code == "insufficient_aal", "\(refused)")
            }
            #expect(try await lives(all.high, server) == [true, true])
            #expect(try await end(all.low[1], by: all.low[0]).status == 204)
            #expect(try await end(all.low[1], by: all.low[0]).code == "not_found")
            #expect(try await end(all.low[0], by: all.low[0]).status == 204)
            #expect(try await end(all.high[1], by: all.high[0]).status == 204)
            #expect(try await end(all.high[0], by: all.old).status == 204)
        }
    }
}
