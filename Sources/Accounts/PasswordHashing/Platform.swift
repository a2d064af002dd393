// The only platform switch in PasswordHashing.
#if os(Linux)
import GatehouseWire
import CProcess
import FoundationEssentials
import Glibc

/// Nice 10 with the longest turns, 100 ms, so that requests take precedence. At nice 10 alone, a thread is interrupted
/// up to 4 ms late, at the next tick.
func lowerPriorityOfThisThread() {
    scheduling_yield(10, 100_000_000)
}

/// The optimizer cannot remove the write.
func erase(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    explicit_bzero(start, memory.count)
}

/// Pages of 2 MiB save a few percent of Argon2's random access.
private func preferLargePages(_ block: UnsafeMutableRawPointer, _ bytes: Int) { madvise(block, bytes, MADV_HUGEPAGE) }
#else
import Foundation

/// Darwin sets the niceness of whole processes.
func lowerPriorityOfThisThread() {}

/// The optimizer cannot remove the write.
func erase(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    memset_s(start, memory.count, 0, memory.count)
}

/// Darwin chooses the page size.
private func preferLargePages(_ block: UnsafeMutableRawPointer, _ bytes: Int) {}
#endif

/// Returns null if memory is exhausted, where Swift's own allocation would crash.
func allocateMemory(_ bytes: Int) -> UnsafeMutableRawPointer? { malloc(bytes) }
func freeMemory(_ block: UnsafeMutableRawPointer) { free(block) }

/// Outside the heap, for large blocks. Returns null if memory is exhausted.
func mapMemory(_ bytes: Int) -> UnsafeMutableRawPointer? {
    let block = mmap(nil, wholeLargePages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard let block, block != MAP_FAILED else { return nil }
    preferLargePages(block, wholeLargePages(bytes))
    return block
}

/// - Parameter bytes: As given to ``mapMemory(_:)``.
func unmapMemory(_ block: UnsafeMutableRawPointer, _ bytes: Int) { munmap(block, wholeLargePages(bytes)) }

/// Linux aligns a mapping to large pages if its size is a multiple of a large page's.
private func wholeLargePages(_ bytes: Int) -> Int { (bytes + 0x1F_FFFF) & ~0x1F_FFFF }

/// Standard alphabet with padding (RFC 4648 §4).
enum Base64 {
    /// - Returns: `nil` for any other character and for missing padding.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        Data(base64Encoded: String(text)).map(Array.init)
    }

    /// - Returns: `nil` for any other character, and for padding, which the PHC format omits.
    static func decodeUnpadded(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.contains(ascii: "="), text.utf8.count % 4 != 1 else { return nil }
        return decode(text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }

    static func encodeUnpadded(_ bytes: [UInt8]) -> String {
        var text = Data(bytes).base64EncodedString()
        while text.hasSuffix("=") { text.removeLast() }
        return text
    }
}
