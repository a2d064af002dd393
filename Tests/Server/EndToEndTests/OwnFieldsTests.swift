import GatehouseWire
import HTTPTypes
import ProfileGateway
import SQLDatabase
import TestSupport
import Testing

@Suite("The fields that an app or a configuration adds to profiles")
struct OwnFieldsTests {
    private static func patch(
        _ server: TestServer, _ session: TestSession, _ json: AuthJSON
    ) async throws -> TestAnswer {
        try await server.send(.patch, "/v1/auth/me", bearer: session.accessToken, json: json)
    }

    @Test("C9: the app's own fields merge, and null removes", arguments: TestDatabase.all)
    func merge(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp(data: ["first_name": "Ada"])
            let steps: [(AuthJSON, AuthJSON)] = [
                (
                    ["mood": "calm", "goals": ["steps": 8_000, "sleep": 8]],
                    ["mood": "calm", "goals": ["sleep": 8, "steps": 8_000]]
                ),
                (
                    ["goals": ["steps": .null], "tags": ["a", .null]],
                    ["mood": "calm", "goals": ["sleep": 8], "tags": ["a", .null]]
                ),
                (["mood": .null, "goals": "none", "tags": .null], ["goals": "none"]),
                ([:], ["goals": "none"]),
                (.null, [:]),
            ]
            for (patch, after) in steps {
                let answer = try await Self.patch(server, session, ["data": patch])
                #expect(answer["profile"]?["data"] == after && answer["profile"]?["first_name"] == "Ada")
            }
            _ = try await Self.patch(server, session, ["data": ["mood": "calm"]])
            let named = try await Self.patch(server, session, ["first_name": "Grace"])
            #expect(named["profile"]?["data"] == ["mood": "calm"], "an unrelated change keeps them")
            let whole = try await server.send(.get, "/api/v1/profile", bearer: session.accessToken)
            #expect(whole["data"] == ["mood": "calm"])
        }
    }

    @Test("C9: changes of different fields at the same time all survive", arguments: TestDatabase.all)
    func concurrent(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let data: AuthJSON = .object(["key\(number)": .integer(Int64(number))])
                        let answer = try await Self.patch(server, session, ["data": data])
                        #expect(answer.status == 200)
                    }
                }
                try await group.waitForAll()
            }
            let me = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(me["profile"]?["data"]?.objectValue?.count == 8, "\(me)")
        }
    }

    @Test("C9: a read takes one statement, and a change of the app's own fields one more than any other")
    func statements() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let write = try await server.statements {
                _ = try await Self.patch(server, session, ["data": ["mood": "calm"], "favorite_teams": ["nfl_KC"]])
            }
            let read = try await server.statements {
                _ = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            }
            #expect(write == 3 && read == 1)
        }
    }

    @Test("C9: more than 16 KiB or 8 levels are refused, in the change and in its result, which changes nothing")
    func limits() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let half = AuthJSON.string(String(repeating: "a", count: 10_000))
            #expect(try await Self.patch(server, session, ["data": ["a": half]]).status == 200)
            var deep: AuthJSON = 1
            for _ in 0..<8 { deep = ["a": deep] }
            let refused: [(AuthJSON, String, AuthJSON)] = [
                (["b": half], "DATA_TOO_LARGE", "/data"), (["a": half, "b": half], "DATA_TOO_LARGE", "/data"),
                (["b": deep], "DATA_TOO_DEEP", "/data"), ("text", "BAD_REQUEST", "/data"),
                ([1], "BAD_REQUEST", "/data"),
            ]
            for (data, code, field) in refused {
                let answer = try await Self.patch(server, session, ["data": data, "first_name": "Grace"])
                #expect(answer.status == 400 && answer.code == code && answer["field"] == field, "\(answer)")
            }
            let me = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(me["profile"]?["data"] == ["a": half] && me["profile"]?["first_name"] == .null)
            #expect(try await Self.patch(server, session, ["data": deep]).status == 200, "eight levels are allowed")
        }
    }

    @Test("C9: a schema is checked on the result of a change; the refusal names the field", arguments: TestDatabase.all)
    func schema(_ kind: TestDatabase) async throws {
        let schema =
            #"{"properties":{"mood":{"type":"string","maxLength":5},"goal":{"minimum":1}},"#
            + #""additionalProperties":false,"required":["mood"]}"#
        let fields = ConfiguredFields(schema: try DataSchema(file: Array(schema.utf8)))
        try await TestServer.with(on: kind, fields: fields) { server in
            let session = try await server.signUp()
            let refused: [(AuthJSON, AuthJSON, AuthJSON)] = [
                (["goal": 1], "/data/mood", "data.mood is required."),
                (["mood": "serene"], "/data/mood", "data.mood must have at most 5 characters."),
                (["mood": "calm", "goal": 0], "/data/goal", "data.goal must be at least 1."),
                (["mood": "calm", "a/b~": 1], "/data/a~1b~0", "data.a/b~ is not allowed."),
                (.null, "/data/mood", "data.mood is required."),
            ]
            for (data, field, message) in refused {
                let answer = try await Self.patch(server, session, ["data": data])
                #expect(answer.status == 400 && answer.code == "INVALID_DATA", "\(answer)")
                #expect(answer["field"] == field && answer["message"] == message, "\(answer)")
            }
            #expect(try await Self.patch(server, session, ["first_name": "Ada"]).status == 200)
            let first = try await Self.patch(server, session, ["data": ["mood": "calm"]])
            #expect(first["profile"]?["data"] == ["mood": "calm"])
            let second = try await Self.patch(server, session, ["data": ["goal": 1]])
            #expect(second["profile"]?["data"] == ["goal": 1, "mood": "calm"], "what is stored counts too")
            #expect(try await Self.patch(server, session, ["data": ["mood": .null]])["field"] == "/data/mood")
        }
    }

    @Test("C8: a team that the catalogue does not have is refused by its place", arguments: TestDatabase.all)
    func unknownTeam(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp()
            let answer = try await Self.patch(
                server, session, ["favorite_teams": ["nfl_KC", "nba_9999"], "first_name": "Ada"])
            #expect(answer.status == 400 && answer.code == "UNKNOWN_TEAM" && answer["field"] == "/favorite_teams/1")
            let me = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(me["profile"]?["favorite_teams"] == [] && me["profile"]?["first_name"] == .null)
        }
    }

    @Test("C8: an unknown team of earlier days stays readable, disturbs no other change, and may stay in the list")
    func earlierTeam() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            try await server.database.write { db in
                _ = try db.run(#"UPDATE profiles SET favorite_teams = '["nba_9999"]'"#)
            }
            let read = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(read["profile"]?["favorite_teams"] == ["nba_9999"])
            let named = try await Self.patch(server, session, ["first_name": "Ada", "data": ["mood": "calm"]])
            #expect(named["profile"]?["favorite_teams"] == ["nba_9999"])
            let more = try await Self.patch(server, session, ["favorite_teams": ["nba_9999", "nfl_KC"]])
            #expect(more["profile"]?["favorite_teams"] == ["nba_9999", "nfl_KC"])
            #expect(try await Self.patch(server, session, ["favorite_teams": ["nba_8888"]]).code == "UNKNOWN_TEAM")
        }
    }

    @Test("Without a catalogue there are no teams: no route, no member, and no change")
    func noCatalogue() async throws {
        try await TestServer.with(fields: ConfiguredFields()) { server in
            let session = try await server.signUp()
            #expect(try await server.send(.get, "/v1/teams").status == 404)
            let me = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(me["profile"]?.objectValue.map { Set($0.keys) } == ["id", "first_name", "data", "created_at"])
            let answer = try await Self.patch(server, session, ["favorite_teams": ["nfl_KC"]])
            #expect(answer.status == 400 && answer["message"] == "favorite_teams cannot be changed here.")
        }
    }
}
