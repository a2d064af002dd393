import AccountDomain
import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import TestSupport
import Testing

@Suite("Operators with limited rights")
struct OperatorRoleTests {
    private static let refused = "insufficient_operator_role"
    private static let nobody = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"

    /// Routes below `/auth/v1` that need other rights than reading for GET, and managing for the rest.
    private static let rights: [String: OperatorRights] = [
        "POST /invite": .help, "POST /admin/invite": .help, "POST /admin/users/{user_id}/recover": .help,
        "POST /admin/users/{user_id}/resend": .help, "POST /admin/users/{user_id}/unlock": .help,
        "DELETE /admin/users/{user_id}/sessions": .help, "DELETE /admin/users/{user_id}/sessions/{session_id}": .help,
        "POST /admin/outbox/{mail_id}/retry": .help, "POST /admin/deliveries/{delivery_id}/replay": .help,
        "POST /admin/webhooks/{webhook}/test": .help, "POST /admin/keys/rotate": .own,
    ]

    private func signedIn(_ role: String, _ server: TestServer) async throws -> TestSession {
        let email = "\(role)@example.com"
        let made = try await server.admin(
            .post, "/users",
            json: [
                "email": .string(email), "password": .string(TestServer.password), "email_confirm": true,
                "role": .string(role),
            ])
        #expect(made.status == 200, "\(made)")
        return try #require(TestSession(try await server.signIn(email)))
    }

    @Test(
        "Each route refuses the roles below its rights, before it looks at anything", arguments: OperatorRole.allCases)
    func routes(_ role: OperatorRole) async throws {
        try await TestServer.with { server in
            let session = try await signedIn(role.rawValue, server)
            let prefix = "/auth/v1"
            let routes = server.routes.filter {
                ["\(prefix)/admin/", "\(prefix)/invite"].contains(where: $0.path.hasPrefix)
                    && !$0.path.hasPrefix("\(prefix)/admin/sso")
                    && !$0.path.hasPrefix("\(prefix)/admin/custom-providers")
            }
            #expect(routes.count > 40)
            for (method, path) in routes {
                let name = "\(method) \(path.dropFirst(prefix.count))"
                let needed = Self.rights[name] ?? (method == .get ? .read : .manage)
                let called = path.split(separator: "/").map { $0.hasPrefix("{") ? Self.nobody : String($0) }
                let answer = try await server.send(
                    method, "/" + called.joined(separator: "/"), bearer: session.accessToken,
                    json: method == .get ? nil : [:])
                #expect((answer.code == Self.refused) == (role.rights < needed), "\(name): \(answer)")
                if role.rights >= needed { #expect(answer.status != 403, "\(name): \(answer)") }
            }
            let names = Set(routes.map { "\($0.method) \($0.path.dropFirst(prefix.count))" })
            #expect(Set(Self.rights.keys).subtracting(names).isEmpty)
        }
    }

    @Test(
        "Only an owner changes operators, gives their roles or gets a link that signs in as one",
        arguments: TestDatabase.all)
    func operators(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, change: { $0.mail = MailRules() }) { server in
            let owner = try await signedIn("service_role", server)
            let administrator = try await signedIn(OperatorRole.administrator.rawValue, server)
            let user = try await server.signUp("ada@example.com")
            func send(_ method: HTTPRequest.Method, _ path: String, _ json: AuthJSON) async throws -> TestAnswer {
                try await server.send(method, "/auth/v1/admin" + path, bearer: administrator.accessToken, json: json)
            }
            for id in [owner.userID, administrator.userID] {
                for (method, path, json) in [
                    (.put, "", ["password": "another horse battery"]), (.delete, "", [:]), (.post, "/recover", [:]),
                    (.delete, "/sessions", [:]), (.put, "", ["ban_duration": "1h"]),
                ] as [(HTTPRequest.Method, String, AuthJSON)] {
                    #expect(try await send(method, "/users/\(id)\(path)", json).code == Self.refused, "\(path)")
                }
            }
            for role in ["service_role", "supabase_admin"] + OperatorRole.allCases.map(\.rawValue) {
                #expect(try await send(.put, "/users/\(user.userID)", ["role": .string(role)]).code == Self.refused)
                let made = try await send(.post, "/users", ["email": "new@example.com", "role": .string(role)])
                #expect(made.code == Self.refused)
            }
            for type in ["recovery", "magiclink"] {
                let link = try await send(
                    .post, "/generate_link", ["type": .string(type), "email": "service_role@example.com"])
                #expect(link.code == Self.refused && link["action_link"] == nil)
            }
            #expect(try await server.admin(.get, "/users/\(user.userID)")["role"] == "authenticated")
            #expect(try await send(.put, "/users/\(user.userID)", ["role": "premium"]).status == 200)
            #expect(try await server.signIn("service_role@example.com").status == 200)
        }
    }

