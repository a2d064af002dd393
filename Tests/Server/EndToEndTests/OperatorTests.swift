import AccountDomain
import AccountStore
import AuthServer
import GatehouseServer
import GatehouseWire
import HTTPTypes
import ProfileGateway
import SQLDatabase
import TestSupport
import Testing

@Suite("Routes for operators")
struct OperatorTests {
    private static let some = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"
    private static let routes: [(HTTPRequest.Method, String)] = [
        (.get, "/activity"), (.get, "/latency"), (.get, "/requests"), (.get, "/configuration"), (.get, "/outbox"),
        (.get, "/deliveries"), (.get, "/keys"), (.post, "/keys/rotate"), (.post, "/outbox/\(some)/retry"),
        (.delete, "/outbox/\(some)"), (.post, "/deliveries/\(some)/replay"),
    ]

    @Test("Nobody but an administrator may use them")
    func whoMay() async throws {
        try await TestServer.with { server in
            let ada = try await server.signUp()
            for (method, path) in Self.routes {
                for (bearer, status) in [(nil, 401), (ada.accessToken, 403), ("sb_publishable_test", 403)] {
                    let answer = try await server.send(method, "/auth/v1/admin" + path, bearer: bearer)
                    #expect(answer.status == status && answer.code != nil, "\(path)")
                }
                let answer = try await server.admin(method, path)
                #expect(answer.status == 200, "\(path) \(answer)")
                #expect(answer.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("A wrong parameter is refused")
    func parameters() async throws {
        try await TestServer.with { server in
            let wrong: [(HTTPRequest.Method, String)] = [
                (.get, "/outbox?limit=0"), (.get, "/outbox?limit=101"), (.get, "/deliveries?limit=x"),
                (.get, "/requests?after=-1"), (.get, "/requests?after=99999999999999999999"),
                (.get, "/activity?from=yesterday"), (.get, "/activity?until=1"),
                (.get, "/activity?from=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z"),
                (.get, "/activity?from=2026-01-01T00:00:00Z&until=2026-02-01T00:00:01Z"),
                (.get, "/activity?from=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z"),
                (.post, "/outbox/all/retry"), (.delete, "/outbox/1"), (.post, "/deliveries/x/replay"),
            ]
            for (method, path) in wrong {
                let answer = try await server.admin(method, path)
                #expect(answer.status == 400 && answer.code == "validation_failed", "\(path) \(answer)")
            }
        }
    }

    @Test(
        "Sign-ins and refreshes of all nodes are summed by hour, and by day over a longer time",
        arguments: TestDatabase.all)
    func activity(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let store = ActivityCounts(database: server.database)
            let start = ActivityCounts.Step.hour.beginning(of: server.clock.now)
            let ada = try await server.signUp()
            _ = try await server.signIn(password: "wrong password")
            let statements = try await server.statements { try await server.auth.activity.write(to: store) }
            #expect(statements == 2 && server.auth.activity.waiting == 0)
            server.clock.advance(by: .seconds(3_600))
            // Another node.
            let node = ActivityTally()
            node.add(.signIns, "password", "signed_up", at: start)
            try await node.write(to: store)
            _ = try await server.refresh(ada.refreshToken)
            try await server.auth.activity.write(to: store)
            server.clock.advance(by: .seconds(60))

            var today = try await server.admin(.get, "/activity")
            let reads = try await server.statements { today = try await server.admin(.get, "/activity") }
            #expect(reads == 2 && today["step"] == 3_600)
            #expect(today["until"] == .string("\(server.clock.now)"))
            let counts = today["counts"]?.arrayValue ?? []
            #expect(
                counts.map(\.text) == [
                    Self.row(start, "sign_ins", ["password", "signed_up"], 2),
                    Self.row(start, "sign_ins", ["password", "wrong_credentials"], 1),
                    Self.row(start + .seconds(3_600), "refreshes", ["rotate"], 1),
                ])
            let week = try await server.admin(.get, "/activity?from=\(start - .seconds(6 * 86_400))")
            #expect(week["step"] == 86_400)
            let day = ActivityCounts.Step.day.beginning(of: start)
            #expect(week["from"] == .string("\(day - .seconds(6 * 86_400))"))
            #expect(week["counts"]?.arrayValue?.allSatisfy { $0["at"] == .string("\(day)") } == true)
            let early = try await server.admin(
                .get, "/activity?from=\(start - .seconds(7_200))&until=\(start)")
            #expect(early.status == 200 && early["counts"] == [])
        }
    }

    private static func row(_ at: Instant, _ name: String, _ labels: [String], _ count: Int64) -> String {
        let row: AuthJSON = [
            "at": .string("\(at)"), "name": .string(name), "labels": .array(labels.map(AuthJSON.string)),
            "count": .integer(count),
        ]
        return row.text
    }

    @Test("The funnels are those of apps' events", arguments: TestDatabase.all)
    func funnels(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let events: [AuthJSON] = [
                ["name": "auth_started", "labels": ["method": "email"]],
                ["name": "auth_failed", "labels": ["method": "email", "error_type": "no_network"]],
                ["name": "auth_completed", "labels": ["method": "email"], "duration_ms": 900],
            ]
            _ = try await server.send(.post, "/v1/events", json: ["app": "boxscore", "events": .array(events)])
            try await server.events.write(to: EventCounts(database: server.database))
            server.clock.advance(by: .seconds(60))
            let answer = try await server.admin(.get, "/activity")
            #expect(
                answer["funnels"] == [
                    [
                        "method": "email", "selected": 0, "started": 1, "cancelled": 0, "completed": 1,
                        "failed": [["error_type": "no_network", "count": 1]],
                    ]
                ])
        }
    }

    @Test("Counts that are older than the settings allow are removed", arguments: TestDatabase.all)
    func retention(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let store = ActivityCounts(database: server.database)
            server.auth.activity.add(.refreshes, "rotate", "", at: server.clock.now)
            try await server.auth.activity.write(to: store)
            let end = ActivityCounts.Step.hour.beginning(of: server.clock.now) + .seconds(400 * 86_400)
            #expect(try await server.accounts.cleaning.removeOutdated(at: end) == 0)
            #expect(try await server.accounts.cleaning.removeOutdated(at: end + .seconds(3_600)) == 1)
        }
    }

    @Test("A server that ends writes what it has counted", arguments: TestDatabase.all)
    func shutdown(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            _ = try await server.signUp()
            #expect(server.auth.activity.waiting == 1)
            await server.stop()
            #expect(server.auth.activity.waiting == 0)
            let sums = try await ActivityCounts(database: server.database).sums(
                from: server.clock.now - .seconds(3_600), until: server.clock.now + .seconds(1), by: .hour)
            #expect(sums.map(\.labels) == [["password", "signed_up"]])
        }
    }

    @Test("The newest requests and the latencies name routes, not addresses")
    func requests() async throws {
        try await TestServer.with { server in
            let ada = try await server.signUp()
            _ = try await server.send(.get, "/auth/v1/user?apikey=hidden", bearer: ada.accessToken)
            _ = try await server.admin(.get, "/users/\(ada.userID)")
            _ = try await server.signIn(password: "wrong password")
            _ = try await server.send(.get, "/health")
            let answer = try await server.admin(.get, "/requests")
            let found = answer["requests"]?.arrayValue ?? []
            #expect(found.compactMap { $0["n"]?.intValue } == [1, 2, 3, 4] && answer["next"] == 4)
            #expect(
                found.compactMap { $0["route"]?.stringValue }.suffix(2) == [
                    "/auth/v1/admin/users/{user_id}", "/auth/v1/token",
                ])
            #expect(found.last?["code"] == "invalid_credentials" && found.last?["status"] == 400)
            for text in ["hidden", ada.userID, "ada@example.com"] { #expect(!answer.text.contains(text)) }
            // The log has no request for itself.
            #expect(try await server.admin(.get, "/requests?after=4")["requests"] == [])
            #expect(try await server.admin(.get, "/requests?after=3")["requests"]?.arrayValue?.count == 1)
            let latency = try await server.admin(.get, "/latency")
            #expect(latency["routes"]?.arrayValue?.contains { $0["route"] == "/auth/v1/user" } == true)
            #expect(!latency.text.contains(ada.userID))
        }
    }

    @Test("The configuration shows every setting with its origin, and no secret")
    func configuration() async throws {
        try await TestServer.with { issuer in
            var environment = GivenValues.least
            var needles: [String] = []
            for (index, setting) in Setting.allCases.filter(\.isSecret).enumerated() {
                environment[setting.environmentName] = "needle\(index)-\(GivenValues.jwtSecret)"
                needles.append("needle\(index)-")
            }
            environment["GATEHOUSE_DATABASE"] = "postgres://user:needle-pass@host/db"
            environment["GOTRUE_HOOK_SEND_EMAIL_URI"] = "https://a.example/hook?key=needle-key"
            environment["GATEHOUSE_PORT"] = "9998"
            let place = try await TestDatabase.sqlite.place()
            var settings = try GivenValues.settings(["GATEHOUSE_DATABASE": place.location])
            settings.shown = ShownSetting.all(GivenSettings(environment: environment))
            settings.auth.apiKeys.secret = [Secret(TestServer.secretKey)]
            let server = try await makeServer(settings, issuer.world) { try await $0.migrate(TestDatabase.migrations) }
            let answer = try await DirectCaller(server).send(
                .get, "/auth/v1/admin/configuration", bearer: TestServer.secretKey)
            await server.close()
            withExtendedLifetime(place) {}
            #expect(needles.count > 10 && answer.status == 200)
            for needle in needles + ["needle", GivenValues.jwtSecret, GivenValues.secret] {
                #expect(!answer.text.contains(needle))
            }
            let shown = answer["settings"]?.arrayValue ?? []
            #expect(shown.compactMap { $0["name"]?.stringValue } == Setting.allCases.map(\.key))
            let secrets = shown.filter { $0["is_secret"] == true }
            #expect(
                secrets.count == needles.count && secrets.allSatisfy { $0["value"]?.stringValue == ShownSetting.mask })
            #expect(secrets.allSatisfy { $0["origin"] == "environment" })
            let port = shown.first { $0["name"] == "port" }
            #expect(port?["value"] == "9998" && port?["origin"] == "environment")
            let host = shown.first { $0["name"] == "host" }
            #expect(host?["value"] == "127.0.0.1" && host?["origin"] == "default" && host?["help"] != nil)
            let unset = ShownSetting.all(GivenSettings(environment: [:])).filter(\.setting.isSecret)
            #expect(unset.allSatisfy { $0.value == nil })
        }
    }
}
