import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import ProfileGateway
import Testing

@Suite("The gateway's routes")
struct ProfileRoutesTests {
    private static let bearer: HTTPFields = [.authorization: "Bearer good"]

    @Test("Me, with a profile and without")
    func me() async throws {
        let gateway = try TestGateway(row: TestGateway.ada)
        let answer = try await gateway.send(.get, "/v1/auth/me", Self.bearer)
        #expect(answer.status == 200)
        #expect(
            answer.body
                == #"{"user":{"id":"0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10","email":"ada@example.org"},"profile":"#
                + #"{"id":"0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10","first_name":"Ada","#
                + #""data":{"mood":"calm"},"favorite_teams":["nba_1"],"#
                + #""created_at":"2026-01-01T00:00:00Z"}}"#)
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(gateway.database.statements == 1)
        let none = try await TestGateway(row: nil).send(.get, "/v1/auth/me", Self.bearer)
        #expect(none.body.hasSuffix(#""profile":null}"#))
    }

    @Test("The whole profile, or 404 before there is one")
    func profile() async throws {
        let answer = try await TestGateway(row: TestGateway.ada).send(.get, "/api/v1/profile", Self.bearer)
        #expect(
            answer.body
                == #"{"id":"0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10","first_name":"Ada","#
                + #""data":{"mood":"calm"},"favorite_teams":["nba_1"],"#
                + #""name":null,"avatar_url":null,"timezone":null,"is_premium":false,"#
                + #""created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}"#)
        #expect(try await TestGateway(row: nil).send(.get, "/api/v1/profile", Self.bearer).status == 404)
    }

