import Dispatch
import SQLDatabase
import Synchronization

final class Departure: Sendable {
    private let happened = Atomic<Bool>(false)

    var hasHappened: Bool { happened.load(ordering: .relaxed) }
    func happen() { happened.store(true, ordering: .relaxed) }
}

/// On separate threads, so that an administrator's long list delays only other lists.
final class SlowReads: Sendable {
    struct Job: Sendable {
        let id: UInt64
        let run: @Sendable () -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    private struct Queue {
        var waiting: [Job] = []
        /// Indexes into ``SlowReads/threads``.
        var idle: [Int]
    }

    /// Further callers are refused immediately.
    static let waitingLimit = 64

    private let queue: Mutex<Queue>
    // Serial queues: a concurrent queue would take its threads from Swift's tasks, which have one per core.
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
        if isRefused { return job.refuse(DatabaseFailure(.tooManyCallers, detail: "too many slow reads wait")) }
        if let thread { threads[thread].async { self.run(from: job, on: thread) } }
    }

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
