import AuthServer
import GatehouseServer
import GatehouseWire
import HTTPTypes
import ProfileGateway
import SQLDatabase
import Synchronization
import TestSupport
import Testing

@Suite("Events of apps")
struct EventTests {
    private static let hour = Instant("2026-01-01T00:00:00Z")!

    private func body(_ events: AuthJSON..., app: String = "boxscore") -> AuthJSON {
        ["app": .string(app), "dropped": 0, "events": .array(events)]
    }

    private func event(_ name: String, _ method: String, error: String? = nil) -> AuthJSON {
        var labels: AuthJSONObject = ["method": .string(method)]
        labels["error_type"] = error.map(AuthJSON.string)
        return ["name": .string(name), "labels": .object(labels)]
    }

    private func completed(_ method: String, _ milliseconds: Int64) -> AuthJSON {
        [
            "name": "auth_completed", "labels": ["method": .string(method)], "duration_ms": .integer(milliseconds),
        ]
    }

    private func funnels(_ database: any Database, app: String? = nil) async throws -> [MethodFunnel] {
        try await EventCounts(database: database).funnels(from: Self.hour, until: Self.hour + .seconds(7_200), app: app)
    }

    /// The server knows Google, Apple and BoxScore.
    private func batch(_ events: [AuthJSON], at now: Instant = hour) throws -> EventBatch {
        let json: AuthJSON = ["app": "boxscore", "events": .array(events)]
        let names = CountedNames(providers: ["google", "apple"], apps: ["boxscore"])
        return try EventBatch(Array(json.text.utf8), counting: names, at: now)
    }

