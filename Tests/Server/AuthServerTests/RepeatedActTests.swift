import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("What a token can repeat does not fill the audit log")
struct RepeatedActTests {
    /// The newest 100 entries about a user.
    private func actions(_ server: TestServer, of session: TestSession) async throws -> [String] {
        let history = try await server.admin(.get, "/users/\(session.userID)/history?limit=100")
        return try #require(history["audit"]?.arrayValue).compactMap { $0["payload"]?["action"]?.stringValue }
    }

    private func signOut(_ scope: String, _ session: TestSession, _ server: TestServer) async throws -> TestAnswer {
        try await server.send(.post, "/auth/v1/logout?scope=\(scope)", bearer: session.accessToken)
    }

    private func isActive(_ session: TestSession, _ server: TestServer) async throws -> Bool {
        try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).status == 200
    }

    @Test("A sign-out that ends no session adds no entry to the audit log", arguments: TestDatabase.all)
    func nothingEnds(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let ada = try await server.signUp()
            #expect(try await signOut("others", ada, server).status == 204)
            #expect(try await actions(server, of: ada).filter { $0 == "logout" } == [])
            let other = try #require(TestSession(try await server.signIn()))
            for _ in 0..<2 { #expect(try await signOut("others", ada, server).status == 204) }
            #expect(try await !isActive(other, server))
            #expect(try await actions(server, of: ada).filter { $0 == "logout" } == ["logout"])
            #expect(try await signOut("global", ada, server).status == 204)
            #expect(try await actions(server, of: ada).filter { $0 == "logout" } == ["logout", "logout"])
        }
    }

    @Test("A session signs out the others at most sixty times an hour, and itself always")
    func signOuts() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            let ada = try await server.signUp()
            for _ in 0..<60 { #expect(try await signOut("others", ada, server).status == 204) }
            let other = try #require(TestSession(try await server.signIn()))
            let refused = try await signOut("others", ada, server)
            #expect(refused.status == 429 && refused.code == "over_request_rate_limit", "\(refused)")
            #expect(try await isActive(other, server))
            let third = try #require(TestSession(try await server.signIn()))
            #expect(try await signOut("local", ada, server).status == 204)
            #expect(try await !isActive(ada, server))
            // Another session has a separate limit.
            #expect(try await signOut("others", third, server).status == 204)
            #expect(try await !isActive(other, server))
        }
    }

    @Test("A session removes, undoes and renames sign-in methods at most sixty times an hour, refused calls included")
    func signInMethods() async throws {
        try await TestServer.with(limits: AuthRates(), change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let ada = try await server.signUp()
            let passkey = try #require(try await client.register(ada)["id"]?.stringValue)
            let user = try await server.send(.get, "/auth/v1/user", bearer: ada.accessToken)
            let identity = try #require(user["identities"]?.arrayValue?.first?["identity_id"]?.stringValue)
            func rename(_ name: String, in session: TestSession) async throws -> TestAnswer {
                try await server.send(
                    .patch, "/auth/v1/passkeys/\(passkey)", bearer: session.accessToken,
                    json: ["friendly_name": .string(name)])
            }
            func undo() async throws -> TestAnswer {
                try await server.send(.post, "/auth/v1/user/identities/\(identity)/undo", bearer: ada.accessToken)
            }
            func unlink(_ id: String) async throws -> TestAnswer {
                try await server.send(.delete, "/auth/v1/user/identities/\(id)", bearer: ada.accessToken)
            }
            for _ in 0..<20 {
                #expect(try await rename("phone", in: ada).status == 200)
                #expect(try await undo().code == "link_not_undoable")
                #expect(try await unlink(ada.userID).code == "single_identity_not_deletable")
            }
            let before = try await actions(server, of: ada)
            for refused in [try await rename("laptop", in: ada), try await undo(), try await unlink(identity)] {
                #expect(refused.status == 429 && refused.code == "over_request_rate_limit", "\(refused)")
            }
            #expect(try await actions(server, of: ada) == before)
            let kept = try await server.send(.get, "/auth/v1/passkeys", bearer: ada.accessToken)
            #expect(kept.json.arrayValue?.first?["friendly_name"] == "phone")
            // Another session has a separate limit.
            let other = try #require(TestSession(try await server.signIn()))
            #expect(try await rename("tablet", in: other).status == 200)
            server.clock.advance(by: .seconds(61))
            #expect(try await rename("laptop", in: ada).status == 200)
        }
    }
}
