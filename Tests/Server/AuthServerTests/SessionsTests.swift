import Foundation
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("GET and DELETE /sessions")
struct SessionsTests {
    @Test("E10: A user sees their sessions, the newest first, with the current one marked")
    func list() async throws {
        try await TestServer.with { server in
            let first = try await server.signUp()
            server.clock.advance(by: .seconds(60))
            let second = try #require(TestSession(try await server.signIn()))
            _ = try await server.signUp("bob@example.com")
            let answer = try await server.send(.get, "/auth/v1/sessions", bearer: first.accessToken)
            let sessions = try SessionInfo.list(json: answer.json)
            #expect(sessions.map(\.isCurrent) == [false, true])
            #expect(sessions.map(\.createdAt.timeIntervalSince1970) == [1_767_225_660, 1_767_225_600])
            #expect(sessions.map(\.ipAddress) == ["192.0.2.1", "192.0.2.1"])
            _ = second
        }
    }

    @Test("E10: An ended session cannot refresh; the current one continues")
    func end() async throws {
        try await TestServer.with { server in
            let first = try await server.signUp()
            let second = try #require(TestSession(try await server.signIn()))
            let list = try await server.send(.get, "/auth/v1/sessions", bearer: first.accessToken).json
            let other = try #require(try SessionInfo.list(json: list).first { !$0.isCurrent })
            let path = "/auth/v1/sessions/" + other.id.uuidString
            #expect(try await server.send(.delete, path, bearer: first.accessToken).status == 204)
            #expect(try await server.refresh(second.refreshToken).code == "refresh_token_not_found")
            let user = try await server.send(.get, "/auth/v1/user", bearer: second.accessToken)
            #expect(user.code == "session_not_found")
            #expect(try await server.refresh(first.refreshToken).status == 200)
            #expect(try await server.send(.delete, path, bearer: first.accessToken).code == "not_found")
        }
    }

    @Test("A caller cannot end another user's session or one without an id")
    func others() async throws {
        try await TestServer.with { server in
            let ada = try await server.signUp()
            let bob = try await server.signUp("bob@example.com")
            let list = try await server.send(.get, "/auth/v1/sessions", bearer: ada.accessToken).json
            let own = try #require(try SessionInfo.list(json: list).first)
            let refused = try await server.send(
                .delete, "/auth/v1/sessions/" + own.id.uuidString, bearer: bob.accessToken)
            #expect(refused.status == 404)
            #expect(try await server.refresh(ada.refreshToken).status == 200)
            #expect(try await server.send(.delete, "/auth/v1/sessions/1", bearer: bob.accessToken).status == 400)
            #expect(try await server.send(.get, "/auth/v1/sessions").code == "no_authorization")
        }
    }

    @Test("A session that the policy ended is not listed")
    func overdue() async throws {
        try await TestServer.with { server in
            _ = try await server.signUp()
            server.clock.advance(by: .seconds(31 * 86_400))
            let today = try #require(TestSession(try await server.signIn()))
            let answer = try await server.send(.get, "/auth/v1/sessions", bearer: today.accessToken)
            #expect(try SessionInfo.list(json: answer.json).map(\.isCurrent) == [true])
        }
    }
}
