import GatehouseWire

/// Limits concurrent items per host. Others wait in order and delay no other host.
package struct HostQueue<Item> {
    package enum Entry: Equatable { case runs, waits, isRefused }

    private struct Line {
        var running = 0
        var waiting: [Item?] = []
        /// Earlier items have left.
        var first = 0

        mutating func next() -> Item? {
            guard first < waiting.count else { return nil }
            defer {
                waiting[first] = nil
                first += 1
                if first == waiting.count { (waiting, first) = ([], 0) }
            }
            return waiting[first]
        }
    }

    private let limit: Int
    private let waitingLimit: Int
    private var lines: [[UInt8]: Line] = [:]

    /// - Parameters:
    ///   - limit: Concurrent items per host.
    ///   - waitingLimit: Waiting items per host; further ones are refused.
    package init(limit: Int, waitingLimit: Int) { (self.limit, self.waitingLimit) = (limit, waitingLimit) }

    package mutating func enter(_ item: Item, at host: String) -> Entry {
        let name = Array(host.utf8)
        let line = lines[name] ?? Line()
        if line.running < limit {
            lines[name, default: Line()].running += 1
            return .runs
        }
        if line.waiting.count - line.first >= waitingLimit { return .isRefused }
        lines[name]?.waiting.append(item)
        return .waits
    }

    /// - Returns: The host's next item, which runs now.
    package mutating func leave(_ host: String) -> Item? {
        let name = Array(host.utf8)
        // In place: a copy of the line would copy all waiting items.
        if let next = lines[name]?.next() { return next }
        lines[name]?.running -= 1
        if lines[name]?.running == 0 { lines[name] = nil }
        return nil
    }
}
