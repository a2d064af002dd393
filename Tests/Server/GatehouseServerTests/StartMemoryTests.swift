#if os(Linux)
import CProcess
import Foundation
import Testing

@Suite("Memory after the start")
struct StartMemoryTests {
    @Test("Leaving the start gives up pages of programs and libraries")
    func leave() async {
        // In a separate process: concurrent tests also read pages.
        await #expect(processExitsWith: .success) {
            let before = try residentFilePages()
            memory_leave_start()
            #expect(try residentFilePages() < before)
        }
    }
}

/// Mapped and read pages of files (proc(5), `statm`).
private func residentFilePages() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[2]))
}
#endif