    @Test(
        "A refused caller gets the reason",
        arguments: [
            (nil as String?, 401, "UNAUTHORIZED", "Bearer" as String?),
            ("Basic x", 401, "TOKEN_INVALID", #"Bearer error="invalid_token""#),
            ("Bearer old", 401, "TOKEN_EXPIRED", #"Bearer error="invalid_token""#),
            ("Bearer bad", 401, "TOKEN_INVALID", #"Bearer error="invalid_token""#),
            ("Bearer unknown", 503, "UNAVAILABLE", nil),
        ])
    func refused(_ sent: String?, _ status: Int, _ code: String, _ challenge: String?) async throws {
        for (method, path) in [
            (HTTPRequest.Method.get, "/v1/auth/me"), (.delete, "/v1/auth/me"), (.patch, "/api/v1/profile"),
        ] {
            let headers: HTTPFields = sent.map { [.authorization: $0] } ?? [:]
            let answer = try await TestGateway(row: nil).send(method, path, headers)
            #expect(answer.status == status)
            #expect(answer.body.hasPrefix(#"{"error":"\#(code)""#))
            #expect(answer.headers[.wwwAuthenticate] == challenge)
        }
    }

    @Test("A change is one statement and responds like GET")
    func change() async throws {
        let gateway = try TestGateway(row: TestGateway.ada)
        let answer = try await gateway.send(.patch, "/v1/auth/me", Self.bearer, body: #"{"first_name":"Ada"}"#)
        #expect(answer.status == 200)
        #expect(answer.body.contains(#""first_name":"Ada""#))
        #expect(gateway.database.statements == 1)
    }

    @Test("An invalid change is refused", arguments: ["", "{}", "[]", #"{"x":1}"#, #"{"first_name":1}"#])
    func badChange(_ body: String) async throws {
        let gateway = try TestGateway(row: TestGateway.ada)
        let answer = try await gateway.send(.patch, "/v1/auth/me", Self.bearer, body: body)
        #expect(answer.status == 400)
        #expect(answer.body.hasPrefix(#"{"error":"BAD_REQUEST""#))
        #expect(gateway.database.statements == 0)
    }

    @Test("A token that outlived its account is invalid")
    func outlived() async throws {
        let gateway = try TestGateway(row: nil, accountIsGone: true)
        let answer = try await gateway.send(.patch, "/v1/auth/me", Self.bearer, body: #"{"first_name":"Ada"}"#)
        #expect(answer.status == 401)
        #expect(answer.body.contains("TOKEN_INVALID"))
    }

    @Test(
        "A deletion can be repeated, and says so when necessary",
        arguments: [
            (AccountDeletion.deleted, 204), (.alreadyGone, 204), (.stale, 403), (.failed(Unreachable()), 500),
        ])
    func delete(_ outcome: AccountDeletion, _ status: Int) async throws {
        let answer = try await TestGateway(row: nil, deletion: outcome).send(.delete, "/v1/auth/me", Self.bearer)
        #expect(answer.status == status)
        if status == 500 {
            #expect(answer.body.hasPrefix(#"{"error":"INTERNAL_ERROR""#))
            #expect(answer.body.contains("repeat"))
            #expect(!answer.body.contains("Unreachable"))
        }
    }

    @Test("The callback leads to the app, byte for byte, and nowhere else")
    func callback() async throws {
        let gateway = try TestGateway(row: nil, appScheme: "boxscore")
        let answer = try await gateway.send(
            .get, "/api/v1/auth/callback?code=a%2Bb+c&state=%E2%82%AC&redirect_to=https://evil")
        #expect(answer.status == 302)
        #expect(
            answer.headers[.location]
                == "boxscore://auth/callback?code=a%2Bb+c&state=%E2%82%AC&redirect_to=https://evil")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(try await TestGateway(row: nil).send(.get, "/api/v1/auth/callback?code=a").status == 404)
    }

    @Test(
        "Schemes that do not belong to an app are refused",
        arguments: [
            "http", "HTTPS", "javascript", "data", "file", "", "1a", "a b", "a:", "a/", "é",
        ])
    func schemes(_ text: String) { #expect(AppScheme(text) == nil) }

    @Test(
        "Teams by league",
        arguments: [
            ("/v1/teams", 200), ("/v1/teams?league=nhl", 200), ("/v1/teams?league=cricket", 400), ("/v1/teams/", 404),
        ])
    func teams(_ path: String, _ status: Int) async throws {
        let answer = try await TestGateway(row: nil).send(.get, path)
        #expect(answer.status == status)
        if status == 200 { #expect(answer.headers[.cacheControl] == "public, max-age=3600") }
    }

    @Test("Without a catalogue there are no teams: no route, no member of a profile")
    func noTeams() async throws {
        let gateway = try TestGateway(row: TestGateway.ada, fields: ConfiguredFields())
        #expect(try await gateway.send(.get, "/v1/teams").status == 404)
        let me = try await gateway.send(.get, "/v1/auth/me", Self.bearer).body
        #expect(me.contains(#""first_name":"Ada","data":{"mood":"calm"},"created_at""#))
        let answer = try await gateway.send(.patch, "/v1/auth/me", Self.bearer, body: #"{"favorite_teams":[]}"#)
        #expect(answer.status == 400 && answer.body.contains(#""field":"/favorite_teams""#))
    }

    @Test("A refused field is named in the answer")
    func field() async throws {
        let answer = try await TestGateway(row: TestGateway.ada).send(
            .patch, "/v1/auth/me", Self.bearer, body: #"{"first_name":1}"#)
        #expect(
            answer.body
                == #"{"error":"BAD_REQUEST","message":"first_name must be a string or null.","field":"/first_name"}"#)
    }

    @Test(
        "An account's id is a UUID in any case",
        arguments: [
            ("0F6D2C5E-8A4B-4B0E-9D3F-2F6F2F1F7C10", "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10" as String?),
            ("0f6d2c5e8a4b4b0e9d3f2f6f2f1f7c10", nil), ("0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c1g", nil), ("", nil),
            ("0f6d2c5e-8a4b-4b0e-9d3f2-f6f2f1f7c10", nil),
        ])
    func accountID(_ text: String, _ expected: String?) { #expect(AccountID(text)?.text == expected) }
}

struct Unreachable: Error {}
