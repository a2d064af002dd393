import Foundation
import GatehouseCLI
import Testing

@Suite("Reading line by line")
struct LineReaderTests {
    /// -1 for a line that is too long.
    private func lines(of bytes: [UInt8]) throws -> [[Int]] {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("gatehouse-\(UInt64.random(in: .min ... .max)).jsonl")
        try Data(bytes).write(to: file)
        defer {
            // Ignored: the system cleans its temporary folder.
            try? FileManager.default.removeItem(at: file)
        }
        var reader = try LineReader(file.path)
        var lines: [[Int]] = []
        while let line = try reader.next() { lines.append([line.number, line.bytes?.count ?? -1]) }
        return lines
    }

    @Test(
        "Lines end at line feeds, the last one also at the end",
        arguments: [
            ("", []), ("\n", [[1, 0]]), ("a", [[1, 1]]), ("a\nbc\n", [[1, 1], [2, 2]]),
            ("a\n\nbc", [[1, 1], [2, 0], [3, 2]]),
        ] as [(String, [[Int]])])
    func short(text: String, expected: [[Int]]) throws {
        #expect(try lines(of: Array(text.utf8)) == expected)
    }

    @Test("A line may be longer than one read, and end where the read ends")
    func acrossChunks() throws {
        let chunk = 1 << 16
        let long = [UInt8](repeating: 0x61, count: 3 * chunk + 5)
        let exact = [UInt8](repeating: 0x62, count: 1 << 20)
        let bytes = long + [0x0A] + exact + [0x0A, 0x63]
        #expect(try lines(of: bytes) == [[1, long.count], [2, exact.count], [3, 1]])
    }

    @Test("A line beyond the limit is reported as such, and the next one is read")
    func tooLong() throws {
        let bytes = [UInt8](repeating: 0x61, count: LineReader.maximumBytes + 1) + [0x0A, 0x62, 0x0A]
        #expect(try lines(of: bytes) == [[1, -1], [2, 1]])
    }
}
