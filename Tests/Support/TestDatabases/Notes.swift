import Dispatch
package import SQLDatabase
import Synchronization

// The table of the database tests.
extension Database {
    /// One statement in its own transaction.
    package func run(_ statement: SQL) async throws { try await write { db in _ = try db.run(statement) } }

    package func addNoteTable() async throws {
        try await run("CREATE TABLE note (id \(.integer) PRIMARY KEY, text \(.text) NOT NULL) \(.table)")
    }

    package func addNote(_ id: Int, _ text: String = "") async throws {
        try await run("INSERT INTO note (id, text) VALUES (\(id), \(text))")
    }

    package func noteIDs() async throws -> [Int] {
        try await rows("SELECT id FROM note ORDER BY id") { Int($0.int()) }
    }

    package func noteTexts() async throws -> [String] {
        try await rows("SELECT text FROM note ORDER BY id") { $0.text() }
    }
}

extension TestDatabase {
    package func openWithNotes() async throws -> OpenDatabase {
        let open = try await openEmpty()
        try await open.database.addNoteTable()
        return open
    }
}

/// Continues when a test says so.
package struct HeldWrite {
    private let release = DispatchSemaphore(value: 0)
    private let began: AsyncStream<Void>
    private let task: Task<Void, any Error>

    package init(_ database: any Database, _ body: @escaping @Sendable (any Connection) throws -> Void) {
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        self.began = began
        task = Task { [release] in
            let waits = Once()
            try await database.write { db in
                try body(db)
                guard waits.isFirst() else { return }
                begin.yield()
                release.wait()
            }
        }
    }

    /// The statements have run, before the commit.
    package func hasBegun() async { for await _ in began { return } }

    /// For code that cannot wait.
    package func letGo() { release.signal() }

    /// Waits until it has committed.
    package func value() async throws { try await task.value }

    /// Waits until it has committed.
    package func finish() async throws {
        letGo()
        try await value()
    }
}

/// A counter.
package final class Tally: Sendable {
    private let count = Mutex(0)

    package init() {}

    @discardableResult package func add() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
    package var value: Int { count.withLock { $0 } }
}

/// True for the first caller.
package final class Once: Sendable {
    private let tally = Tally()

    package init() {}

    package func isFirst() -> Bool { tally.add() == 1 }
}

/// A test's own failure.
package struct Refused: Error, Equatable {
    package let number: Int

    package init(number: Int = 0) { self.number = number }
}

extension Result where Failure == any Error {
    /// For a test that has to clean up first.
    package static func of(_ work: () async throws -> Success) async -> Self {
        do { return .success(try await work()) } catch { return .failure(error) }
    }
}
