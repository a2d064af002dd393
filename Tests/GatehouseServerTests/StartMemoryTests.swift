#if os(Linux)
import CMemory
import Foundation
import Testing

@Suite("Memory after the start")
struct StartMemoryTests {
    /// Pages of files that this process has mapped and read (proc(5), `statm`).
    private func residentFilePages() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(fields[2]))
    }

    @Test("Leaving the start gives up pages of programs and libraries")
    func leave() throws {
        let before = try residentFilePages()
        memory_leave_start()
        #expect(try residentFilePages() < before)
    }
}
#endif
