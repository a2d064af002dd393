import GatehouseWire

/// Lets a number of items of each host run at once. The others wait in their order, and delay no other host.
package struct HostQueue<Item> {
    private struct Line {
        var running = 0
        var waiting: [Item] = []
    }

    private let limit: Int
    private var lines: [[UInt8]: Line] = [:]

    package init(limit: Int) { self.limit = limit }

    /// - Returns: Whether the item may run. Otherwise it waits.
    package mutating func enter(_ item: Item, at host: String) -> Bool {
        let name = Array(host.utf8)
        guard lines[name, default: Line()].running < limit else {
            lines[name]?.waiting.append(item)
            return false
        }
        lines[name, default: Line()].running += 1
        return true
    }

    /// Ends the run of one item.
    ///
    /// - Returns: The host's next item, which runs now.
    package mutating func leave(_ host: String) -> Item? {
        let name = Array(host.utf8)
        guard var line = lines[name] else { return nil }
        let next = line.waiting.isEmpty ? nil : line.waiting.removeFirst()
        if next == nil { line.running -= 1 }
        lines[name] = line.running == 0 ? nil : line
        return next
    }
}
