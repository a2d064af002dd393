import Synchronization

/// The bytes of all request bodies that the server holds, with one limit for them together: however many callers send
/// long bodies slowly, memory stays bounded.
package final class BodyBudget: Sendable {
    /// What each body may have without being counted, in bytes: a sign-in, a refresh or a change of a profile is shorter,
    /// and is never refused because of others' long bodies.
    static let free = 8_192

    private struct Use {
        var bytes = 0
        var highest = 0
    }

    private let limit: Int
    private let use = Mutex(Use())

    package init(limit: Int = 33_554_432) { self.limit = limit }

    package var bytes: Int { use.withLock(\.bytes) }

    /// The most that was in use since this was last called.
    package func takeHighest() -> Int {
        use.withLock { use in
            defer { use.highest = use.bytes }
            return use.highest
        }
    }

    fileprivate func take(_ count: Int) -> Bool {
        use.withLock { use in
            guard use.bytes + count <= limit else { return false }
            use.bytes += count
            use.highest = max(use.highest, use.bytes)
            return true
        }
    }

    fileprivate func giveBack(_ count: Int) { use.withLock { $0.bytes -= count } }
}

/// What one request has of the budget.
final class BodyShare: Sendable {
    private let budget: BodyBudget
    private let taken = Mutex(0)

    init(_ budget: BodyBudget) { self.budget = budget }

    /// - Parameter count: How long the body is by now.
    /// - Throws: ``BodiesTooLong``.
    func grow(to count: Int) throws(BodiesTooLong) {
        let isTaken = taken.withLock { taken in
            let wanted = max(0, count - BodyBudget.free)
            guard wanted > taken else { return true }
            guard budget.take(wanted - taken) else { return false }
            taken = wanted
            return true
        }
        if !isTaken { throw BodiesTooLong() }
    }

    /// Gives everything back.
    func end() {
        let count = taken.withLock { taken in
            defer { taken = 0 }
            return taken
        }
        if count > 0 { budget.giveBack(count) }
    }
}

/// The bodies of all requests together are too long at the moment.
struct BodiesTooLong: Error {}