    @Test("What an administrator planted before a promotion opens no operator's account", arguments: TestDatabase.all)
    func planted(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, change: { $0.mail = MailRules() }) { server in
            let administrator = try await signedIn(OperatorRole.administrator.rawValue, server)
            let user = try await server.signUp("ada@example.com")
            let link = try await server.send(
                .post, "/auth/v1/admin/generate_link", bearer: administrator.accessToken,
                json: ["type": "magiclink", "email": "ada@example.com"])
            let hash = try #require(link["hashed_token"]?.stringValue)
            #expect(
                try await server.admin(.put, "/users/\(user.userID)", json: ["role": "service_role"]).status == 200)
            let used = try await server.send(
                .post, "/auth/v1/verify", json: ["type": "magiclink", "token_hash": .string(hash)])
            #expect(used.status == 403 && used["access_token"] == nil, "\(used)")
            let late = try await server.send(
                .post, "/auth/v1/token?grant_type=refresh_token", json: ["refresh_token": .string(user.refreshToken)])
            #expect(late.status == 400)
            #expect(try await server.signIn("ada@example.com").status == 200)
            let log = try await server.admin(.get, "/audit?query=action:link_generated")
            #expect(log.text.contains("ada@example.com") && log.text.contains("magiclink"))
        }
    }

    @Test("A support agent invites new people only", arguments: TestDatabase.all)
    func invitations(_ kind: TestDatabase) async throws {
        try await TestServer.with(
            on: kind, change: { ($0.mail, $0.confirmsAutomatically) = (MailRules(), false) }
        ) { server in
            let support = try await signedIn(OperatorRole.support.rawValue, server)
            _ = try await server.send(
                .post, "/auth/v1/signup",
                json: [
                    "email": "uwe@example.com", "password": .string(TestServer.password), "data": ["full_name": "Uwe"],
                ])
            for (email, status) in [("uwe@example.com", 422), ("new@example.com", 200)] {
                let answer = try await server.send(
                    .post, "/auth/v1/invite", bearer: support.accessToken,
                    json: ["email": .string(email), "data": ["full_name": "Other"]])
                #expect(answer.status == status, "\(answer)")
            }
            let found = try await server.admin(.get, "/search/users?q=uwe")
            #expect(found.text.contains("Uwe") && !found.text.contains("Other"))
        }
    }

    @Test(
        "An operator's role takes effect and ends with the next request, and the log has it",
        arguments: TestDatabase.all)
    func changes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let support = try await signedIn(OperatorRole.support.rawValue, server)
            let user = try await server.signUp("ada@example.com")
            let unlock = "/auth/v1/admin/users/\(user.userID)/unlock"
            #expect(try await server.send(.post, unlock, bearer: support.accessToken).status < 300)
            _ = try await server.admin(
                .put, "/users/\(support.userID)", json: ["role": .string(OperatorRole.auditor.rawValue)])
            #expect(try await server.send(.post, unlock, bearer: support.accessToken).code == Self.refused)
            _ = try await server.admin(.put, "/users/\(support.userID)", json: ["role": "authenticated"])
            #expect(
                try await server.send(.get, "/auth/v1/admin/users", bearer: support.accessToken).code == "not_admin")
            let log = try await server.admin(.get, "/audit?query=action:user_role_changed")
            let traits = (log.json.arrayValue ?? []).compactMap { $0["payload"]?["traits"] }
            #expect(traits.count == 3 && traits.contains { $0["to"]?.stringValue == OperatorRole.auditor.rawValue })
        }
    }
}
