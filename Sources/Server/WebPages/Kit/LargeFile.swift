import CEmbedded

/// Embedded through C: Swift's array literals took ten seconds to compile.
enum LargeFile {
    static func bytes(_ document: gatehouse_document) -> [UInt8] {
        Array(UnsafeBufferPointer(start: document.bytes, count: document.count))
    }
}
