import Foundation
import Gatehouse
import GatehouseWire
import Synchronization
import TestSupport

/// The server's time. A short wait moves the clock; a time limit expires when the test moves the clock past it.
final class DeviceClock: Sendable {
    private struct Sleeper {
        let end: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var count = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
    }

    /// Longer waits are time limits.
    private static let limit = Duration.seconds(20)

    private let state = Mutex(State())
    private let server: TestClock

    init(_ server: TestServer) { self.server = server.clock }

    var clock: ClientClock {
        ClientClock(
            now: { [server] in Date(wire: "\(server.now)") ?? .distantPast }, uptime: { [server] in server.uptime },
            sleep: { [self] in try await wait($0) })
    }

    /// The number of running limits.
    var waitCount: Int { state.withLock { $0.sleepers.count } }

    func advance(by duration: Duration) {
        server.advance(by: duration)
        let uptime = server.uptime
        let due = state.withLock { state in
            let due = state.sleepers.filter { $0.value.end <= uptime }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    private func wait(_ duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration >= Self.limit else { return advance(by: duration) }
        let end = server.uptime + duration
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return true }
                    state.sleepers[id] = Sleeper(end: end, continuation: continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: id)
            if sleeper == nil { state.cancelled.insert(id) }
            return sleeper
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
