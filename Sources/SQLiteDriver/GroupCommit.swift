import Dispatch
import SQLDatabase
import Synchronization

/// The one writer. Callers that arrive while a commit is under way share the next one: one transaction, a
/// savepoint each, so that one failure does not fail its neighbours, and one wait for the disk.
final class GroupCommit: Sendable {
    /// A caller's transaction.
    struct Waiting: Sendable {
        /// Runs the statements; what it returns is called with nil once they are on disk, else with the reason.
        let body: @Sendable (any Connection) throws -> @Sendable ((any Error)?) -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    private struct Queue {
        var waiting: [Waiting] = []
        var isDraining = false
    }

    /// Bounds how long the first of a batch waits for the last.
    private static let batchLimit = 256

    private let connection: SQLiteConnection
    private let queue = Mutex(Queue())
    private let thread = DispatchQueue(label: "gatehouse.sqlite.writer")
    private let uptime: @Sendable () -> Duration
    private let observe: @Sendable (DatabaseEvent) -> Void

    init(
        connection: SQLiteConnection, uptime: @escaping @Sendable () -> Duration,
        observe: @escaping @Sendable (DatabaseEvent) -> Void
    ) {
        self.connection = connection
        self.uptime = uptime
        self.observe = observe
    }

    func add(_ waiting: Waiting) {
        let mustStart = queue.withLock { queue in
            queue.waiting.append(waiting)
            defer { queue.isDraining = true }
            return !queue.isDraining
        }
        if mustStart { thread.async { self.drain() } }
    }

    private func drain() {
        while true {
            let batch = queue.withLock { queue -> [Waiting] in
                let batch = Array(queue.waiting.prefix(Self.batchLimit))
                queue.waiting.removeFirst(batch.count)
                if batch.isEmpty { queue.isDraining = false }
                return batch
            }
            if batch.isEmpty { return }
            commit(batch[...])
        }
    }

    private func commit(_ batch: ArraySlice<Waiting>) {
        let start = uptime()
        var answers: [@Sendable ((any Error)?) -> Void] = []
        do {
            try connection.execute("BEGIN IMMEDIATE")
            for (position, waiting) in zip(batch.indices, batch) {
                let answer = run(waiting)
                guard connection.isInTransaction else {
                    // SQLite itself rolls everything back when the disk is full or fails: the one that met it is
                    // refused, and its neighbours run again without it.
                    if position > batch.startIndex { commit(batch[..<position]) }
                    answer(nil)
                    if position + 1 < batch.endIndex { commit(batch[(position + 1)...]) }
                    return
                }
                answers.append(answer)
            }
            try connection.execute("COMMIT")
        } catch {
            // Fails when SQLite has rolled back already, which is what is wanted.
            try? connection.execute("ROLLBACK")
            if answers.isEmpty {
                for waiting in batch { waiting.refuse(error) }
            } else {
                for answer in answers { answer(error) }
            }
            return
        }
        observe(.commit(callers: answers.count, uptime() - start))
        for answer in answers { answer(nil) }
    }

    /// Runs one caller's statements in a savepoint; a refusal too is answered after the commit, so that nobody
    /// is told of a neighbour's rows before they are on disk.
    private func run(_ waiting: Waiting) -> @Sendable ((any Error)?) -> Void {
        do {
            try connection.execute("SAVEPOINT caller")
            let answer = try waiting.body(connection)
            try connection.execute("RELEASE caller")
            return answer
        } catch {
            if connection.isInTransaction {
                do {
                    try connection.execute("ROLLBACK TO caller")
                    try connection.execute("RELEASE caller")
                } catch {
                    // The batch cannot be trusted any more: end it here, so that the others run again without it.
                    // Fails when SQLite has rolled back already, which is what is wanted.
                    try? connection.execute("ROLLBACK")
                }
            }
            return { _ in waiting.refuse(error) }
        }
    }
}
