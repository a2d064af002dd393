package import AccountDomain
package import AccountStore
package import GatehouseWire
package import HTTPServing
import Synchronization

/// A mail on its way out.
package struct OutgoingMail: Sendable {
    /// The same in all attempts.
    package let messageID: String
    package let content: MailContent
    /// The link; nil for a mail without one.
    package let link: String?
    package let siteURL: String
    /// How long its code is good for.
    package let lifetime: Duration
}

/// Sends mails in the background.
package struct Mailer: Sendable {
    /// Delivers one mail. Called concurrently. nil: a hook delivers mails.
    let deliver: (@Sendable (OutgoingMail) async -> MailResult)?
    /// A random number from 0 to 1.
    let chance: @Sendable () -> Double
    /// The maximum of concurrent mails.
    let connections: Int
    private let slots: MailSlots
    /// How long this node holds a mail.
    let lease: Duration
    /// The interval between mails to one address; nil for none.
    let interval: RateLimiter?
    package let backlog = MailBacklog()
    private let bells: [MailLane: Bell]

    static let intervalBucket = "mail_interval"

    /// - Parameters:
    ///   - interval: The time between two mails of a kind to one address; zero for none.
    ///   - attemptLimit: The longest that a delivery lasts.
    ///   - shared: Counts the intervals for all nodes.
    package init(
        interval: Duration, connections: Int = 4, attemptLimit: Duration = .seconds(120), shared: SharedCounts? = nil,
        chance: @escaping @Sendable () -> Double,
        deliver: (@Sendable (OutgoingMail) async -> MailResult)?
    ) {
        self.deliver = deliver
        self.chance = chance
        self.connections = connections
        slots = MailSlots(capacity: connections)
        lease = MailSchedule.lease(attempt: attemptLimit)
        let limit = RateLimit(Self.intervalBucket, 1, per: interval, burst: 1, isShared: true)
        self.interval = interval > .zero ? RateLimiter([limit], shared: shared) : nil
        bells = Dictionary(uniqueKeysWithValues: MailLane.allCases.map { ($0, Bell()) })
    }

    /// Wakes the lane's worker on this node.
    func ring(_ lane: MailLane) { bells[lane]?.ring() }

    func hasRoom(_ lane: MailLane) -> Bool { slots.hasRoom(lane) }

    /// Takes a place for a concurrent mail of the lane, if one is free.
    func enter(_ lane: MailLane) -> Bool { slots.enter(lane) }

    func leave(_ lane: MailLane) { for waiting in slots.leave(lane) { ring(waiting) } }

    /// Returns when a mail was queued on this node or a place for a mail became free, or after the given time.
    package func wait(
        _ lane: MailLane, atMost duration: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws {
        try await bells[lane]?.wait(atMost: duration, sleep: sleep)
    }
}

/// The last count of queued mails.
package final class MailBacklog: Sendable {
    private struct Found {
        var count = 0
        var oldest: Instant?
        var waiting: [MailBudget: Instant] = [:]
    }

    private let found = Mutex(Found())

    package var count: Int { found.withLock(\.count) }

    /// When the last mail that waits for the budget leaves; nil if none waits.
    func lastWaiting(for budget: MailBudget) -> Instant? { found.withLock { $0.waiting[budget] } }

    /// The age of the oldest queued mail in seconds; 0 without one.
    package func age(at now: Instant) -> Double {
        guard let oldest = found.withLock(\.oldest) else { return 0 }
        return max(0, Double((now - oldest).microseconds) / 1_000_000)
    }

    func note(_ count: Int, oldest: Instant?, waiting: [MailBudget: Instant]) {
        found.withLock { $0 = Found(count: count, oldest: oldest, waiting: waiting) }
    }
}

/// Wakes one waiting task. A ring without a waiting task is remembered.
final class Bell: Sendable {
    private enum State {
        case silent, rung
        case waited(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.silent)

    func ring() {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            if case .waited(let continuation) = state {
                state = .silent
                return continuation
            }
            state = .rung
            return nil
        }
        waiting?.resume()
    }

    func wait(atMost duration: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sleep(duration) }
            group.addTask { await self.heard() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func heard() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if case .rung = state {
                        state = .silent
                        return true
                    }
                    if Task.isCancelled { return true }
                    state = .waited(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
                guard case .waited(let continuation) = state else { return nil }
                state = .silent
                return continuation
            }
            waiting?.resume()
        }
    }
}
