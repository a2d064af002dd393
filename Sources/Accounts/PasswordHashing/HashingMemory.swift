import GatehouseWire
import Synchronization

/// Reuses Argon2's memory. Returning it to the system after each hash would cost a tenth of the hash; `malloc` would
/// fragment the heap.
///
/// libargon2 erases a block before freeing it.
final class HashingMemory: Sendable {
    /// One per process, because libargon2's C callbacks have no context parameter. Keeps at most one block of each of
    /// OWASP's sizes per hashing thread.
    static let shared = HashingMemory(
        blockBytes: Argon2Settings.owasp.memoryKiB * 1_024, Argon2Settings.owaspMemory.memoryKiB * 1_024)

    private struct Block {
        let address: UInt
        let bytes: Int
        /// Since the last ``releaseUnused()``.
        var isUnused = false
    }

    private let sizes: Set<Int>
    /// Last in, first out: unused blocks stay at the front.
    private let shelf = Mutex<[Block]>([])

    /// - Parameter blockBytes: The sizes to keep. Others belong to imported hashes and are rare.
    init(blockBytes: Int...) { sizes = Set<Int>(blockBytes) }

    func take(_ bytes: Int) -> UnsafeMutablePointer<UInt8>? {
        guard sizes.contains(bytes) else { return allocateMemory(bytes)?.assumingMemoryBound(to: UInt8.self) }
        let kept = shelf.withLock { blocks in
            blocks.lastIndex { $0.bytes == bytes }.map { blocks.remove(at: $0) }
        }
        if let kept { return UnsafeMutablePointer(bitPattern: kept.address) }
        return mapMemory(bytes)?.assumingMemoryBound(to: UInt8.self)
    }

    func giveBack(_ block: UnsafeMutablePointer<UInt8>, _ bytes: Int) {
        guard sizes.contains(bytes) else { return freeMemory(block) }
        shelf.withLock { $0.append(Block(address: UInt(bitPattern: block), bytes: bytes)) }
    }

    /// Frees the blocks that were unused since the previous call.
    func releaseUnused() {
        let unused = shelf.withLock { blocks in
            let unused = blocks.filter(\.isUnused)
            blocks = blocks.filter { !$0.isUnused }.map { Block(address: $0.address, bytes: $0.bytes, isUnused: true) }
            return unused
        }
        for block in unused {
            if let start = UnsafeMutableRawPointer(bitPattern: block.address) { unmapMemory(start, block.bytes) }
        }
    }

    var keptCount: Int { shelf.withLock { $0.count } }
}

/// libargon2's `allocate_cbk`. A null block reports that allocation failed.
func takeHashingMemory(_ block: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ bytes: Int) -> Int32 {
    block?.pointee = HashingMemory.shared.take(bytes)
    return 0
}

/// libargon2's `free_cbk`.
func giveBackHashingMemory(_ block: UnsafeMutablePointer<UInt8>?, _ bytes: Int) {
    if let block { HashingMemory.shared.giveBack(block, bytes) }
}
