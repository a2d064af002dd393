import GatehouseWire

package struct HashingSource: Hashable, Sendable {
    let block: UInt64
    let address: UInt64

    package init(block: UInt64, address: UInt64) {
        self.block = block
        self.address = address
    }

    /// The server itself, or a client without an address.
    package static let none = HashingSource(block: 0, address: 0)
}

/// RFC 970: address blocks take turns, and within each block its addresses, each first in, first out. A source with
/// many entries delays only itself.
struct FairQueue<Element: Sendable>: Sendable {
    private struct Block {
        var lines: [UInt64: [Element]] = [:]
        /// Addresses with waiting entries.
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

    mutating func popFirst() -> Element? {
        guard let block = turns.first, let address = blocks[block]?.turns.first else { return nil }
        turns.append(turns.removeFirst())
        blocks[block]?.turns.append(address)
        blocks[block]?.turns.removeFirst()
        return remove(at: 0, of: HashingSource(block: block, address: address))
    }

    mutating func remove(from source: HashingSource, where isWanted: (Element) -> Bool) -> Element? {
        guard let place = blocks[source.block]?.lines[source.address]?.firstIndex(where: isWanted) else { return nil }
        return remove(at: place, of: source)
    }

    /// Removes the last entry in the longest line of the fullest block. A source never loses its place to one that
    /// would then have more entries.
    ///
    /// - Returns: nil if `source` already has its share.
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
