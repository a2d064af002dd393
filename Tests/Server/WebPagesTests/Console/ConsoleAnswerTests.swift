import GatehouseWire
import TestSupport
import Testing

@testable import WebPages

@Suite("The answers that the console reads")
struct ConsoleAnswerTests {
    private func activity(_ change: (inout AuthJSONObject) -> Void) throws -> Activity {
        var json: AuthJSONObject = [
            "from": "2026-11-22T00:00:00Z", "until": "2026-11-24T00:00:00Z", "step": 86_400, "counts": [],
            "funnels": [],
        ]
        change(&json)
        return try Activity(json: .object(json))
    }

    @Test("Days begin at midnight in UTC, and the last one is not counted twice")
    func bins() throws {
        #expect(try activity { _ in }.bins.map(\.day) == ["2026-11-22", "2026-11-23"])
        let shifted = try activity { $0["from"] = "2026-11-22T23:59:59.5Z" }
        #expect(shifted.bins.map(\.day) == ["2026-11-22", "2026-11-23"])
        #expect(shifted.bin(of: try #require(Instant("2026-11-22T00:00:00Z"))) == 0)
        #expect(shifted.bin(of: try #require(Instant("2026-11-24T00:00:00Z"))) == nil)
        #expect(try activity { $0["from"] = "2026-11-24T00:00:00Z" }.bins.count == 1)
    }

    @Test(
        "An answer of another form is a problem, not a zero",
        arguments: [
            ("from", "yesterday"), ("until", AuthJSON.null), ("step", 60), ("step", "3600"), ("step", -3_600),
            ("from", "2026-11-25T00:00:00Z"), ("from", "2020-01-01T00:00:00Z"), ("counts", AuthJSON.object([:])),
            ("counts", [["at": "2026-11-22T00:00:00Z", "name": "sign_ins", "labels": ["a", 1], "count": 1]]),
            ("counts", [["at": "2026-11-22T00:00:00Z", "name": "sign_ins", "labels": [], "count": -1]]),
            ("counts", [["at": "2026-11-22T00:00:00Z", "name": "sign_ins", "labels": [], "count": 1_000_000_000_001]]),
            ("funnels", [["method": "google"]]),
        ] as [(String, AuthJSON)])
    func refused(member: String, value: AuthJSON) {
        #expect(throws: WireProblem.self) { try activity { $0[member] = value } }
    }

    @Test("The latency of requests for unknown paths names no route")
    func noRoute() throws {
        func route(_ method: AuthJSON, _ path: AuthJSON) -> AuthJSON {
            ["method": method, "route": path, "count": 1, "p50_ms": 1, "p99_ms": 2]
        }
        let routes = try RouteLatency.list(json: ["routes": [route("GET", "/user"), route("any", "none")]])
        #expect(routes.map(\.shownName) == ["GET /user", "(no route)"])
    }

    @Test("Requests come in the order of their numbers")
    func requests() throws {
        let one =
            #"{"at":"2026-11-22T00:00:00Z","method":"GET","route":"/user","status":200,"ms":1.5,"request_id":"a","n":"#
        let log = try RequestLog(json: JSONReader.read("{\"next\":3,\"requests\":[\(one)2},\(one)1}]}"))
        #expect(log.entries.map(\.number) == [1, 2])
        #expect(throws: WireProblem.self) { try RequestLog(json: ["next": 3, "requests": [["n": 1]]]) }
    }
}
