import AccountStore
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The admin API")
struct AdminTests {
    @Test("D13: Only a service key or a token with an admin role may use it")
    func whoMay() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let service = try server.sharedToken(["role": "service_role"])
            let anonymous = try server.sharedToken(["role": "anon"])
            let bearers: [(String?, Int)] = [
                (nil, 401), ("garbage", 403), (session.accessToken, 403), (anonymous, 403),
                ("sb_publishable_test", 403),
                ("sb_secret_wrong", 403), (service, 200), (TestServer.secretKey, 200),
            ]
            for (bearer, status) in bearers {
                #expect(try await server.send(.get, "/auth/v1/admin/users", bearer: bearer).status == status)
            }
            let byHeader = try await server.send(
                .get, "/auth/v1/admin/users", headers: [.init("apikey")!: TestServer.secretKey])
            #expect(byHeader.status == 200)
            // A key does not elevate a user's token.
            let both = try await server.send(
                .get, "/auth/v1/admin/users", bearer: session.accessToken,
                headers: [.init("apikey")!: TestServer.secretKey])
            #expect(both.status == 403)
        }
    }

    @Test("A key signed with the shared secret needs neither exp nor sub; a user's token needs exp")
    func keysWithoutEnd() async throws {
        try await TestServer.with { server in
            let ada = try await server.signUp()
            let key = try server.sharedToken(["role": "service_role", "exp": .null, "iss": .null, "aud": .null])
            #expect(try await server.send(.get, "/auth/v1/admin/users", bearer: key).status == 200)
            server.clock.advance(by: .seconds(100 * 365 * 86_400))
            #expect(try await server.send(.get, "/auth/v1/admin/users", bearer: key).status == 200)
            #expect(try await server.send(.get, "/auth/v1/user", bearer: key).code == "bad_jwt")
            for role in ["authenticated", "service_role"] as [AuthJSON] {
                let person = try server.sharedToken(["sub": .string(ada.userID), "role": role, "exp": .null])
                for path in ["/auth/v1/user", "/auth/v1/admin/users"] {
                    let refused = try await server.send(.get, path, bearer: person)
                    #expect(refused.status == 403 && refused.code == "bad_jwt")
                    #expect(refused["message"]?.stringValue?.contains("exp claim is required") == true, "\(refused)")
                }
            }
        }
    }

    @Test("Pages have the links from which clients read the numbers", arguments: TestDatabase.all)
    func pages(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            for number in 0..<5 {
                _ = try await server.admin(.post, "/users", json: ["email": .string("p\(number)@example.com")])
                server.clock.advance(by: .seconds(1))
            }
            let first = try await server.admin(.get, "/users?page=1&per_page=2")
            #expect(first.headers[.init("x-total-count")!] == "5")
            #expect(
                first.headers[.init("link")!]
                    == #"</admin/users?page=2&per_page=2>; rel="next", </admin/users?page=3&per_page=2>; rel="last""#)
            #expect(
                first["users"]?.arrayValue?.compactMap { $0["email"]?.stringValue }
                    == ["p4@example.com", "p3@example.com"])
            let last = try await server.admin(.get, "/users?page=3&per_page=2")
            #expect(last.headers[.init("link")!] == #"</admin/users?page=3&per_page=2>; rel="last""#)
            let none = try await server.admin(.get, "/users?filter=100%25&page=&per_page=")
            #expect(none.headers[.init("link")!] == #"</admin/users?filter=100%25&page=0&per_page=>; rel="last""#)
            #expect(try await server.admin(.get, "/users?filter=a%00b").code == "validation_failed")
            let long = try await server.admin(.get, "/users?other=\(String(repeating: "a", count: 20_000))")
            #expect(long.status == 200 && long.headers[.init("link")!] == nil)
            let filtered = try await server.admin(.get, "/users?filter=p3&sort=created_at+asc")
            #expect(filtered["users"]?.arrayValue?.count == 1)
        }
    }

    @Test("Invalid paging is refused", arguments: ["page=x", "per_page=0", "per_page=-1", "sort=email"])
    func badPages(_ query: String) async throws {
        try await TestServer.with { server in
            let answer = try await server.admin(.get, "/users?\(query)")
            #expect(answer.status == 400)
            #expect(answer.code == "validation_failed")
        }
    }

    @Test(
        "Invalid accounts are refused",
        arguments: [
            ([:], 400, "validation_failed"), (["email": "ada"], 400, "validation_failed"),
            (["email": "a@b.c", "id": "x"], 400, "validation_failed"),
            (["email": "a@b.c", "id": "00000000-0000-0000-0000-000000000000"], 400, "validation_failed"),
            (["email": "a@b.c", "ban_duration": "soon"], 400, "validation_failed"),
            (["email": "a@b.c", "password": "x", "password_hash": "y"], 400, "validation_failed"),
            (["email": "a@b.c", "password_hash": "nonsense"], 400, "validation_failed"),
            (["email": "a@b.c", "password": .string(String(repeating: "a", count: 1_025))], 400, "validation_failed"),
            (["email": "taken@example.com"], 422, "email_exists"),
            (["email": "a@b.c", "phone": "+4930"], 422, "phone_exists"),
        ] as [(AuthJSON, Int, String)])
    func refused(_ json: AuthJSON, _ status: Int, _ code: String) async throws {
        try await TestServer.with { server in
            _ = try await server.admin(.post, "/users", json: ["email": "taken@example.com", "phone": "4930"])
            let answer = try await server.admin(.post, "/users", json: json)
            #expect(answer.status == status)
            #expect(answer.code == code)
            #expect(try await server.accounts.count() == 1)
        }
    }

    @Test("A ban refuses everywhere until it is lifted or expires")
    func ban() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            _ = try await server.admin(.put, "/users/\(session.userID)", json: ["ban_duration": "1h"])
            #expect(try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).code == "user_banned")
            #expect(try await server.signIn().code == "user_banned")
            #expect(try await server.refresh(session.refreshToken).code == "user_banned")
            _ = try await server.admin(.put, "/users/\(session.userID)", json: ["ban_duration": "none"])
            #expect(try await server.refresh(session.refreshToken).status == 200)
        }
    }

    @Test("A password that an administrator sets ends every session")
    func password() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let weak = try await server.admin(.put, "/users/\(session.userID)", json: ["password": "short"])
            #expect(weak.code == "weak_password")
            #expect(weak["weak_password"]?["reasons"] == ["length"])
            _ = try await server.admin(.put, "/users/\(session.userID)", json: ["password": "another good one"])
            #expect(try await server.refresh(session.refreshToken).code == "refresh_token_not_found")
            #expect(try await server.signIn(password: "another good one").status == 200)
        }
    }

    @Test("A deletion is complete; a soft one keeps the row", arguments: [false, true])
    func delete(_ isSoft: Bool) async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let path = "/users/\(session.userID.uppercased())"
            let deleted = try await server.admin(.delete, path, json: ["should_soft_delete": .bool(isSoft)])
            #expect(deleted.status == 200)
            #expect(deleted.text == "{}")
            #expect(try await server.admin(.get, path).status == (isSoft ? 200 : 404))
            let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
            #expect(user.code == (isSoft ? "session_not_found" : "user_not_found"))
            _ = try await server.signUp()
        }
    }

    @Test("A softly deleted account can be read and deleted, and is unknown to changes")
    func changesOfErased() async throws {
        try await TestServer.with { server in
            let path = "/users/\(try await server.signUp().userID)"
            #expect(try await server.admin(.delete, path, json: ["should_soft_delete": true]).status == 200)
            let changes: [AuthJSON] = [
                ["email": "late@example.com", "email_confirm": true], ["password": "another password 1"],
                ["password": "weak"], ["ban_duration": "24h"], ["user_metadata": ["full_name": "Ada"]],
            ]
            let before = try await server.admin(.get, path)
            for change in changes {
                let refused = try await server.admin(.put, path, json: change)
                #expect(refused.status == 404 && refused.code == "user_not_found", "\(change)")
            }
            #expect(try await server.admin(.get, path).text == before.text)
            #expect(try await server.admin(.delete, path).status == 200)
            #expect(try await server.admin(.get, path).status == 404)
        }
    }

    @Test("The audit log can be searched by author, action and type")
    func audit() async throws {
        try await TestServer.with { server in
            _ = try await server.signUp()
            server.clock.advance(by: .seconds(1))
            _ = try await server.signIn()
            let log = try await server.admin(.get, "/audit?query=author:ada@example.com&page=1&per_page=10")
            let actions = log.json.arrayValue?.compactMap { $0["payload"]?["action"]?.stringValue }
            #expect(actions == ["login", "login", "user_signedup"])
            #expect(
                log.headers[.init("link")!]
                    == #"</admin/audit?page=1&per_page=10&query=author%3Aada%40example.com>; rel="last""#)
            #expect(try await server.admin(.get, "/audit?query=nope:x").code == "validation_failed")
            #expect(try await server.admin(.get, "/audit?query=author:%00").code == "validation_failed")
        }
    }
}
