import GatehouseWire
import Synchronization

/// The memory that Argon2 works in, kept for the next computation: given back to the system, each hash would spend
/// a third of its time on fresh pages; left to `malloc`, the blocks come to lie between others and pile up.
///
/// One shelf for the process, because libargon2 asks through C functions, which carry nothing. It erases a block
/// before it gives it back.
enum HashingMemory {
    /// What a computation with ``Argon2Settings/owasp`` takes. Only such blocks are kept, and there are never more
    /// of them than hashing threads; others are for imported hashes, and rare.
    private static let keptBytes = Argon2Settings.owasp.memoryKiB * 1_024

    /// Addresses of blocks that nobody uses.
    private static let shelf = Mutex<[UInt]>([])

    static func take(_ bytes: Int) -> UnsafeMutablePointer<UInt8>? {
        let kept = bytes == keptBytes ? shelf.withLock { $0.popLast() } : nil
        if let kept { return UnsafeMutablePointer(bitPattern: kept) }
        return allocateMemory(bytes)?.assumingMemoryBound(to: UInt8.self)
    }

    static func giveBack(_ block: UnsafeMutablePointer<UInt8>, _ bytes: Int) {
        if bytes == keptBytes {
            shelf.withLock { $0.append(UInt(bitPattern: block)) }
        } else {
            freeMemory(block)
        }
    }

    /// How many blocks wait for the next computation.
    static var keptCount: Int { shelf.withLock { $0.count } }
}

/// libargon2's `allocate_cbk`: a null block tells it that there is no memory.
func takeHashingMemory(_ block: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ bytes: Int) -> Int32 {
    block?.pointee = HashingMemory.take(bytes)
    return 0
}

/// libargon2's `free_cbk`.
func giveBackHashingMemory(_ block: UnsafeMutablePointer<UInt8>?, _ bytes: Int) {
    if let block { HashingMemory.giveBack(block, bytes) }
}
