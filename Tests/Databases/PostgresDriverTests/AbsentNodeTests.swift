import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: failing nodes", .needsServer)
struct AbsentNodeTests {
    @Test("The lock of a node is free when the node is gone, even if its work continues unseen")
    func holderGone() async throws {
        let bench = try await Bench()
        let name = "holder-\(bench.schema)"
        let holder = try bench.open(1, "&application_name=\(name)")
        let other = try await bench.openWithNotes(1)
        try await holder.exclusively("purge", waits: false) {
            let busy = try await other.exclusively("purge", waits: false) { true }
            #expect(busy == nil)
            // As the server does after a node's long silence.
            try await bench.cluster.administer(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
            let taken = try await other.exclusively("purge", waits: true) { true }
            #expect(taken == true)
            // Each statement is a transaction, so two working nodes are harmless.
            try await holder.addNote(1)
        }
        #expect(try await other.noteIDs() == [1])
        #expect(try await holder.exclusively("purge", waits: true) { true } == true)
    }
}
