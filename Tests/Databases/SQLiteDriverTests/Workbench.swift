import Dispatch
import SQLDatabase
import SQLiteDriver
import Synchronization
import TestDatabases

/// Several databases of a test can open the file.
final class Workbench: Sendable {
    private let place: DatabasePlace
    private let callersOfCommits = Mutex<[Int]>([])
    private let committed = DispatchSemaphore(value: 0)

    init() throws { place = try DatabasePlace() }

    func path(_ name: String = "work.sqlite") -> String { place.folder + "/" + name }

    /// Opens the file.
    func open(
        _ name: String = "work.sqlite", settings: SQLiteSettings = SQLiteSettings(),
        uptime: @escaping @Sendable () -> Duration = { .zero }
    ) throws -> SQLiteDatabase {
        try SQLiteDatabase(path: path(name), settings: settings, uptime: uptime) { [self] event in
            guard case .commit(let callers, _) = event else { return }
            callersOfCommits.withLock { $0.append(callers) }
            committed.signal()
        }
    }

    /// Opens the file with a table `note`.
    func openWithNotes() async throws -> SQLiteDatabase {
        let database = try open()
        try await database.addNoteTable()
        forgetCommits()
        return database
    }

    /// The number of callers in each commit.
    var commits: [Int] { callersOfCommits.withLock { $0 } }

    func forgetCommits() {
        callersOfCommits.withLock { $0 = [] }
        while committed.wait(timeout: .init(uptimeNanoseconds: 0)) == .success {}
    }

    /// Blocks until a commit is observed.
    func awaitCommit() { committed.wait() }
}

extension Database {
    /// The first value, on the writer's connection.
    func pragmaOfWriter(_ name: String) async throws -> String? {
        try await write { db in try db.row(SQL(stringLiteral: "PRAGMA \(name)")) { $0.text() } }
    }
}

extension SQLiteDatabase {
    /// The writes, numbered from 1, wait together while the writer is held.
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
