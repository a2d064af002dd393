import AccountStore
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The gateway in front of the auth server")
struct GatewayTests {
    @Test("C1: The profile exists at once, with the name of the sign-up", arguments: TestDatabase.all)
    func me(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp(data: ["first_name": "Ada"])
            let me = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(me.status == 200)
            #expect(me["user"] == ["id": .string(session.userID), "email": "ada@example.com"])
            #expect(me["profile"]?["first_name"] == "Ada")
            #expect(me["profile"]?["favorite_teams"] == [])
            #expect(me["profile"]?["created_at"] == "2026-01-01T00:00:00Z")
            #expect(me.headers[.cacheControl] == "no-store")
        }
    }

    @Test(
        "C1: A token of an ended session or a banned user deletes nothing",
        arguments: TestDatabase.all)
    func endedSession(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp()
            let stolen = session.accessToken
            _ = try await server.send(.post, "/auth/v1/logout", bearer: stolen)
            #expect(try await server.send(.delete, "/v1/auth/me", bearer: stolen).status == 401)
            let again = try #require(TestSession(try await server.signIn())).accessToken
            let path = "/users/\(session.userID)"
            #expect(try await server.admin(.put, path, json: ["ban_duration": "1h"]).status == 200)
            #expect(try await server.send(.delete, "/v1/auth/me", bearer: again).status == 401)
            #expect(try await server.admin(.put, path, json: ["ban_duration": "none"]).status == 200)
            #expect(try await server.send(.get, "/auth/v1/user", bearer: again).status == 200)
            for _ in 0..<2 { #expect(try await server.send(.delete, "/v1/auth/me", bearer: again).status == 204) }
            #expect(try await server.admin(.get, path).status == 404)
        }
    }

    @Test("C2: An absent field stays, a null clears", arguments: TestDatabase.all)
    func patch(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp()
            let token = session.accessToken
            let teams: AuthJSON = ["nba_1610612744", "nfl_KC"]
            let both = try await server.send(
                .patch, "/v1/auth/me", bearer: token, json: ["first_name": " Ada ", "favorite_teams": teams])
            #expect(both["profile"]?["first_name"] == "Ada")
            let kept = try await server.send(.patch, "/v1/auth/me", bearer: token, json: ["first_name": .null])
            #expect(kept["profile"]?["first_name"] == .null)
            #expect(kept["profile"]?["favorite_teams"] == teams)
            let read = try await server.send(.get, "/v1/auth/me", bearer: token)
            #expect(read["profile"] == kept["profile"])
        }
    }

    @Test(
        "C2: An invalid change is refused and changes nothing",
        arguments: [
            [:], ["nickname": "x"], ["first_name": 5], ["first_name": .string(String(repeating: "x", count: 51))],
            ["favorite_teams": "nba_1"], ["favorite_teams": ["NBA"]], ["favorite_teams": [5]],
            ["favorite_teams": .array((0...30).map { .string("nba_\($0)") })],
            ["first_name": "Grace", "is_premium": true],
        ] as [AuthJSON])
    func refused(_ json: AuthJSON) async throws {
        try await TestServer.with { server in
            let session = try await server.signUp(data: ["first_name": "Ada"])
            let answer = try await server.send(.patch, "/v1/auth/me", bearer: session.accessToken, json: json)
            #expect(answer.status == 400)
            #expect(answer.code == "BAD_REQUEST")
            let read = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(read["profile"]?["first_name"] == "Ada")
        }
    }

    @Test("C1: A deletion removes the account, its sessions and its profile, and can be repeated")
    func delete() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            #expect(try await server.send(.delete, "/v1/auth/me", bearer: session.accessToken).status == 204)
            #expect(try await server.refresh(session.refreshToken).code == "refresh_token_not_found")
            #expect(try await server.signIn().code == "invalid_credentials")
            #expect(try await server.accounts.count() == 0)
            #expect(try await server.send(.delete, "/v1/auth/me", bearer: session.accessToken).status == 204)
            // The token is still valid, but the row is gone.
            let patched = try await server.send(
                .patch, "/v1/auth/me", bearer: session.accessToken, json: ["first_name": "Ada"])
            #expect(patched.status == 401)
            #expect(patched.code == "TOKEN_INVALID")
        }
    }

    @Test("C3, C4: A bearer is refused with its reason")
    func bearers() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            #expect(try await server.send(.get, "/v1/auth/me").code == "UNAUTHORIZED")
            #expect(try await server.send(.get, "/v1/auth/me", bearer: "garbage").code == "TOKEN_INVALID")
            server.clock.advance(by: .seconds(3_600))
            let expired = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(expired.status == 401)
            #expect(expired.code == "TOKEN_EXPIRED")
        }
    }

    @Test(
        "C6: The full record has name and picture of the metadata, https only",
        arguments: [
            ("https://example.com/ada.png", "https://example.com/ada.png"), ("javascript:alert(1)", nil),
        ] as [(String, String?)])
    func whole(_ picture: String, _ stored: String?) async throws {
        try await TestServer.with { server in
            let session = try await server.signUp(data: ["full_name": "Ada Lovelace", "avatar_url": .string(picture)])
            let profile = try await server.send(.get, "/api/v1/profile", bearer: session.accessToken)
            #expect(profile["name"] == "Ada Lovelace")
            #expect(profile["avatar_url"] == stored.map(AuthJSON.string) ?? .null)
            #expect(profile["is_premium"] == false)
            let changed = try await server.send(
                .patch, "/api/v1/profile", bearer: session.accessToken, json: ["timezone": "Europe/Berlin"])
            #expect(changed["timezone"] == "Europe/Berlin")
            for json in [["timezone": "Mars/Base"], ["is_premium": true]] as [AuthJSON] {
                let refused = try await server.send(
                    .patch, "/api/v1/profile", bearer: session.accessToken, json: json)
                #expect(refused.code == "BAD_REQUEST")
            }
        }
    }

    @Test("Reading the profile takes one statement; a change takes one more, for the caller's current rights")
    func statements() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let read = try await server.statements {
                _ = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            }
            let write = try await server.statements {
                _ = try await server.send(
                    .patch, "/v1/auth/me", bearer: session.accessToken, json: ["first_name": "Ada"])
            }
            #expect(read == 1)
            #expect(write == 2)
        }
    }

    @Test("C8: Team ids of a profile resolve to names")
    func teams() async throws {
        try await TestServer.with { server in
            let teams = try await server.send(.get, "/v1/teams?league=nba")
            #expect(teams["teams"]?.arrayValue?.count == 30)
            #expect(teams["teams"]?.arrayValue?.contains { $0["id"] == "nba_1610612738" } == true)
            #expect(try await server.send(.get, "/v1/teams?league=cricket").status == 400)
        }
    }
}
