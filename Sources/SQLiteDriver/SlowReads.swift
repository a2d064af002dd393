import Dispatch
import SQLDatabase
import Synchronization

/// Whether a read's caller was cancelled.
final class Departure: Sendable {
    private let happened = Atomic<Bool>(false)

    var hasHappened: Bool { happened.load(ordering: .relaxed) }
    func happen() { happened.store(true, ordering: .relaxed) }
}

/// Reads that take too long for their callers' threads, on a few threads of their own. A long list that an administrator
/// asks for keeps other lists waiting, and nothing else.
final class SlowReads: Sendable {
    struct Job: Sendable {
        let id: UInt64
        let run: @Sendable () -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    private struct Queue {
        var waiting: [Job] = []
        /// Indexes of ``SlowReads/threads``.
        var idle: [Int]
    }

    /// More callers than this are refused at once.
    static let waitingLimit = 64

    private let queue: Mutex<Queue>
    // Serial ones: a concurrent queue would share its threads with Swift's tasks, as many as there are cores.
    private let threads = (1...2).map { DispatchQueue(label: "gatehouse.sqlite.reader\($0)") }

    init() { queue = Mutex(Queue(idle: Array(threads.indices))) }

    var waiting: Int { queue.withLock(\.waiting.count) }

    func add(_ job: Job) {
        let (isRefused, thread) = queue.withLock { queue -> (Bool, Int?) in
            if let thread = queue.idle.popLast() { return (false, thread) }
            if queue.waiting.count >= Self.waitingLimit { return (true, nil) }
            queue.waiting.append(job)
            return (false, nil)
        }
        if isRefused { return job.refuse(DatabaseFailure.busy("too many slow reads wait")) }
        if let thread { threads[thread].async { self.run(from: job, on: thread) } }
    }

    /// Refuses a read that still waits.
    func cancel(_ id: UInt64) {
        let waiting = queue.withLock { queue in
            queue.waiting.firstIndex { $0.id == id }.map { queue.waiting.remove(at: $0) }
        }
        waiting?.refuse(CancellationError())
    }

    private func run(from first: Job, on thread: Int) {
        var next: Job? = first
        while let job = next {
            job.run()
            next = queue.withLock { queue in
                if !queue.waiting.isEmpty { return queue.waiting.removeFirst() }
                queue.idle.append(thread)
                return nil
            }
        }
    }
}
