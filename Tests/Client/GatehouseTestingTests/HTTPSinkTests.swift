import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseWire
import Synchronization
import Testing

@Suite("Telemetry over HTTP", .timeLimit(.minutes(5)))
struct HTTPSinkTests {
    /// nil for no connection.
    private final class Receiver: Sendable {
        let status = Mutex<Int?>(204)
        private let received = Mutex<[AuthJSON]>([])
        var bodies: [AuthJSON] { received.withLock { $0 } }

        @Sendable func send(_ call: HTTPCall) async throws -> HTTPReply {
            guard call.method == "POST", call.headers["authorization"] == nil, let body = call.body else {
                throw URLError(.badURL)
            }
            let json = try JSONReader.read(body)
            received.withLock { $0.append(json) }
            guard let status = status.withLock({ $0 }) else { throw URLError(.notConnectedToInternet) }
            return HTTPReply(status: status)
        }

        /// Of events, and of those dropped before.
        var counts: [[Int64]] {
            bodies.map { [Int64($0["events"]?.arrayValue?.count ?? -1), $0["dropped"]?.intValue ?? -1] }
        }
    }

    private let receiver = Receiver()
    private let clock = VirtualClock()

    private func sink(limit: Int = 200) -> HTTPSink {
        HTTPSink(
            url: URL(string: "https://t.example.com/v1/events")!, app: "journal", transport: receiver.send,
            clock: clock.clock, limit: limit)
    }

    private func advance(_ duration: Duration) async throws {
        try await clock.waitForSleepers()
        clock.advance(by: duration)
    }

    @Test("Events of half a minute are one call, without a call of the app's own")
    func batch() async throws {
        let sink = sink()
        sink.record(.started(.email))
        sink.record(.stepIgnored)
        sink.record(.completed(.email, duration: .milliseconds(1_250)))
        #expect(receiver.bodies.isEmpty)
        try await advance(.seconds(30))
        await until { !receiver.bodies.isEmpty }
        #expect(
            receiver.bodies == [
                [
                    "app": "journal", "dropped": 0,
                    "events": [
                        ["name": "auth_started", "labels": ["method": "email"]],
                        ["name": "auth_completed", "labels": ["method": "email"], "duration_ms": 1_250],
                    ],
                ]
            ])
        #expect(clock.sleeps == [.seconds(30)])
        sink.record(.cancelled(.apple))
        try await advance(.seconds(30))
        await until { receiver.bodies.count == 2 }
    }

    @Test("Without a connection events wait, the newest ones; the attempts become rare")
    func offline() async throws {
        let sink = sink(limit: 3)
        receiver.status.withLock { $0 = nil }
        for _ in 0..<5 { sink.record(.started(.email)) }
        for attempt in 0..<9 {
            try await advance(.seconds(30) * (1 << min(attempt, 6)))
            await until { receiver.bodies.count == attempt + 1 }
        }
        // The last attempt has ended.
        try await clock.waitForSleepers()
        #expect(clock.sleeps.prefix(9).last == .seconds(1_920))
        sink.record(.cancelled(.apple))
        receiver.status.withLock { $0 = 503 }
        await sink.flush()
        receiver.status.withLock { $0 = 204 }
        await sink.flush()
        #expect(receiver.counts == Array(repeating: [3, 2], count: 9) + [[3, 3], [3, 3]])
        #expect(receiver.bodies.last?["events"]?.arrayValue?.last?["name"] == "auth_cancelled")
        await sink.flush()
        #expect(receiver.bodies.count == 11)
    }

    @Test("Many events go in several calls of a hundred")
    func many() async {
        let sink = sink(limit: 250)
        for _ in 0..<260 { sink.record(.started(.email)) }
        await sink.flush()
        #expect(receiver.counts == [[100, 10], [100, 0], [50, 0]])
    }

    @Test("A refused batch is not repeated; its number follows. 404 ends the reports", arguments: [400, 404])
    func refused(_ status: Int) async {
        let sink = sink()
        receiver.status.withLock { $0 = status }
        sink.record(.started(.email))
        await sink.flush()
        receiver.status.withLock { $0 = 204 }
        sink.record(.started(.apple))
        await sink.flush()
        #expect(receiver.counts == (status == 400 ? [[1, 0], [1, 1]] : [[1, 0]]))
    }

    @Test("Two calls at once send each event once")
    func once() async {
        let sink = sink()
        for _ in 0..<50 { sink.record(.started(.email)) }
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await sink.flush() } }
        }
        #expect(receiver.counts == [[50, 0]])
    }

    @Test("A sign-in does not wait for telemetry, and a manager lets every receiver send")
    @MainActor func manager() async throws {
        let service = InMemoryAuthService.signedIn()
        let sink = sink()
        let counter = CounterSink()
        let manager = service.makeManager(telemetry: [counter, sink])
        await manager.signOut()
        receiver.status.withLock { $0 = nil }
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        #expect(manager.isLoggedIn && receiver.bodies.isEmpty)
        receiver.status.withLock { $0 = 204 }
        await manager.flushTelemetry().value
        #expect(receiver.counts == [[2, 0]])
        #expect(counter.counts[.init("auth_started", ["method": "email"])] == 1)
    }
}
