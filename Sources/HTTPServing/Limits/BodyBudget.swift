import Synchronization

/// Limits the memory of all request bodies together, however many clients send long bodies slowly.
package final class BodyBudget: Sendable {
    /// The bytes of each body that do not count. Sign-ins, refreshes and profile changes are shorter, so other clients'
    /// long bodies never block them.
    static let free = 8_192

    private struct Use {
        var bytes = 0
        var highest = 0
    }

    private let limit: Int
    private let use = Mutex(Use())

    package init(limit: Int = 33_554_432) { self.limit = limit }

    package var bytes: Int { use.withLock(\.bytes) }

    /// Returns the maximum in use since the previous call.
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

/// A request's share of the budget.
final class BodyShare: Sendable {
    private let budget: BodyBudget
    private let taken = Mutex(0)

    init(_ budget: BodyBudget) { self.budget = budget }

    /// - Parameter count: The length of the body so far.
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

    /// Returns the share to the budget.
    func end() {
        let count = taken.withLock { taken in
            defer { taken = 0 }
            return taken
        }
        if count > 0 { budget.giveBack(count) }
    }
}

/// The bodies of all requests together exceed the limit at the moment.
struct BodiesTooLong: Error {}
