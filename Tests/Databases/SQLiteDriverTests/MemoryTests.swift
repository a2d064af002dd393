import CSQLite
import TestDatabases
import Testing

@Suite("SQLite: memory")
struct MemoryTests {
    @Test("An allocation takes no lock that all connections share: SQLite keeps no statistics of them")
    func statistics() async throws {
        let database = try await Workbench().openWithNotes()
        try await database.addNote(1, "a")
        #expect(sqlite3_memory_used() == 0)
    }
}
