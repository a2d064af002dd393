import Dispatch
import SQLDatabase
import Synchronization

/// The single writer. Callers that arrive during a commit share the next one: one transaction and one wait for the
/// disk, with a savepoint each, so that a failure affects only its own caller.
final class GroupCommit: Sendable {
    struct Waiting: Sendable {
        let id: UInt64
        /// On the database's clock. The transaction does not begin after it.
        let deadline: Duration
        /// The returned closure is called after the commit: with nil on success, otherwise with the error.
        let body: @Sendable (any Connection) throws -> @Sendable ((any Error)?) -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    private struct Queue {
        /// In the order of their deadlines.
        var waiting: [Waiting] = []
        var isDraining = false
    }

    /// Bounds how long a batch's first caller waits for its last.
    private static let batchLimit = 256

    private let connection: SQLiteConnection
    private let callerLimit: Int
    private let queue = Mutex(Queue())
    private let thread = DispatchQueue(label: "gatehouse.sqlite.writer")
    private let uptime: @Sendable () -> Duration
    private let observe: @Sendable (DatabaseEvent) -> Void

    init(
        connection: SQLiteConnection, callerLimit: Int, uptime: @escaping @Sendable () -> Duration,
        observe: @escaping @Sendable (DatabaseEvent) -> Void
    ) {
        self.connection = connection
        self.callerLimit = callerLimit
        self.uptime = uptime
        self.observe = observe
    }

    var waitingCount: Int { queue.withLock(\.waiting.count) }

    func add(_ waiting: Waiting) {
        let (isRefused, mustStart) = queue.withLock { queue in
            if queue.waiting.count >= callerLimit { return (true, false) }
            queue.waiting.append(waiting)
            defer { queue.isDraining = true }
            return (false, !queue.isDraining)
        }
        if isRefused { return waiting.refuse(DatabaseFailure(.tooManyCallers, detail: "too many writes wait")) }
        if mustStart { thread.async { self.drain() } }
    }

    func cancel(_ id: UInt64) {
        let waiting = queue.withLock { queue in
            queue.waiting.firstIndex { $0.id == id }.map { queue.waiting.remove(at: $0) }
        }
        waiting?.refuse(CancellationError())
    }

    private func drain() {
        while hasMore() {
            let start = uptime()
            let began = Result { try connection.execute("BEGIN IMMEDIATE") }
            // Taken after the transaction began: another program's write can delay it, and callers can cancel during
            // that time.
            let (batch, late) = take()
            for waiting in late { waiting.refuse(DatabaseFailure(.tooManyCallers, detail: "no turn to write in time")) }
            switch began {
            case .success: finish(batch[...], since: start)
            case .failure(let error): for waiting in batch { waiting.refuse(error) }
            }
        }
    }

    private func hasMore() -> Bool {
        queue.withLock { queue in
            queue.isDraining = !queue.waiting.isEmpty
            return queue.isDraining
        }
    }

    private func take() -> (batch: [Waiting], late: [Waiting]) {
        let now = uptime()
        return queue.withLock { queue in
            let late = Array(queue.waiting.prefix { $0.deadline <= now })
            let batch = Array(queue.waiting[late.count...].prefix(Self.batchLimit))
            queue.waiting.removeFirst(late.count + batch.count)
            return (batch, late)
        }
    }

    private func commit(_ batch: ArraySlice<Waiting>) {
        let start = uptime()
        do {
            try connection.execute("BEGIN IMMEDIATE")
        } catch {
            for waiting in batch { waiting.refuse(error) }
            return
        }
        finish(batch, since: start)
    }

    private func finish(_ batch: ArraySlice<Waiting>, since start: Duration) {
        var answers: [@Sendable ((any Error)?) -> Void] = []
        for (position, waiting) in zip(batch.indices, batch) {
            let answer = run(waiting)
            guard connection.isInTransaction else {
                // SQLite rolls back everything when the disk is full or fails. The caller that triggered it is refused,
                // and the others run again without it.
                if position > batch.startIndex { commit(batch[..<position]) }
                answer(nil)
                if position + 1 < batch.endIndex { commit(batch[(position + 1)...]) }
                return
            }
            answers.append(answer)
        }
        do {
            try connection.execute("COMMIT")
        } catch {
            // Ignored: it fails if SQLite has already rolled back, as intended.
            try? connection.execute("ROLLBACK")
            for answer in answers { answer(error) }
            return
        }
        if !answers.isEmpty { observe(.commit(callers: answers.count, uptime() - start)) }
        for answer in answers { answer(nil) }
    }

    /// In a savepoint. Even a refusal is reported only after the commit, because it may depend on other rows in the
    /// batch.
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
                    // The batch is in an unknown state: end it, so that the others run again without this caller.
                    // Ignored: it fails if SQLite has already rolled back, as intended.
                    try? connection.execute("ROLLBACK")
                }
            }
            return { _ in waiting.refuse(error) }
        }
    }
}
