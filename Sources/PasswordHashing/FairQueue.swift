import GatehouseWire

/// The caller of a hash: its address, and the block of addresses around it.
package struct HashingSource: Hashable, Sendable {
    let block: UInt64
    let address: UInt64

    package init(block: UInt64, address: UInt64) {
        self.block = block
        self.address = address
    }

    /// The server itself, and callers without an address.
    package static let none = HashingSource(block: 0, address: 0)
}

/// A queue in which blocks of addresses take turns, and in each block its addresses; of one address the first comes
/// first (fair queueing, RFC 970). A source with many entries delays only itself.
struct FairQueue<Element: Sendable>: Sendable {
    private struct Block {
        var lines: [UInt64: [Element]] = [:]
        /// The addresses with somebody in line, in the order of their turns.
        var turns: [UInt64] = []
        var count = 0
    }

    private var blocks: [UInt64: Block] = [:]
    private var turns: [UInt64] = []

    mutating func append(_ element: Element, from source: HashingSource) {
        if blocks[source.block] == nil { turns.append(source.block) }
        var block = blocks.removeValue(forKey: source.block) ?? Block()
        if block.lines[source.address] == nil { block.turns.append(source.address) }
        block.lines[source.address, default: []].append(element)
        block.count += 1
        blocks[source.block] = block
    }

    /// The one whose turn it is.
    mutating func popFirst() -> Element? {
        guard let block = turns.first, let address = blocks[block]?.turns.first else { return nil }
        turns.append(turns.removeFirst())
        blocks[block]?.turns.append(address)
        blocks[block]?.turns.removeFirst()
        return remove(at: 0, of: HashingSource(block: block, address: address))
    }

    /// The first of a source's for which it is true, wherever it stands in line.
    mutating func remove(from source: HashingSource, where isWanted: (Element) -> Bool) -> Element? {
        guard let place = blocks[source.block]?.lines[source.address]?.firstIndex(where: isWanted) else { return nil }
        return remove(at: place, of: source)
    }

    /// Makes room for one more of `source`, at the cost of the source that holds most: the last of the longest line of the
    /// fullest block. No source gives up a place to one that would then hold more.
    ///
    /// - Returns: The element that has to leave; nil when `source` has its share.
    mutating func giveUp(for source: HashingSource) -> Element? {
        let own = blocks[source.block]?.count ?? 0
        guard let fullest = turns.max(by: { blocks[$0]?.count ?? 0 < blocks[$1]?.count ?? 0 }),
            let block = blocks[fullest]
        else { return nil }
        let longest = block.turns.max { block.lines[$0]?.count ?? 0 < block.lines[$1]?.count ?? 0 }
        guard let longest, let line = block.lines[longest] else { return nil }
        let isFair =
            block.count >= own + 2
            || (fullest == source.block && line.count >= (block.lines[source.address]?.count ?? 0) + 2)
        return isFair ? remove(at: line.count - 1, of: HashingSource(block: fullest, address: longest)) : nil
    }

    private mutating func remove(at place: Int, of source: HashingSource) -> Element? {
        guard var block = blocks.removeValue(forKey: source.block) else { return nil }
        let element = block.lines[source.address]?.remove(at: place)
        block.count -= 1
        if block.lines[source.address]?.isEmpty == true {
            block.lines[source.address] = nil
            block.turns.removeAll { $0 == source.address }
        }
        if block.count > 0 {
            blocks[source.block] = block
        } else {
            turns.removeAll { $0 == source.block }
        }
        return element
    }
}
