import Foundation
import Synchronization

/// Replaces the concurrency runtime's thread pool: every pending job runs on one thread, one at a time, in an order
/// that a seed decides. It can reproduce every interleaving that a pool produces by accident.
final class Scheduler: Sendable {
    private struct State {
        var ready: [UnownedJob] = []
        var paused: [CheckedContinuation<Void, Never>] = []
        /// That have not returned from the database's own thread.
        var awayCount = 0
        var random = SplitMix(seed: 0)
        var stepCount = 0
    }

    /// More mean an endless loop; a schedule takes a few hundred.
    private static let stepLimit = 100_000

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)
    private let thread = pthread_self()

    /// The runtime's hook cannot carry a reference.
    static let shared = Scheduler()

    /// Starts a new schedule.
    func reseed(_ seed: UInt64) {
        state.withLock { state in
            state.random = SplitMix(seed: seed)
            state.stepCount = 0
        }
    }

    /// Whether the schedule was stopped.
    var isExhausted: Bool { state.withLock { $0.stepCount > Self.stepLimit } }

    /// From the schedule's generator.
    func pick(_ bound: Int) -> Int { state.withLock { Int($0.random.next() % UInt64(bound)) } }

    func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in (0..<count).map { _ in UInt8(truncatingIfNeeded: state.random.next() >> 24) } }
    }

    /// Any number of other steps may run first, in any order.
    func pause() async {
        await withCheckedContinuation { continuation in state.withLock { $0.paused.append(continuation) } }
    }

    /// No other job runs in between.
    func away<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        state.withLock { $0.awayCount += 1 }
        defer { state.withLock { $0.awayCount -= 1 } }
        return try await work()
    }

    /// Stops when no step is pending.
    func run(steps: Int = .max) {
        for _ in 0..<steps where !step() { return }
    }

    private enum Step {
        case job(UnownedJob)
        case resumption(CheckedContinuation<Void, Never>)
        case nothing
    }

    private func step() -> Bool {
        switch state.withLock({ Self.next(&$0) }) {
        case .nothing: return false
        case .job(let job): runOnThisThread(job)
        case .resumption(let continuation): continuation.resume()
        }
        // A job that returns from another thread continues immediately: its time there is not part of the schedule.
        while state.withLock({ $0.awayCount > 0 }) {
            arrival.wait()
            runOnThisThread(state.withLock { $0.ready.removeLast() })
        }
        return true
    }

    private static func next(_ state: inout State) -> Step {
        let count = state.ready.count + state.paused.count
        state.stepCount += 1
        guard count > 0, state.stepCount <= stepLimit else { return .nothing }
        let index = Int(state.random.next() % UInt64(count))
        guard index >= state.ready.count else { return .job(state.ready.remove(at: index)) }
        return .resumption(state.paused.remove(at: index - state.ready.count))
    }

    fileprivate func add(_ job: UnownedJob) {
        state.withLock { $0.ready.append(job) }
        if pthread_equal(pthread_self(), thread) == 0 { arrival.signal() }
    }
}

/// xorshift over a mixed seed: fast, and the same on every platform.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return (state &* 0x2545_F491_4F6C_DD1D) >> 11
    }
}

// The runtime calls this hook before it gives work to its pool (swift/Runtime/Concurrency.h). It is exported for such
// tools.
private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void

@_silgen_name("swift_job_run") private func runJob(_ job: UnownedJob, _ executor: UnownedSerialExecutor)

private func runOnThisThread(_ job: UnownedJob) {
    // Two null words: no particular executor, like the pool.
    runJob(job, unsafeBitCast((0, 0), to: UnownedSerialExecutor.self))
}

extension Scheduler {
    /// - Returns: Whether the runtime has the hook.
    static func install() -> Bool {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else { return false }
        _ = shared
        symbol.assumingMemoryBound(to: EnqueueHook?.self).pointee = { job, _ in Scheduler.shared.add(job) }
        return true
    }
}
