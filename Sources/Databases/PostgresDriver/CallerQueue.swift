import SQLDatabase

protocol Caller: Sendable {
    var id: UInt64 { get }
    /// On the database's clock. No retry begins after it.
    var deadline: Duration { get }
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

/// In order of arrival.
struct CallerQueue<Element: Caller> {
    /// Elements before ``first`` are nil, to release what a caller captures.
    private var callers: [Element?] = []
    private var first = 0
    private let limit: Int
    private(set) var isClosed = false

    /// - Parameter limit: Further callers are refused immediately.
    init(limit: Int) { self.limit = limit }

    var count: Int { callers.count - first }

    /// - Parameter held: Callers outside the queue that count towards the limit.
    /// - Returns: Why the caller cannot wait.
    mutating func add(_ caller: Element, beside held: Int = 0) -> DatabaseFailure? {
        if isClosed { return .closed }
        if count + held >= limit { return .tooManyCallers("too many callers wait for the database") }
        callers.append(caller)
        return nil
    }

    mutating func takeAll() -> [Element] {
        defer { (callers, first) = ([], 0) }
        return callers[first...].compactMap(\.self)
    }

    /// - Parameter fits: May be taken together with the first one.
    mutating func take(
        _ limit: Int, where fits: (_ first: Element, Element) -> Bool = { _, _ in true }
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

    /// Looks only at the front, because nearly all wait equally long. Skips patient callers, and a change from another
    /// queue until it is taken.
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

    mutating func remove(_ id: UInt64) -> Element? {
        callers[first...].firstIndex { $0?.id == id }.flatMap { callers.remove(at: $0) }
    }

    /// Includes patient callers and those from another queue.
    mutating func takeAllLate(at now: Duration) -> [Element] {
        let isLate = { (caller: Element?) in caller.map { $0.deadline <= now } ?? false }
        let late = callers[first...].filter(isLate).compactMap(\.self)
        if !late.isEmpty { callers.removeAll(where: isLate) }
        return late
    }

    /// - Returns: The waiting callers. Later ones are refused.
    mutating func close() -> [Element] {
        isClosed = true
        return takeAll()
    }
}