    @Test("Batches add up to the funnel of each method, by hour, for all nodes", arguments: TestDatabase.all)
    func funnel(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, providers: TestProviders()) { server in
            let store = EventCounts(database: server.database)
            for _ in 0..<2 {
                let sent = try await server.send(
                    .post, "/v1/events",
                    json: body(
                        event("auth_method_selected", "google"), event("auth_started", "google"),
                        event("auth_failed", "google", error: "no_network"),
                        event("auth_failed", "google", error: "made_up"), event("auth_cancelled", "google"),
                        completed("email", 20_000), completed("email", 900)))
                #expect(sent.status == 204)
                let statements = try await server.statements {
                    _ = try await server.send(.post, "/v1/events", json: body(event("auth_started", "email")))
                }
                #expect(statements == 0)
                try await server.events.write(to: store)
            }
            #expect(server.events.waiting == 0 && server.events.lost == 0)
            server.clock.advance(by: .seconds(3_600))
            let other = EventTally()
            other.add(try batch([event("auth_started", "google")], at: server.clock.now))
            try await other.write(to: store)
            let found = try await funnels(server.database)
            #expect(found.map(\.method) == ["email", "google"])
            #expect(
                found[0].completed == 4 && found[0].started == 2
                    && found[0].durations.map(\.duration) == [.second, .halfMinute])
            #expect(found[1].selected == 2 && found[1].started == 3 && found[1].cancelled == 2)
            #expect(found[1].failed.map(\.errorType) == ["no_network", "other"])
            #expect(found[1].failed.map(\.count) == [2, 2])
            // This server counts no app apart.
            #expect(try await funnels(server.database, app: "boxscore").map(\.started) == [1])
            let first = try await store.funnels(from: Self.hour, until: Self.hour + .seconds(3_600))
            #expect(first.last?.started == 2)
            #expect(try await store.remove(before: Self.hour + .seconds(3_600)) == 8)
            #expect(try await funnels(server.database).map(\.started) == [1])
        }
    }

    @Test("Nodes that write at the same time lose nothing", arguments: TestDatabase.all)
    func nodes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, providers: TestProviders()) { server in
            let store = EventCounts(database: server.database)
            let events = ["google", "apple", "email"].map { event("auth_started", $0) }
            try await withThrowingTaskGroup { group in
                for node in 0..<8 {
                    // Each node in a different order.
                    let batch = try batch(Array(events[(node % 3)...] + events[..<(node % 3)]))
                    group.addTask {
                        for _ in 0..<5 {
                            let tally = EventTally()
                            tally.add(batch)
                            try await tally.write(to: store)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await funnels(server.database).map(\.started) == [40, 40, 40])
        }
    }

    @Test("A refused batch counts nothing, and says what is wrong in the gateway's format")
    func refused() async throws {
        try await TestServer.with { server in
            let secret = "ada@example.com"
            let cases: [(raw: String, status: Int, code: String)] = [
                ("", 400, "BAD_REQUEST"), ("{", 400, "BAD_REQUEST"), ("[]", 400, "BAD_REQUEST"),
                (body(event("auth_started", "email"), event("auth_started", secret)).text, 400, "BAD_REQUEST"),
                (String(repeating: " ", count: 32_769), 413, "PAYLOAD_TOO_LARGE"),
            ]
            for (raw, status, code) in cases {
                let answer = try await server.send(.post, "/v1/events", raw: Array(raw.utf8))
                #expect(answer.status == status && answer.code == code)
                #expect(!String(decoding: answer.bytes, as: UTF8.self).contains(secret))
            }
            #expect(server.events.waiting == 0)
            #expect(try await server.send(.get, "/v1/events").status == 405)
        }
    }

    @Test("One address reports a limited number of batches")
    func limited() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            for _ in 0..<120 { #expect(try await server.send(.post, "/v1/events", json: body()).status == 204) }
            let refused = try await server.send(.post, "/v1/events", json: body())
            #expect(refused.status == 429 && refused.code == "RATE_LIMITED")
            #expect(try await server.send(.post, "/v1/events", json: body(), peer: "192.0.2.9").status == 204)
        }
    }

    @Test("Counts wait for a database out of reach, in bounded space; those that may be written are not repeated")
    func outage() async throws {
        try await TestServer.with { server in
            let store = EventCounts(database: server.database)
            let down = OutageDatabase(server.database)
            let cases: [(DatabaseFailure.Reason, Int, Int64)] = [(.unavailable, 1, 0), (.unknownOutcome, 0, 2)]
            for (reason, waits, lost) in cases {
                _ = try await server.send(.post, "/v1/events", json: body(event("auth_started", "email")))
                down.reason.withLock { $0 = reason }
                await #expect(throws: DatabaseFailure.self) {
                    try await server.events.write(to: EventCounts(database: down))
                }
                #expect(server.events.waiting == waits && server.events.lost == lost)
            }
            let full = EventTally(capacity: 2)
            let events = ["email", "apple", "google"].map { event("auth_started", $0) }
            for _ in 0..<3 { full.add(try batch(events)) }
            #expect(full.waiting == 2 && full.lost == 3)
            try await full.write(to: store)
            #expect(try await funnels(server.database).reduce(0) { $0 + $1.started } == 6)
        }
    }

    @Test("A server writes what it has counted when it ends", arguments: TestDatabase.all)
    func shutdown(_ kind: TestDatabase) async throws {
        try await TestServer.with { issuer in
            let place = try await kind.emptyPlace()
            for isOn in [true, false] {
                let more = ["telemetry": "\(isOn)", "telemetry_apps": "boxscore, journal"]
                let server = try await gateway(issuer, place, more)
                let sent = body(event("auth_started", "google"), event("auth_started", "github"))
                let answer = try await DirectCaller(server).send(.post, "/v1/events", json: sent)
                #expect(answer.status == (isOn ? 204 : 404))
                await server.close()
                let found = try await funnels(server.database, app: "boxscore")
                #expect(found.map(\.method) == ["google", "other"] && found.map(\.started) == [1, 1])
            }
        }
    }

    private func gateway(
        _ issuer: TestServer, _ place: DatabasePlace, _ more: [String: String]
    ) async throws -> Server {
        let given: [Setting: String] = [
            .database: place.location, .jwksURL: TestServer.issuer + "/.well-known/jwks.json",
            .jwtIssuer: TestServer.issuer, .issuerSecretKey: TestServer.secretKey,
        ]
        var environment = Dictionary(uniqueKeysWithValues: given.map { ($0.key.environmentName, $0.value) })
        for (key, value) in more { environment["GATEHOUSE_" + key.uppercased()] = value }
        let settings = try ServerSettings(GivenSettings(environment: environment), parts: [.gateway])
        return try await makeServer(settings, issuer.world) { try await $0.migrate(migrations(for: [.gateway])) }
    }
}

private final class OutageDatabase: Database {
    let reason = Mutex(DatabaseFailure.Reason.unavailable)
    private let database: any Database

    init(_ database: any Database) { self.database = database }

    var dialect: Dialect { database.dialect }

    func write<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        throw DatabaseFailure(reason.withLock { $0 }, detail: "a test")
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        try await database.read(body)
    }
}
