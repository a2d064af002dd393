import AccountDomain
import AccountStore
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The reason of a session's end")
struct SessionEndReasonTests {
    private static let header = HTTPField.Name("x-gatehouse-session-end")!

    @Test("The holder of a session's tokens learns why it ended, with Supabase's codes", arguments: TestDatabase.all)
    func holder(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let first = try await server.signUp()
            let second = try #require(TestSession(try await server.signIn()))
            let change = try await server.send(
                .put, "/auth/v1/user", bearer: second.accessToken, json: ["password": "another good one"])
            #expect(change.status == 200)
            let refused = try await server.refresh(first.refreshToken)
            #expect(refused.code == "refresh_token_not_found")
            #expect(refused.headers[Self.header] == "password_changed")
            let user = try await server.send(.get, "/auth/v1/user", bearer: first.accessToken)
            #expect(user.code == "session_not_found" && user.headers[Self.header] == "password_changed")
            _ = try await server.admin(.put, "/users/\(second.userID)", json: ["ban_duration": "1h"])
            let banned = try await server.refresh(second.refreshToken)
            #expect(banned.code == "user_banned" && banned.headers[Self.header] == "banned")
            _ = try await server.admin(.delete, "/users/\(second.userID)")
            let gone = try await server.send(.get, "/auth/v1/user", bearer: second.accessToken)
            #expect(gone.code == "user_not_found" && gone.headers[Self.header] == "account_deleted")
        }
    }

    @Test("A session that expired says by which limit")
    func expired() async throws {
        let policies: [(SessionPolicy, String)] = [
            (SessionPolicy(timebox: .seconds(60), inactivity: nil), "lifetime"),
            (SessionPolicy(inactivity: .seconds(60)), "inactivity"),
        ]
        for (policy, reason) in policies {
            try await TestServer.with(policy: policy) { server in
                let session = try await server.signUp()
                server.clock.advance(by: .seconds(61))
                for answer in [
                    try await server.refresh(session.refreshToken),
                    try await server.send(.get, "/auth/v1/user", bearer: session.accessToken),
                ] {
                    #expect(answer.code == "session_expired" && answer.headers[Self.header] == reason)
                }
            }
        }
    }

    @Test("Strangers learn nothing: no made-up or changed token gets a reason")
    func strangers() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            _ = try await server.send(.post, "/auth/v1/logout", bearer: session.accessToken)
            var changed = Array(session.refreshToken)
            changed[changed.count - 3] = changed[changed.count - 3] == "A" ? "B" : "A"
            for token in [String(changed), "abcdefghijkl", "", session.userID] {
                let answer = try await server.refresh(token)
                #expect(answer.status == 400 && answer.headers[Self.header] == nil, "\(token)")
            }
            let key = try server.sharedToken(["sub": .string(session.userID), "role": "authenticated"])
            let other = try await server.send(.get, "/auth/v1/user", bearer: key + "x")
            #expect(other.status == 403 && other.headers[Self.header] == nil)
        }
    }

    @Test("A refresh of an ended session costs one statement more, a good one none", arguments: TestDatabase.all)
    func cost(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp()
            let good = try await server.statements { _ = try await server.refresh(session.refreshToken) }
            _ = try await server.send(.post, "/auth/v1/logout", bearer: session.accessToken)
            let refused = try await server.statements { _ = try await server.refresh(session.refreshToken) }
            #expect(good == 2 && refused == 3)
        }
    }

    @Test("The admin API lists a user's sessions and why the others ended", arguments: TestDatabase.all)
    func adminList(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let first = try await server.signUp()
            let second = try #require(TestSession(try await server.signIn()))
            let path = "/users/\(first.userID)/sessions"
            _ = try await server.send(
                .post, "/auth/v1/logout?scope=others", bearer: second.accessToken, headers: [.userAgent: "tablet/1"])
            let answer = try await server.admin(.get, path)
            #expect(answer.status == 200 && answer["sessions"]?.arrayValue?.count == 1)
            let ended = try #require(answer["ended"]?.arrayValue?.first)
            #expect(ended["reason"] == "others_signed_out" && ended["actor"] == "other_device")
            #expect(ended["by_user_agent"] == "tablet/1" && ended["by_ip"] == "192.0.2.1")
            #expect(ended["request_id"]?.stringValue?.isEmpty == false)
            #expect(ended["story"] == "The user signed out all devices but one, on that device.")
            #expect(try await server.admin(.get, path + "?limit=0").code == "validation_failed")
            #expect(try await server.admin(.get, path + "?limit=101").status == 400)
            _ = try await server.admin(.delete, "/users/\(first.userID)")
            let left = try await server.admin(.get, path)
            #expect(left["ended"]?.arrayValue?.count == 2 && left["sessions"]?.arrayValue?.isEmpty == true)
            #expect(left["ended"]?.arrayValue?.allSatisfy { $0["by_ip"] == nil } == true)
            let unknown = "/users/6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60/sessions"
            #expect(try await server.admin(.get, unknown).code == "user_not_found")
            #expect(try await server.send(.get, "/auth/v1/admin" + path, bearer: second.accessToken).status == 403)
        }
    }
}
