import AccountStore
import Foundation
import Gatehouse
import GatehouseWire
import Synchronization

/// The network's fault for one request.
enum NetworkFate: CaseIterable, Sendable {
    case delivers
    case losesRequest
    case losesAnswer
    /// Arrives twice; the first response returns.
    case repeats
    case unavailable
    case busy
    case captivePortal
}

enum NetworkWeather: CaseIterable, Sendable {
    case calm
    case flaky
    case down
}

/// A device with an app, its File Provider and its widget on one store, a server, and a network that a schedule
/// disturbs.
final class ExploredWorld: Sendable {
    private struct State {
        var elapsed = Duration.zero
        var wrong = Duration.zero
        var weather = NetworkWeather.calm
        var runs: [Incarnation] = []
        var clients: [GatehouseClient] = []
        var startCount = 0
    }

    static let processes = 0..<3
    /// The app, and the File Provider, which signs in separately.
    static let signingIn = 2

    private let state = Mutex(State())
    let history: History
    let server: ExploredServer
    let store: SharedStore

    init(_ accounts: Accounts, isTold: Bool) throws {
        let (clock, history) = (ElapsedTime(), History(isTold: isTold))
        (self.clock, self.history) = (clock, history)
        let server = ExploredServer(
            accounts, elapsed: { clock.value }, isSigningOut: { history.isSigningOut },
            complain: { history.complain($0) })
        self.server = server
        store = SharedStore(
            hear: { history.hear($0, server) },
            overwroteBlindly: { run in
                if !run.isDead { history.complain("an entry was written over that could not be read") }
            })
        for process in Self.processes { try start(process) }
    }

    let clock: ElapsedTime

    /// The app starts or restarts.
    @discardableResult
    func start(_ process: Int) throws -> GatehouseClient {
        let number = state.withLock { state in
            state.startCount += 1
            return state.startCount
        }
        let run = Incarnation(process: process, number: number)
        let client = try GatehouseClient(
            url: URL(string: "http://127.0.0.1:9999/auth/v1") ?? URL(filePath: "/"), publishableKey: "key",
            storage: ProcessStorage(store: store, run: run),
            transport: { [weak self] call in
                guard let self else { throw ProcessEnded() }
                return try await self.send(call, from: run)
            }, clock: deviceClock, randomness: { Scheduler.shared.bytes($0) })
        state.withLock { state in
            if state.runs.count > process {
                state.runs[process] = run
                state.clients[process] = client
            } else {
                state.runs.append(run)
                state.clients.append(client)
            }
        }
        return client
    }

    func crash(_ process: Int) throws {
        let run = run(process)
        run.die()
        store.release(run)
        try start(process)
    }

    /// Clients hold their listeners, which hold this.
    func close() { state.withLock { $0.clients = [] } }

    func run(_ process: Int) -> Incarnation { state.withLock { $0.runs[process] } }
    func client(_ process: Int) -> GatehouseClient { state.withLock { $0.clients[process] } }
    func set(_ fault: StoreFault) {
        store.set(fault)
        history.storeChanges(isReadable: fault != .locked && fault != .unreadable)
    }

    func set(_ weather: NetworkWeather) { state.withLock { $0.weather = weather } }
    func setClock(ahead: Duration) { state.withLock { $0.wrong = ahead } }

    private var deviceClock: ClientClock {
        ClientClock(
            now: { [weak self, server] in
                let wrong = self?.state.withLock { $0.wrong } ?? .zero
                return Date(wire: "\(server.now + wrong)") ?? .distantPast
            },
            uptime: { [clock] in clock.value },
            sleep: { [clock] duration in
                let end = clock.value + duration
                await Scheduler.shared.pause()
                try Task.checkCancellation()
                clock.advance(to: end)
            })
    }
}

// The network.
extension ExploredWorld {
    private func send(_ call: HTTPCall, from run: Incarnation) async throws -> HTTPReply {
        guard call.url.query == "grant_type=refresh_token" else { return try await carry(call, run) }
        let flight = history.refreshLeaves(run, server.session(of: call), current: state.withLock { $0.runs })
        defer { history.refreshReturned(flight) }
        // A cancelled response has no effect.
        return try await withTaskCancellationHandler {
            try await carry(call, run)
        } onCancel: { [history] in
            history.refreshReturned(flight)
        }
    }

    private func carry(_ call: HTTPCall, _ run: Incarnation) async throws -> HTTPReply {
        let fate = fate()
        let sentAt = clock.value
        for _ in 0..<Scheduler.shared.pick(4) { await Scheduler.shared.pause() }
        // The maximum delay of a delivered request.
        if run.isDead || fate == .losesRequest || clock.value - sentAt > .seconds(10) { throw ProcessEnded() }
        switch fate {
        case .unavailable: return HTTPReply(status: 503)
        case .busy: return HTTPReply(status: 429, headers: ["retry-after": "2"])
        case .captivePortal: return HTTPReply(status: 200, body: Array("<html>Welcome</html>".utf8))
        case .repeats: deliverLater(call, sentAt)
        default: break
        }
        let serverTime = server.now
        let reply = try await server.answer(call)
        history.tell("\(run): \(call.method) \(call.url.path) is answered with \(reply.status), \(fate)")
        for _ in 0..<Scheduler.shared.pick(4) { await Scheduler.shared.pause() }
        if run.isDead || fate == .losesAnswer { throw ProcessEnded() }
        return HTTPReply(status: reply.status, headers: ["date": Self.httpDate(serverTime)], body: reply.body)
    }

    private func deliverLater(_ call: HTTPCall, _ sentAt: Duration) {
        Task.detached { [server, clock] in
            for _ in 0..<(1 + Scheduler.shared.pick(6)) { await Scheduler.shared.pause() }
            guard clock.value - sentAt <= .seconds(10) else { return }
            // Ignored: the response has no waiting caller.
            _ = try? await server.answer(call)
        }
    }

    private func fate() -> NetworkFate {
        switch state.withLock({ $0.weather }) {
        case .calm: .delivers
        case .down: .losesRequest
        case .flaky: Scheduler.shared.pick(2) == 0 ? .delivers : NetworkFate.allCases[Scheduler.shared.pick(7)]
        }
    }

    /// RFC 9110 §5.6.7.
    private static func httpDate(_ instant: Instant) -> String {
        let parts = "\(Instant(seconds: instant.seconds))".split { "-T:Z".contains($0) }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let month = months[(Int(parts[1]) ?? 1) - 1]
        return "Thu, \(parts[2]) \(month) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
    }
}

/// Since a schedule began, monotonic.
final class ElapsedTime: Sendable {
    private let elapsed = Mutex(Duration.zero)

    var value: Duration { elapsed.withLock { $0 } }
    func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }
    func advance(to end: Duration) { elapsed.withLock { $0 = max($0, end) } }
}
