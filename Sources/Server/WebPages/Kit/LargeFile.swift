import CEmbedded

/// A file of the pages that the program contains through C: as Swift's array literals they took the compiler ten seconds.
enum LargeFile {
    static func bytes(_ document: gatehouse_document) -> [UInt8] {
        Array(UnsafeBufferPointer(start: document.bytes, count: document.count))
    }
}
