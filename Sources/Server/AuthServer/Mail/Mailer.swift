package import AccountDomain
package import AccountStore
package import GatehouseWire
package import HTTPServing
import Synchronization

package struct OutgoingMail: Sendable {
    /// The same in all attempts.
    package let messageID: String
    package let content: MailContent
    package let link: String?
    package let siteURL: String
    package let lifetime: Duration
}

package enum CodeVerdict: Sendable {
    case right, wrong
    /// Logged.
    case failed
}

/// Asks a provider that generates the codes of text messages.
package typealias CodeCheck = @Sendable (PhoneNumber, Secret) async throws -> CodeVerdict

package struct Mailer: Sendable {
    /// nil: the codes are this server's.
    package var checkCode: CodeCheck?
    /// Called concurrently. nil: a hook delivers mails.
    let deliver: (@Sendable (OutgoingMail) async -> MailResult)?
    /// 0 to 1.
    let chance: @Sendable () -> Double
    let connections: Int
    private let slots: MailSlots
    let lease: Duration
    /// nil without an interval.
    let interval: RateLimiter?
    package let backlog = MailBacklog()
    private let bells: [MailLane: Bell]

    static let intervalBucket = "mail_interval"
    package static let textIntervalBucket = "text_interval"

    /// - Parameters:
    ///   - interval: Between two mails of a kind to one address; zero for none.
    ///   - attemptLimit: The longest delivery.
    ///   - shared: For all nodes.
    package init(
        interval: Duration, bucket: String = "mail_interval", connections: Int = 4,
        attemptLimit: Duration = .seconds(120), shared: SharedCounts? = nil,
        chance: @escaping @Sendable () -> Double,
        deliver: (@Sendable (OutgoingMail) async -> MailResult)?
    ) {
        self.deliver = deliver
        self.chance = chance
        self.connections = connections
        slots = MailSlots(capacity: connections)
        lease = MailSchedule.lease(attempt: attemptLimit)
        let limit = RateLimit(bucket, 1, per: interval, burst: 1, isShared: true)
        self.interval = interval > .zero ? RateLimiter([limit], shared: shared) : nil
        bells = Dictionary(uniqueKeysWithValues: MailLane.allCases.map { ($0, Bell()) })
    }

    func ring(_ lane: MailLane) { bells[lane]?.ring() }

    func hasRoom(_ lane: MailLane) -> Bool { slots.hasRoom(lane) }

    func enter(_ lane: MailLane) -> Bool { slots.enter(lane) }

    func leave(_ lane: MailLane) { for waiting in slots.leave(lane) { ring(waiting) } }

    /// Returns early when a mail is queued on this node or a slot becomes free.
    package func wait(
        _ lane: MailLane, atMost duration: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws {
        try await bells[lane]?.wait(atMost: duration, sleep: sleep)
    }
}

package final class MailBacklog: Sendable {
    private struct Found {
        var count = 0
        var oldest: Instant?
        var waiting: [MailBudget: Instant] = [:]
    }

    private let found = Mutex(Found())

    package var count: Int { found.withLock(\.count) }

    /// When the last waiting mail leaves; nil if none waits.
    func lastWaiting(for budget: MailBudget) -> Instant? { found.withLock { $0.waiting[budget] } }

    /// In seconds; 0 without a queued mail.
    package func age(at now: Instant) -> Double {
        guard let oldest = found.withLock(\.oldest) else { return 0 }
        return max(0, Double((now - oldest).microseconds) / 1_000_000)
    }

    func note(_ count: Int, oldest: Instant?, waiting: [MailBudget: Instant]) {
        found.withLock { $0 = Found(count: count, oldest: oldest, waiting: waiting) }
    }
}

/// Wakes one waiting task. Remembers a ring that no task waits for.
package final class Bell: Sendable {
    private enum State {
        case silent, rung
        case waited(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.silent)

    package init() {}

    package func ring() {
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

    package func wait(
        atMost duration: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws {
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
