import Dispatch
import SQLDatabase
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

/// A folder with a file that several databases of a test can open, and what they tell of themselves.
final class Workbench: Sendable {
    private let folder: OpenDatabase
    private let callersOfCommits = Mutex<[Int]>([])
    private let committed = DispatchSemaphore(value: 0)

    init() throws { folder = try OpenDatabase() }

    func path(_ name: String = "work.sqlite") -> String { folder.folder + "/" + name }

    /// Opens the file.
    func open(_ name: String = "work.sqlite") throws -> SQLiteDatabase {
        try SQLiteDatabase(path: path(name), uptime: { .zero }) { [self] event in
            guard case .commit(let callers, _) = event else { return }
            callersOfCommits.withLock { $0.append(callers) }
            committed.signal()
        }
    }

    /// Opens the file with a table `note`.
    func openWithNotes() async throws -> SQLiteDatabase {
        let database = try open()
        try await database.run("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")
        forgetCommits()
        return database
    }

    /// How many callers shared each commit.
    var commits: [Int] { callersOfCommits.withLock { $0 } }

    func forgetCommits() {
        callersOfCommits.withLock { $0 = [] }
        while committed.wait(timeout: .init(uptimeNanoseconds: 0)) == .success {}
    }

    /// Waits, on a thread of its caller's own, until a commit has been told of.
    func awaitCommit() { committed.wait() }
}

extension Database {
    /// One statement in a transaction of its own.
    func run(_ statement: SQL) async throws {
        try await write { db in _ = try db.run(statement) }
    }

    func addNote(_ id: Int, _ text: String = "") async throws {
        try await run("INSERT INTO note (id, text) VALUES (\(id), \(text))")
    }

    func noteIDs() async throws -> [Int] {
        try await read { db in
            try db.rows("SELECT id FROM note ORDER BY id") { Int($0.int(0)) }
        }
    }

    /// The first column of the first row, on the writer's connection.
    func pragmaOfWriter(_ name: String) async throws -> String? {
        try await write { db in try db.row(SQL(stringLiteral: "PRAGMA \(name)")) { $0.text(0) } }
    }
}

extension SQLiteDatabase {
    /// Runs `count` writes, numbered from 1, that wait together while the writer is held; tells who was answered
    /// how.
    func writeTogether(
        _ count: Int, _ write: @escaping @Sendable (_ number: Int, any Connection) throws -> Void
    ) async throws -> [Int: Result<Void, any Error>] {
        let held = HeldWrite(self) { _ in }
        await held.hasBegun()
        let asking = Tally()
        let answers = Task {
            await withTaskGroup(of: (Int, Result<Void, any Error>).self) { group in
                for number in 1...count {
                    group.addTask {
                        asking.add()
                        return (number, await .of { try await self.write { try write(number, $0) } })
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        while asking.value < count { await Task.yield() }
        try await held.finish()
        return await answers.value
    }
}

/// A write that has begun and goes on when a test says so.
struct HeldWrite {
    private let release = DispatchSemaphore(value: 0)
    private let began: AsyncStream<Void>
    private let task: Task<Void, any Error>

    init(_ database: any Database, _ body: @escaping @Sendable (any Connection) throws -> Void) {
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        self.began = began
        task = Task { [release] in
            try await database.write { db in
                try body(db)
                begin.yield()
                release.wait()
            }
        }
    }

    /// Waits until the statements have run and the commit has not.
    func hasBegun() async {
        for await _ in began { return }
    }

    /// Lets it commit when something else says so, from a place that cannot wait.
    func letGo() { release.signal() }

    /// Lets it commit, and waits until it has.
    func finish() async throws {
        release.signal()
        try await task.value
    }

    /// Waits until it has committed.
    func value() async throws { try await task.value }
}

/// Counts from wherever it is told to.
final class Tally: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
}

/// A test's own failure.
struct Refused: Error, Equatable { let number: Int }
