import GatehouseWire
import ProfileGateway
import Testing

@Suite("What apps may report")
struct EventBatchTests {
    private static let now = Instant(seconds: 1_767_228_000)
    private static let names = CountedNames(providers: ["apple", "google", "custom:acme"], apps: ["boxscore"])

    private func batch(_ text: String, at now: Instant = now) throws -> EventBatch {
        try EventBatch(Array(text.utf8), counting: Self.names, at: now)
    }

    private func rows(_ batch: EventBatch) -> [String] {
        batch.counts.map { "\($0.key.name) \($0.key.method) \($0.key.detail) \($0.value)" }.sorted()
    }

    @Test("Every event of the list counts, with its properties")
    func every() throws {
        let batch = try batch(
            """
            {"app":"boxscore","dropped":3,"events":[
            {"name":"auth_method_selected","labels":{"method":"apple"}},
            {"name":"auth_started","labels":{"method":"custom:acme"}},
            {"name":"auth_started","labels":{"method":"custom:acme"}},
            {"name":"auth_completed","labels":{"method":"email"},"duration_ms":1001},
            {"name":"auth_failed","labels":{"method":"google","error_type":"no_network"}},
            {"name":"auth_cancelled","labels":{"method":"google"}},
            {"name":"token_refresh_attempted","labels":{"reason":"expired"}},
            {"name":"token_refresh_failed","labels":{"error_type":"server_error"}},
            {"name":"account_linked","labels":{"existing_provider":"email","new_provider":"apple"}}]}
            """)
        #expect(
            rows(batch) == [
                "account_linked apple email 1", "auth_cancelled google  1", "auth_completed email 2000 1",
                "auth_failed google no_network 1", "auth_method_selected apple  1", "auth_started custom:acme  2",
                "events_dropped   3", "token_refresh_attempted  expired 1", "token_refresh_failed  server_error 1",
            ])
        #expect(batch.eventCount == 9 && Set(batch.counts.keys.map(\.app)) == ["boxscore"])
        #expect(Set(batch.counts.keys.map(\.hour)) == [Instant(seconds: 1_767_225_600)])
    }

    @Test(
        "Durations count in classes, however long",
        arguments: [
            (0, "250"), (250, "250"), (251, "500"), (30_000, "30000"), (30_001, "longer"), (Int64.max, "longer"),
        ])
    func durations(_ milliseconds: Int64, _ name: String) throws {
        let batch = try batch(
            #"{"events":[{"name":"auth_completed","labels":{"method":"email"},"duration_ms":\#(milliseconds)}]}"#)
        #expect(rows(batch) == ["auth_completed email \(name) 1"])
    }

    @Test("Names that the server does not know count together, so that made-up ones make no rows")
    func flood() throws {
        var counts: [CountedEvent: Int64] = [:]
        for number in 0..<1_000 {
            let batch = try batch(
                """
                {"app":"app\(number)","dropped":999999999999,"events":[
                {"name":"auth_failed","labels":{"method":"m\(number)","error_type":"e\(number)"}},
                {"name":"account_linked","labels":{"existing_provider":"p\(number)","new_provider":"p\(number)"}}]}
                """)
            counts.merge(batch.counts, uniquingKeysWith: +)
        }
        #expect(counts.count == 3 && Set(counts.keys.map(\.app)) == ["other"])
        #expect(counts.first { $0.key.name == EventBatch.droppedName }?.value == 10_000_000)
    }

    @Test("The hour is the server's, also before 1970")
    func hours() throws {
        for (seconds, hour) in [(0, 0), (3_599, 0), (3_600, 3_600), (-1, -3_600), (-3_600, -3_600)] as [(Int64, Int64)]
        {
            let batch = try batch(
                #"{"events":[{"name":"auth_started","labels":{"method":"email"}}]}"#, at: Instant(seconds: seconds))
            #expect(batch.counts.keys.first?.hour == Instant(seconds: hour))
        }
    }

    private static let started = #"{"name":"auth_started","labels":{"method":"email"}}"#

    @Test(
        "Anything else is refused as a whole, with the place",
        arguments: [
            (#"{}"#, "/events"), (#"{"events":{}}"#, "/events"), (#"{"events":[],"user_id":"u"}"#, ""),
            (#"{"events":[],"dropped":-1}"#, "/dropped"), (#"{"events":[],"dropped":1.5}"#, "/dropped"),
            (#"{"events":[],"app":"a b"}"#, "/app"), (#"{"events":[],"app":1}"#, "/app"),
            (#"{"events":[],"app":""}"#, "/app"), (#"{"events":[\#(started),7]}"#, "/events/1"),
            (#"{"events":[{"labels":{}}]}"#, "/events/0/name"),
            (#"{"events":[{"name":"auth_step_ignored","labels":{}}]}"#, "/events/0/name"),
            (#"{"events":[{"name":"events_dropped","labels":{}}]}"#, "/events/0/name"),
            (#"{"events":[{"name":"auth_started"}]}"#, "/events/0/labels"),
            (#"{"events":[{"name":"auth_started","labels":[]}]}"#, "/events/0/labels"),
            (#"{"events":[{"name":"auth_started","labels":{}}]}"#, "/events/0/labels/method"),
            (#"{"events":[{"name":"auth_started","labels":{"method":"email","user":"u"}}]}"#, "/events/0/labels"),
            (#"{"events":[{"name":"auth_started","labels":{"method":"ada@example.com"}}]}"#, "/events/0/labels/method"),
            (#"{"events":[{"name":"auth_started","labels":{"method":null}}]}"#, "/events/0/labels/method"),
            (#"{"events":[{"name":"auth_started","labels":{"method":"email"},"duration_ms":1}]}"#, "/events/0"),
            (#"{"events":[{"name":"auth_completed","labels":{"method":"email"}}]}"#, "/events/0/duration_ms"),
            (
                #"{"events":[{"name":"auth_completed","labels":{"method":"email"},"duration_ms":-1}]}"#,
                "/events/0/duration_ms"
            ),
            (
                #"{"events":[{"name":"auth_completed","labels":{"method":"email"},"duration_ms":"1"}]}"#,
                "/events/0/duration_ms"
            ),
            (
                #"{"events":[{"name":"token_refresh_attempted","labels":{"reason":"bored"}}]}"#,
                "/events/0/labels/reason"
            ),
        ])
    func refused(_ text: String, _ field: String) throws {
        let error = #expect(throws: InvalidEvent.self) { try batch(text) }
        #expect(error?.field == field)
    }

    @Test("A hundred events are a batch, one more is not; duplicate members are refused")
    func bounds() throws {
        let list = Array(repeating: Self.started, count: 100)
        #expect(try batch(#"{"events":[\#(list.joined(separator: ","))]}"#).eventCount == 100)
        #expect(throws: InvalidEvent.self) {
            try batch(#"{"events":[\#((list + [Self.started]).joined(separator: ","))]}"#)
        }
        #expect(throws: JSONProblem.self) { try batch(#"{"events":[],"events":[]}"#) }
        #expect(throws: JSONProblem.self) { try batch("[]") }
        // The longest names fit into the longest body.
        let name = String(repeating: "x", count: 64)
        let longest = #"{"name":"account_linked","labels":{"existing_provider":"\#(name)","new_provider":"\#(name)"}}"#
        #expect((longest.utf8.count + 1) * 100 + 120 < EventBatch.maximumBytes)
    }
}
