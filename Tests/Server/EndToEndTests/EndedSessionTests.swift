import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import SQLDatabase
import TestSupport
import Testing

@Suite("The gateway and unexpired tokens")
struct EndedSessionTests {
    private func status(_ server: TestServer, _ session: TestSession) async throws -> Int {
        let answer = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
        #expect(answer.status == 200 || answer.code == "TOKEN_INVALID")
        #expect(try await server.send(.get, "/api/v1/profile", bearer: session.accessToken).status == answer.status)
        return answer.status
    }

    @Test("C4: After this process ended a session, its tokens are refused at once", arguments: TestDatabase.all)
    func endings(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            typealias Step = @Sendable (TestServer, TestSession) async throws -> TestAnswer
            let steps: [Step] = [
                { try await $0.send(.post, "/auth/v1/logout?scope=local", bearer: $1.accessToken) },
                { server, session in
                    let other = try #require(TestSession(try await server.signIn()))
                    return try await server.send(.post, "/auth/v1/logout?scope=others", bearer: other.accessToken)
                },
                { server, session in
                    let other = try #require(TestSession(try await server.signIn()))
                    return try await server.send(.post, "/auth/v1/logout", bearer: other.accessToken)
                },
                { try await $0.admin(.put, "/users/\($1.userID)", json: ["password": .string(TestServer.password)]) },
                { try await $0.admin(.delete, "/users/\($1.userID)", json: ["should_soft_delete": true]) },
                { server, session in
                    let fresh = try await server.signUp()
                    _ = try await server.send(.delete, "/v1/auth/me", bearer: fresh.accessToken)
                    #expect(try await status(server, fresh) == 401)
                    // The response may have been lost.
                    return try await server.send(.delete, "/v1/auth/me", bearer: fresh.accessToken)
                },
            ]
            _ = try await server.signUp()
            for step in steps {
                // The account is deleted before the last step, which creates its own.
                guard let session = TestSession(try await server.signIn()) else {
                    #expect(try await step(server, try await server.signUp("x@example.com")).status == 204)
                    continue
                }
                #expect(try await status(server, session) == 200)
                #expect(try await step(server, session).status / 100 == 2)
                #expect(try await status(server, session) == 401)
                // The auth API looks up the session, reports the reason, and does not revalidate the token.
                let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
                #expect(user.code == "session_not_found")
                #expect(try await status(server, session) == 401)
            }
        }
    }

    @Test("C4: A ban refuses at once, and not after its end", arguments: TestDatabase.all)
    func bans(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp()
            let path = "/users/\(session.userID)"
            var found = [try await status(server, session)]
            for ban in ["1h", "none", "60s"] {
                _ = try await server.admin(.put, path, json: ["ban_duration": .string(ban)])
                found.append(try await status(server, session))
                server.clock.advance(by: .seconds(1))
            }
            server.clock.advance(by: .seconds(60))
            found.append(try await status(server, session))
            #expect(found == [200, 401, 200, 401, 200])
        }
    }

    @Test("C4: Another node learns it by its next poll, a new one by its first", arguments: TestDatabase.all)
    func nodes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, change: { $0.accessTokenLifetime = .seconds(604_800) }) { server in
            var elsewhere = server.accounts
            elsewhere.afterRevocation = { _ in }
            let (ada, bob) = (try await server.signUp(), try await server.signUp("bob@example.com"))
            for session in [ada, bob] { #expect(try await status(server, session) == 200) }
            // Its commit comes after its timestamp, and its clock is behind.
            let begin = server.clock.now - .seconds(20)
            try await elsewhere.signOut(
                UserID(trusted: ada.userID), name: "", session: nil, scope: .global, at: begin)
            #expect(try await status(server, ada) == 200)
            try await server.revocations.poll()
            #expect(try await status(server, ada) == 401)
            #expect(try await elsewhere.delete(UserID(trusted: bob.userID), actor: nil, at: server.clock.now))
            try await server.revocations.poll()
            #expect(try await status(server, bob) == 401)
            server.clock.advance(by: .seconds(604_700))
            // As on a node that has just started.
            server.keys.cache.forgetAll()
            var sources = KeySources()
            sources.store = server.signingKeys
            let clock = server.clock
            let keys = KeyRing(sources, tokenLifetime: .seconds(3_600), now: { clock.now }) { .newES256() }
            try await keys.reload()
            #expect(throws: Never.self) { try keys.verify(ada.accessToken, refusesRevoked: true) }
            try await RevocationPoller(elsewhere, keys, now: { clock.now }).poll()
            for session in [ada, bob] {
                #expect(throws: TokenRejection.revoked) { try keys.verify(session.accessToken, refusesRevoked: true) }
            }
        }
    }

    @Test("C4: A node whose clock was a year ahead learns what others ended meanwhile", arguments: TestDatabase.all)
    func ahead(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            var elsewhere = server.accounts
            elsewhere.afterRevocation = { _ in }
            let year = Duration.seconds(365 * 86_400)
            let (ada, bob) = (try await server.signUp(), try await server.signUp("bob@example.com"))
            let right = server.clock.now
            func end(_ session: TestSession) async throws {
                try await elsewhere.signOut(
                    UserID(trusted: session.userID), name: "", session: nil, scope: .global, at: right)
            }
            server.clock.advance(by: year)
            try await server.revocations.poll()
            try await end(ada)
            try await server.revocations.poll()
            server.clock.advance(by: .zero - year)
            #expect(try await status(server, ada) == 200)
            try await server.revocations.poll()
            #expect(try await status(server, ada) == 401)
            #expect(try await status(server, bob) == 200)
            try await end(bob)
            try await server.revocations.poll()
            #expect(try await status(server, bob) == 401)
        }
    }

    @Test("C4: The check of revoked tokens adds no cost to reading a profile", arguments: TestDatabase.all)
    func cost(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp()
            #expect(try await status(server, session) == 200)
            let statements = try await server.statements {
                _ = try await server.send(.get, "/api/v1/profile", bearer: session.accessToken)
            }
            #expect(statements == 1)
        }
    }

    @Test("C2: An unexpired token of a deleted account creates no profile", arguments: TestDatabase.all)
    func patch(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            for isSoft in [true, false] {
                let session = try await server.signUp()
                let other = try #require(TestSession(try await server.signIn()))
                var elsewhere = server.accounts
                elsewhere.afterRevocation = { _ in }
                let user = UserID(trusted: session.userID)
                _ =
                    isSoft
                    ? try await elsewhere.softDelete(user, at: server.clock.now)
                    : try await elsewhere.delete(user, actor: nil, at: server.clock.now)
                for token in [session.accessToken, other.accessToken] {
                    let answer = try await server.send(
                        .patch, "/v1/auth/me", bearer: token, json: ["first_name": "Ada"])
                    #expect(answer.status == 401)
                    #expect(answer.code == "TOKEN_INVALID")
                }
                let profiles = try await server.database.read { db in
                    try db.row("SELECT count(*) FROM profiles") { $0.int() }
                }
                #expect(profiles == 0)
            }
        }
    }
}
