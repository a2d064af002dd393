import SQLDatabase

/// A call that waits for a connection.
protocol Caller: Sendable {
    var id: UInt64 { get }
    /// On the database's clock. The call is not retried after it.
    var deadline: Duration { get }
    /// Whether it waits longer than others.
    var isPatient: Bool { get }
    func refuse(_ reason: any Error)
}

extension Caller {
    var isPatient: Bool { false }
}

extension Sequence where Element: Caller {
    func refuse(_ reason: any Error) {
        for caller in self { caller.refuse(reason) }
    }
}

/// Callers in order of arrival.
struct CallerQueue<Element: Caller> {
    /// Elements before ``first`` are taken and set to nil, to release what a caller captures.
    private var callers: [Element?] = []
    private var first = 0
    private let limit: Int
    private(set) var isClosed = false

    /// - Parameter limit: Further callers are refused immediately.
    init(limit: Int) { self.limit = limit }

    var count: Int { callers.count - first }

    /// - Parameter held: Callers that have left the queue and still count.
    /// - Returns: Why the caller cannot wait; nil if it does.
    mutating func add(_ caller: Element, beside held: Int = 0) -> DatabaseFailure? {
        if isClosed { return .closed }
        if count + held >= limit { return .tooManyCallers("too many callers wait for the database") }
        callers.append(caller)
        return nil
    }

    /// Takes callers from the front.
    ///
    /// - Parameter fits: Whether the caller may be taken together with the first one.
    mutating func take(
        _ limit: Int = .max, where fits: (_ first: Element, Element) -> Bool = { _, _ in true }
    ) -> [Element] {
        var taken: [Element] = []
        while taken.count < limit, first < callers.count, let caller = callers[first],
            fits(taken.first ?? caller, caller)
        {
            taken.append(caller)
            removeFirst()
        }
        return taken
    }

    private mutating func removeFirst() {
        callers[first] = nil
        first += 1
        if first == callers.count || (first > 1_000 && first * 2 > callers.count) {
            callers.removeFirst(first)
            first = 0
        }
    }

    /// Removes callers past their deadline. They are at the front, because all wait equally long, except patient ones,
    /// which are skipped.
    mutating func takeLate(at now: Duration) -> [Element] {
        var late: [Element] = []
        var index = first
        while index < callers.count, let caller = callers[index], caller.deadline <= now || caller.isPatient {
            if caller.deadline > now {
                index += 1
                continue
            }
            late.append(caller)
            if index == first {
                removeFirst()
                index = first
            } else {
                callers.remove(at: index)
            }
        }
        return late
    }

    /// Removes callers anywhere in the queue.
    mutating func remove(where isGone: (Element) -> Bool) -> [Element] {
        let waiting = callers[first...].compactMap(\.self)
        let gone = waiting.filter(isGone)
        if !gone.isEmpty { (callers, first) = (waiting.filter { !isGone($0) }, 0) }
        return gone
    }

    /// Refuses later callers.
    ///
    /// - Returns: Those that wait.
    mutating func close() -> [Element] {
        isClosed = true
        return take()
    }
}
