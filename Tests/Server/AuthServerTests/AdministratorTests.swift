import AccountDomain
import AccountStore
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// With an admin role and the token of their own session.
@Suite("Administrators with accounts")
struct AdministratorTests {
    private static let users = "/auth/v1/admin/users"

    private func administrator(_ server: TestServer) async throws -> TestSession {
        let made = try await server.admin(
            .post, "/users",
            json: [
                "email": "root@example.com", "password": .string(TestServer.password), "email_confirm": true,
                "role": "supabase_admin",
            ])
        #expect(made.status == 200, "\(made)")
        return try #require(TestSession(try await server.signIn("root@example.com")))
    }

    @Test("D13: A former administrator has no rights, whatever the token claims", arguments: TestDatabase.all)
    func demoted(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let root = try await administrator(server)
            #expect(try await server.send(.get, Self.users, bearer: root.accessToken).status == 200)
            _ = try await server.admin(.put, "/users/\(root.userID)", json: ["role": "authenticated"])
            let own = "\(Self.users)/\(root.userID)"
            for (method, path) in [(.get, Self.users), (.put, own), (.delete, own)] as [(HTTPRequest.Method, String)] {
                let answer = try await server.send(
                    method, path, bearer: root.accessToken, json: ["role": "supabase_admin"])
                #expect(answer.status == 403)
                #expect(answer.code == "not_admin")
            }
            #expect(try await server.admin(.get, "/users/\(root.userID)")["role"] == "authenticated")
        }
    }

    @Test("D13: A banned administrator cannot lift the ban", arguments: TestDatabase.all)
    func banned(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let root = try await administrator(server)
            let own = "\(Self.users)/\(root.userID)"
            _ = try await server.admin(.put, "/users/\(root.userID)", json: ["ban_duration": "1h"])
            let lifted = try await server.send(.put, own, bearer: root.accessToken, json: ["ban_duration": "none"])
            #expect(lifted.status == 403)
            #expect(lifted.code == "user_banned")
            #expect(try await server.send(.get, "/auth/v1/admin/audit", bearer: root.accessToken).status == 403)
            #expect(try await server.admin(.get, "/users/\(root.userID)")["banned_until"] != nil)
        }
    }

    @Test("An administrator with a second factor reads nothing before giving it", arguments: TestDatabase.all)
    func withoutSecondFactor(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let first = try await administrator(server)
            let raised = try await server.raised(first, by: try await server.enroll(first))
            let low = try #require(TestSession(try await server.signIn("root@example.com")))
            for path in [Self.users, "\(Self.users)/\(low.userID)", "/auth/v1/admin/audit"] {
                let refused = try await server.send(.get, path, bearer: low.accessToken)
                #expect(refused.status == 403 && refused.code == "insufficient_aal", "\(path): \(refused)")
                #expect(try await server.send(.get, path, bearer: raised.accessToken).status == 200, "\(path)")
            }
        }
    }

    @Test("D13: A token of no user, of an ordinary user or without a session gives no rights")
    func tokens() async throws {
        try await TestServer.with { server in
            let root = try await administrator(server)
            let ada = try await server.signUp()
            let subjects: [(AuthJSON, Int, String?)] = [
                ("6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60", 403, "user_not_found"), ("nobody", 400, "bad_jwt"),
                (.string(ada.userID), 403, "not_admin"), (.string(root.userID), 200, nil),
            ]
            for (subject, status, code) in subjects {
                let token = try server.sharedToken(["role": "supabase_admin", "sub": subject])
                let answer = try await server.send(.get, Self.users, bearer: token)
                #expect(answer.status == status)
                #expect(answer.code == code)
            }
            _ = try await server.admin(.delete, "/users/\(root.userID)", json: ["should_soft_delete": true])
            let token = try server.sharedToken(["role": "supabase_admin", "sub": .string(root.userID)])
            #expect(try await server.send(.get, Self.users, bearer: token).code == "user_not_found")
        }
    }

    @Test("Where a fresh sign-in is asked for, an administrator's old session still reads, and changes nothing")
    func freshSignIn() async throws {
        try await TestServer.with(policy: SessionPolicy(freshSignIn: .seconds(600))) { server in
            let root = try await administrator(server)
            server.clock.advance(by: .seconds(601))
            let own = "\(Self.users)/\(root.userID)"
            let password: AuthJSON = ["password": "another good one"]
            let changes: [(HTTPRequest.Method, String, AuthJSON)] = [
                (.post, Self.users, ["email": "other@example.com"]), (.put, own, password), (.delete, own, [:]),
            ]
            for (method, path, json) in changes {
                let answer = try await server.send(method, path, bearer: root.accessToken, json: json)
                #expect(answer.status == 403 && answer.code == "fresh_sign_in_required", "\(method)")
            }
            #expect(try await server.accounts.count() == 1)
            for path in [Self.users, own, "/auth/v1/admin/audit"] {
                #expect(try await server.send(.get, path, bearer: root.accessToken).status == 200)
            }
            // A key has no sign-in.
            let key = try server.sharedToken(["role": "service_role"])
            #expect(try await server.send(.put, own, bearer: key, json: ["ban_duration": "none"]).status == 200)
            let fresh = try #require(TestSession(try await server.signIn("root@example.com")))
            #expect(try await server.send(.put, own, bearer: fresh.accessToken, json: password).status == 200)
        }
    }

    @Test("A promoted user signs in again: tokens from before have no rights, and are not renewed")
    func promoted() async throws {
        try await TestServer.with { server in
            let ada = try await server.signUp()
            _ = try await server.admin(.put, "/users/\(ada.userID)", json: ["role": "supabase_admin"])
            #expect(try await server.send(.get, Self.users, bearer: ada.accessToken).code == "not_admin")
            #expect(try await server.refresh(ada.refreshToken).status == 400)
            let fresh = try #require(TestSession(try await server.signIn()))
            #expect(try await server.send(.get, Self.users, bearer: fresh.accessToken).status == 200)
        }
    }

    @Test("The audit log names the administrator who acted, and for a key its role", arguments: TestDatabase.all)
    func auditLog(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let root = try await administrator(server)
            for (bearer, name) in [(root.accessToken, "root@example.com"), (TestServer.secretKey, "service_role")] {
                let before = try await actors(server)
                server.clock.advance(by: .seconds(1))
                let made = try await server.send(
                    .post, Self.users, bearer: bearer, json: ["email": "ada@example.com", "email_confirm": true])
                let path = "\(Self.users)/\(try #require(made["id"]?.stringValue))"
                let acts: [(HTTPRequest.Method, String, AuthJSON)] = [
                    (.put, path, ["ban_duration": "1h"]), (.delete, path + "/sessions", [:]),
                    (.delete, path, ["should_soft_delete": true]), (.delete, path, [:]),
                ]
                for (method, path, json) in acts {
                    server.clock.advance(by: .seconds(1))
                    #expect(try await server.send(method, path, bearer: bearer, json: json).status == 200)
                }
                let new = try await actors(server).dropLast(before.count)
                // The ban has two entries.
                #expect(Array(new) == Array(repeating: name, count: 6), "\(new)")
            }
        }
    }

    @Test("An act on another account is no entry of the administrator's own account")
    func ownHistory() async throws {
        try await TestServer.with { server in
            let root = try await administrator(server)
            let ada = try await server.signUp()
            let path = "\(Self.users)/\(ada.userID)"
            _ = try await server.send(.put, path, bearer: root.accessToken, json: ["ban_duration": "1h"])
            let own = try await server.admin(.get, "/users/\(root.userID)/history")
            let about = try await server.admin(.get, "/users/\(ada.userID)/history")
            #expect(own["audit"]?.arrayValue?.contains { $0["payload"]?["action"] == "user_modified" } == false)
            let entry = about["audit"]?.arrayValue?.first { $0["payload"]?["action"] == "user_modified" }
            #expect(entry?["payload"]?["actor_username"] == "root@example.com")
        }
    }

    /// The actors of the log, newest first.
    private func actors(_ server: TestServer) async throws -> [String?] {
        let log = try await server.admin(.get, "/audit")
        return (log.json.arrayValue ?? []).map { $0["payload"]?["actor_username"]?.stringValue }
    }
}
