import GatehouseWire
import Synchronization

/// Reuses Argon2's memory. Returning it to the system would cost a third of each hash for page faults; leaving it to
/// `malloc` would fragment the heap.
///
/// One cache per process, because libargon2's C callbacks have no context parameter. libargon2 erases a block before
/// freeing it.
enum HashingMemory {
    /// The memory of a computation with ``Argon2Settings/owasp``. Only blocks of this size are kept, so there are at
    /// most as many as hashing threads. Other sizes belong to imported hashes and are rare.
    private static let keptBytes = Argon2Settings.owasp.memoryKiB * 1_024

    /// Addresses of free blocks.
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

    /// The number of free blocks.
    static var keptCount: Int { shelf.withLock { $0.count } }
}

/// libargon2's `allocate_cbk`. A null block reports that allocation failed.
func takeHashingMemory(_ block: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ bytes: Int) -> Int32 {
    block?.pointee = HashingMemory.take(bytes)
    return 0
}

/// libargon2's `free_cbk`.
func giveBackHashingMemory(_ block: UnsafeMutablePointer<UInt8>?, _ bytes: Int) {
    if let block { HashingMemory.giveBack(block, bytes) }
}
