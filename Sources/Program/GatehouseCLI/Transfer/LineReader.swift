import Foundation
import GatehouseWire

/// Holds at most one chunk and one line in memory.
package struct LineReader {
    package struct Line: Sendable {
        /// Starts at 1.
        package let number: Int
        /// Without its line feed; nil if longer than ``maximumBytes``.
        package let bytes: [UInt8]?
    }

    /// Far longer than an account with the largest metadata.
    package static let maximumBytes = 1 << 20
    private static let chunkBytes = 1 << 16

    private let handle: FileHandle
    private var chunk: ArraySlice<UInt8> = []
    private var number = 0
    private(set) var position = 0
    /// Bytes; nil for a pipe.
    let length: Int?

    /// - Parameter path: `-` for standard input.
    /// - Throws: ``CommandFailure`` if the file cannot be opened.
    package init(_ path: String) throws {
        if path == "-" {
            handle = .standardInput
            length = nil
            return
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure("The file \(path) cannot be read.")
        }
        self.handle = handle
        var information = stat()
        let isFile = fstat(handle.fileDescriptor, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
        length = isFile ? Int(information.st_size) : nil
    }

    /// The last line's line feed is optional.
    ///
    /// - Returns: nil at the end.
    package mutating func next() throws -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            if chunk.isEmpty {
                guard let data = try handle.read(upToCount: Self.chunkBytes), !data.isEmpty else {
                    guard !line.isEmpty || isTooLong else { return nil }
                    number += 1
                    return Line(number: number, bytes: isTooLong ? nil : line)
                }
                position += data.count
                chunk = ArraySlice(data)
            }
            let end = chunk.firstIndex(of: UInt8(ascii: "\n"))
            let part = chunk[..<(end ?? chunk.endIndex)]
            isTooLong = isTooLong || line.count + part.count > Self.maximumBytes
            if !isTooLong { line += part }
            chunk = end.map { chunk[($0 + 1)...] } ?? []
            if end != nil {
                number += 1
                return Line(number: number, bytes: isTooLong ? nil : line)
            }
        }
    }
}
