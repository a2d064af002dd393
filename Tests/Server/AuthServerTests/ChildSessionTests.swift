import AccountDomain
import AccountStore
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Child sessions")
struct ChildSessionTests {
    private static let header = HTTPField.Name("x-gatehouse-session-end")!

    private func open(
        _ server: TestServer, _ parent: TestSession, kind: String = "widget", lifetime: AuthJSON = .null
    ) async throws -> TestAnswer {
        try await server.send(
            .post, "/auth/v1/sessions/children", bearer: parent.accessToken,
            json: [
                "name": "Scores", "kind": .string(kind), "lifetime": lifetime,
                "refresh_token": .string(parent.refreshToken),
            ])
    }

    private func child(_ server: TestServer, of parent: TestSession, kind: String = "widget") async throws
        -> TestSession
    {
        try #require(TestSession(try await open(server, parent, kind: kind)))
    }

    @Test("A child refreshes on its own, and the list shows it with parent, kind and name", arguments: TestDatabase.all)
    func own(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let parent = try await server.signUp()
            for kind in ["widget", "extension", "watch", "app", "tv"] {
                let child = try await child(server, of: parent, kind: kind)
                let next = try #require(TestSession(try await server.refresh(child.refreshToken)))
                #expect(try await server.refresh(next.refreshToken).status == 200)
                #expect(try await server.send(.get, "/auth/v1/user", bearer: next.accessToken).status == 200)
            }
            #expect(try await server.refresh(parent.refreshToken).status == 200)
            let list = try await server.send(.get, "/auth/v1/sessions", bearer: parent.accessToken)
            let sessions = try SessionInfo.list(json: list.json)
            let own = try #require(sessions.first { $0.parentID == nil })
            let children = sessions.filter { $0.parentID == own.id }
            #expect(Set(children.compactMap(\.kind)) == Set(ChildSessionKind.all) && children.count == 5)
            #expect(children.allSatisfy { $0.shownName == "Scores" && !$0.isCurrent } && own.isCurrent)
            let log = try await server.admin(.get, "/audit?query=action:child_session_created")
            #expect(log.json.arrayValue?.count == 5)
        }
    }

    @Test("A child cannot change the account or list its sessions", arguments: TestDatabase.all)
    func powerless(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let parent = try await server.signUp()
            let child = try await child(server, of: parent)
            let id = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"
            let refused: [(HTTPRequest.Method, String)] = [
                (.post, "/sessions/children"), (.get, "/sessions"), (.delete, "/sessions/" + id), (.put, "/user"),
                (.get, "/user/export"), (.post, "/user/start-over"), (.delete, "/user/identities/" + id),
                (.get, "/user/identities/undoable"), (.get, "/user/identities/authorize?provider=google"),
                (.get, "/reauthenticate"), (.post, "/factors"), (.delete, "/factors/" + id),
                (.post, "/logout"), (.post, "/logout?scope=global"), (.post, "/logout?scope=others"),
            ]
            for (method, path) in refused {
                let answer = try await server.send(
                    method, "/auth/v1" + path, bearer: child.accessToken,
                    json: ["password": "another good one", "name": "Scores", "kind": "tv", "factor_type": "totp"])
                #expect(answer.status == 403 && answer.code == "child_session", "\(method) \(path) \(answer.json)")
            }
            #expect(try await server.refresh(parent.refreshToken).status == 200)
            #expect(try await server.refresh(child.refreshToken).status == 200)
        }
    }

    @Test("No route of a user takes a child's token except those for reading the user and signing out")
    func everyRoute() async throws {
        try await TestServer.with { server in
            let parent = try await server.signUp()
            let child = try await child(server, of: parent)
            let open: Set<String> = [
                "GET /auth/v1/user", "DELETE /auth/v1/sessions/{session_id}", "POST /auth/v1/logout",
            ]
            for (method, path) in server.routes where path.utf8.starts(with: "/auth/v1/".utf8) {
                if open.contains("\(method.rawValue) \(path)") { continue }
                let id = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"
                let filled = path.split(separator: "/", omittingEmptySubsequences: false)
                    .map { $0.hasPrefix("{") ? id : String($0) }.joined(separator: "/")
                // Without the token each answers 401: whether it is for users.
                let asUser = try await server.send(method, filled, json: [:])
                guard asUser.code == "no_authorization" else { continue }
                let answer = try await server.send(method, filled, bearer: child.accessToken, json: [:])
                let codes = ["child_session", "not_admin", "feature_disabled"]
                #expect(codes.contains(answer.code ?? ""), "\(method) \(path) \(answer.status) \(answer.json)")
            }
        }
    }

    private typealias End =
        @Sendable (_ server: TestServer, _ parent: TestSession, _ other: TestSession) async throws -> Void

    /// Each with its children's reason.
    private static let ends: [(name: String, reason: String, end: End)] = [
        (
            "local", "parent_ended",
            { server, parent, _ in
                _ = try await server.send(.post, "/auth/v1/logout?scope=local", bearer: parent.accessToken)
            }
        ),
        (
            "others", "others_signed_out",
            { server, _, other in
                _ = try await server.send(.post, "/auth/v1/logout?scope=others", bearer: other.accessToken)
            }
        ),
        (
            "global", "signed_out_everywhere",
            { server, _, other in
                _ = try await server.send(.post, "/auth/v1/logout", bearer: other.accessToken)
            }
        ),
        (
            "list", "parent_ended",
            { server, parent, other in
                let list = try await server.send(.get, "/auth/v1/sessions", bearer: parent.accessToken)
                let own = try #require(try SessionInfo.list(json: list.json).first(where: \.isCurrent))
                _ = try await server.send(
                    .delete, "/auth/v1/sessions/\(own.id)", bearer: other.accessToken)
            }
        ),
        (
            "password", "password_changed",
            { server, _, other in
                _ = try await server.send(
                    .put, "/auth/v1/user", bearer: other.accessToken, json: ["password": "another good one"])
                _ = try await server.send(
                    .put, "/auth/v1/user", bearer: other.accessToken,
                    json: ["password": .string(TestServer.password)])
            }
        ),
        (
            "operator", "signed_out_everywhere",
            { server, parent, _ in
                _ = try await server.admin(.delete, "/users/\(parent.userID)/sessions")
            }
        ),
        (
            "reuse", "parent_ended",
            { server, parent, _ in
                var token = parent.refreshToken
                for _ in 0..<2 {
                    token = try #require(TestSession(try await server.refresh(token))).refreshToken
                }
                server.clock.advance(by: .seconds(60))
                #expect(try await server.refresh(parent.refreshToken).code == "refresh_token_already_used")
            }
        ),
    ]

    @Test("Each end of the parent ends its children, which learn why", arguments: TestDatabase.all)
    func ends(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            _ = try await server.signUp()
            for (name, reason, end) in Self.ends {
                let parent = try #require(TestSession(try await server.signIn()))
                let other = try #require(TestSession(try await server.signIn()))
                let child = try await child(server, of: parent)
                try await end(server, parent, other)
                let refused = try await server.refresh(child.refreshToken)
                #expect(
                    refused.code == "refresh_token_not_found" && refused.headers[Self.header] == reason,
                    "\(name) \(refused.json) \(refused.headers)")
                let user = try await server.send(.get, "/auth/v1/user", bearer: child.accessToken)
                #expect(user.code == "session_not_found" && user.headers[Self.header] == reason, "\(name)")
                let list = try await server.admin(.get, "/users/\(parent.userID)/sessions")
                let record = list["ended"]?.arrayValue?.first {
                    $0["kind"] == "widget" && $0["reason"] == .string(reason)
                }
                #expect(record != nil, "\(name)")
            }
        }
    }

    @Test("A parent that expired by inactivity takes its children with it", arguments: TestDatabase.all)
    func expired(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, policy: SessionPolicy(inactivity: .seconds(600))) { server in
            let parent = try await server.signUp()
            var child = try await child(server, of: parent)
            for _ in 0..<2 {
                server.clock.advance(by: .seconds(250))
                child = try #require(TestSession(try await server.refresh(child.refreshToken)))
            }
            server.clock.advance(by: .seconds(250))
            let refused = try await server.refresh(child.refreshToken)
            #expect(refused.code == "session_expired" && refused.headers[Self.header] == "parent_ended")
            let user = try await server.send(.get, "/auth/v1/user", bearer: child.accessToken)
            #expect(user.code == "session_expired" && user.headers[Self.header] == "parent_ended")
            let list = try await server.admin(.get, "/users/\(parent.userID)/sessions")
            #expect(list["sessions"]?.arrayValue?.isEmpty == true)
            #expect(
                Set(list["ended"]?.arrayValue?.compactMap { $0["reason"]?.stringValue } ?? [])
                    == ["inactivity", "parent_ended"])
            server.clock.advance(by: .seconds(31 * 86_400))
            #expect(try await server.accounts.cleaning.removeEndedSessions(at: server.clock.now) == 1)
            let after = try await server.refresh(child.refreshToken)
            // Its own limit had passed as well.
            #expect(after.code == "refresh_token_not_found" && after.headers[Self.header] == "inactivity")
        }
    }

    @Test("A child ends alone: by itself, from the list, and when its token is reused", arguments: TestDatabase.all)
    func alone(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let parent = try await server.signUp()
            let sibling = try await child(server, of: parent)
            let signedOut = try await child(server, of: parent)
            let out = try await server.send(.post, "/auth/v1/logout?scope=local", bearer: signedOut.accessToken)
            #expect(out.status == 204)
            #expect(try await server.refresh(signedOut.refreshToken).headers[Self.header] == "signed_out")
            let watch = try await child(server, of: parent, kind: "watch")
            let list = try await server.send(.get, "/auth/v1/sessions", bearer: parent.accessToken)
            let listed = try #require(try SessionInfo.list(json: list.json).first { $0.kind == .watch })
            let path = "/auth/v1/sessions/\(listed.id)"
            #expect(try await server.send(.delete, path, bearer: parent.accessToken).status == 204)
            #expect(try await server.refresh(watch.refreshToken).headers[Self.header] == "signed_out")
            let copied = try await child(server, of: parent, kind: "tv")
            #expect(try await server.refresh(copied.refreshToken).status == 200)
            server.clock.advance(by: .seconds(60))
            // The first token is for one receiver.
            #expect(try await server.refresh(copied.refreshToken).code == "refresh_token_already_used")
            #expect(try await server.refresh(sibling.refreshToken).status == 200)
            #expect(try await server.refresh(parent.refreshToken).status == 200)
        }
    }

    @Test("A child's own lifetime ends it and its access tokens; wrong values are refused", arguments: TestDatabase.all)
    func lifetime(_ kind: TestDatabase) async throws {
        let policies = [SessionPolicy(), SessionPolicy(inactivity: nil), SessionPolicy(timebox: .seconds(86_400))]
        for policy in policies {
            try await TestServer.with(on: kind, policy: policy) { server in
                let parent = try await server.signUp()
                let answer = try await open(server, parent, kind: "tv", lifetime: 600)
                #expect(answer["expires_in"] == 600)
                let child = try #require(TestSession(answer))
                server.clock.advance(by: .seconds(500))
                let next = try await server.refresh(child.refreshToken)
                #expect(next["expires_in"] == 100)
                server.clock.advance(by: .seconds(101))
                let late = try await server.refresh(try #require(TestSession(next)).refreshToken)
                #expect(late.code == "session_expired" && late.headers[Self.header] == "lifetime")
                #expect(try await server.refresh(parent.refreshToken).status == 200)
                server.clock.advance(by: .seconds(31 * 86_400))
                _ = try await server.accounts.cleaning.removeEndedSessions(at: server.clock.now)
                let gone = try await server.refresh(child.refreshToken)
                #expect(gone.code == "refresh_token_not_found" && gone.headers[Self.header] == "lifetime")
            }
        }
        try await TestServer.with(on: kind) { server in
            let parent = try await server.signUp()
            for lifetime: AuthJSON in [59, 31_536_001, 0, -1, "60", true] {
                #expect(try await open(server, parent, lifetime: lifetime).status == 400, "\(lifetime)")
            }
            for body: AuthJSON in [
                ["kind": "tv"], ["name": "", "kind": "tv"], ["name": "Scores", "kind": "phone"], ["name": "Scores"],
                ["name": .string(String(repeating: "a", count: 101)), "kind": "tv"],
            ] {
                var members = try #require(body.objectValue)
                members["refresh_token"] = .string(parent.refreshToken)
                let answer = try await server.send(
                    .post, "/auth/v1/sessions/children", bearer: parent.accessToken, json: .object(members))
                #expect(answer.status == 400 && answer.code == "validation_failed", "\(body)")
            }
            #expect(try await open(server, parent, lifetime: 31_536_000).status == 200)
        }
    }

    @Test("An access token alone opens no child: its refresh token or the one before it must come along")
    func proof() async throws {
        try await TestServer.with { server in
            let parent = try await server.signUp()
            let other = try #require(TestSession(try await server.signIn()))
            func status(_ token: AuthJSON) async throws -> TestAnswer {
                try await server.send(
                    .post, "/auth/v1/sessions/children", bearer: parent.accessToken,
                    json: ["name": "Scores", "kind": "tv", "refresh_token": token])
            }
            for token: AuthJSON in [.null, "", "abc", .string(other.refreshToken), .string(parent.refreshToken + "x")] {
                let answer = try await status(token)
                #expect(answer.status == 400 && answer.code == "validation_failed", "\(token)")
            }
            let next = try #require(TestSession(try await server.refresh(parent.refreshToken)))
            #expect(try await status(.string(parent.refreshToken)).status == 200)
            _ = try await server.refresh(next.refreshToken)
            #expect(try await status(.string(parent.refreshToken)).status == 400)
        }
    }

    @Test("A child's token does not delete the account at the gateway, and reads and changes the profile")
    func gateway() async throws {
        try await TestServer.with { server in
            let parent = try await server.signUp()
            let child = try await child(server, of: parent)
            let refused = try await server.send(.delete, "/v1/auth/me", bearer: child.accessToken)
            #expect(refused.status == 403 && refused.code == "CHILD_SESSION")
            #expect(try await server.send(.get, "/v1/auth/me", bearer: child.accessToken).status == 200)
            let change = try await server.send(
                .patch, "/v1/auth/me", bearer: child.accessToken, json: ["first_name": "Ada"])
            #expect(change.status == 200)
            _ = try await server.send(.post, "/auth/v1/logout?scope=local", bearer: parent.accessToken)
            let late = try await server.send(
                .patch, "/v1/auth/me", bearer: child.accessToken, json: ["first_name": "Eve"])
            #expect(late.status == 401)
            #expect(try await server.refresh(parent.refreshToken).code == "refresh_token_not_found")
        }
    }

    @Test("A session has at most ten active children; others may be opened after one ends", arguments: TestDatabase.all)
    func most(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let parent = try await server.signUp()
            var last: TestSession?
            for _ in 0..<10 { last = try await child(server, of: parent) }
            let eleventh = try await open(server, parent)
            #expect(eleventh.status == 422 && eleventh.code == "too_many_child_sessions")
            _ = try await server.send(.post, "/auth/v1/logout?scope=local", bearer: last?.accessToken)
            #expect(try await open(server, parent).status == 200)
            let second = try #require(TestSession(try await server.signIn()))
            #expect(try await open(server, second).status == 200)
        }
    }

    @Test("Sign-out of the other devices ends the children of the session that stays, too", arguments: TestDatabase.all)
    func kept(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let parent = try await server.signUp()
            let child = try await child(server, of: parent)
            let out = try await server.send(.post, "/auth/v1/logout?scope=others", bearer: parent.accessToken)
            #expect(out.status == 204)
            #expect(try await server.refresh(child.refreshToken).headers[Self.header] == "others_signed_out")
            #expect(try await server.refresh(parent.refreshToken).status == 200)
        }
    }

    @Test("A ban stops a child, and its removal lets it continue", arguments: TestDatabase.all)
    func banned(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let parent = try await server.signUp()
            let child = try await child(server, of: parent)
            _ = try await server.admin(.put, "/users/\(parent.userID)", json: ["ban_duration": "1h"])
            #expect(try await server.refresh(child.refreshToken).code == "user_banned")
            _ = try await server.admin(.put, "/users/\(parent.userID)", json: ["ban_duration": "none"])
            #expect(try await server.refresh(child.refreshToken).status == 200)
        }
    }
}
