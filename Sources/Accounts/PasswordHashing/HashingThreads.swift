import GatehouseWire
import NIOCore
import NIOPosix
import Synchronization

/// Dedicated threads with a bounded queue: waiting jobs take turns by address, and no source keeps more places than its
/// share.
final class HashingThreads: Sendable {
    private struct Waiting: Sendable {
        let number: Int
        /// `isActive` is false during shutdown.
        let run: @Sendable (_ isActive: Bool) -> Void
        let dismiss: @Sendable (HashingRefusal) -> Void
    }

    private struct State {
        var load: HashingLoad
        var queue = FairQueue<Waiting>()
        var number = 0

        /// - Returns: The job that lost its place, if any.
        mutating func add(_ waiting: Waiting, _ source: HashingSource) throws(HashingRefusal) -> Waiting? {
            var gone: Waiting?
            do throws(HashingRefusal) {
                try load.admit()
            } catch {
                gone = queue.giveUp(for: source)
                if gone == nil { throw error }
            }
            queue.append(waiting, from: source)
            return gone
        }
    }

    private let pool: NIOThreadPool
    /// Resumes callers at the usual priority: a thread that Swift starts inherits the resuming thread's priority, and
    /// then runs other requests. Started before a hashing thread could start it.
    private let callers = MultiThreadedEventLoopGroup.singleton
    private let state: Mutex<State>
    private let watch: HashingWatch?
    private let observe: @Sendable (HashingObservation) -> Void

    init(
        count: Int, waitingPerThread: Int, watch: HashingWatch?,
        observe: @escaping @Sendable (HashingObservation) -> Void
    ) {
        pool = NIOThreadPool(numberOfThreads: count)
        state = Mutex(State(load: HashingLoad(threads: count, waitingPerThread: waitingPerThread)))
        (self.watch, self.observe) = (watch, observe)
        pool.start()
    }

    var queueDepth: Int { state.withLock { $0.load.waiting } }

    func run<Output: Sendable>(
        _ algorithm: HashAlgorithm, for source: HashingSource, _ work: @escaping @Sendable () -> Output?
    ) async throws(HashingRefusal) -> Output {
        guard let step = watch?(algorithm) else { return try await wait(algorithm, source, work) }
        do throws(HashingRefusal) {
            let output = try await wait(algorithm, source) {
                step(.started)
                return work()
            }
            step(.ended(nil))
            return output
        } catch {
            step(.ended(error))
            throw error
        }
    }

    private func wait<Output: Sendable>(
        _ algorithm: HashAlgorithm, _ source: HashingSource, _ work: @escaping @Sendable () -> Output?
    ) async throws(HashingRefusal) -> Output {
        let job = HashingJob(work)
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let waiting = Waiting(
            number: number, run: { isActive in self.turn(of: job, algorithm, isActive: isActive) },
            dismiss: { job.abandon()?.resume(returning: .failure($0)) })
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                guard job.wait(caller) else { return caller.resume(returning: .failure(.cancelled)) }
                self.enqueue(waiting, from: source)
            }
        } onCancel: {
            guard let caller = job.abandon() else { return }
            self.state.withLock { state in
                if state.queue.remove(from: source, where: { $0.number == number }) != nil { state.load.leave() }
            }
            caller.resume(returning: .failure(.cancelled))
        }
        return try result.get()
    }

    func shutdown() async {
        // Ignored: only a pool without a shutdown throws.
        try? await pool.shutdownGracefully()
    }

    private func enqueue(_ waiting: Waiting, from source: HashingSource) {
        do throws(HashingRefusal) {
            let (gone, refusal) = try state.withLock { state throws(HashingRefusal) in
                (try state.add(waiting, source), state.load.busy)
            }
            // The new job uses the removed one's turn; another would accumulate in the pool.
            if let gone { return gone.dismiss(refusal) }
        } catch {
            return waiting.dismiss(error)
        }
        // Each entry has at least one turn, so none is forgotten.
        pool.submit { state in self.takeNext(isActive: state == .active) }
    }

    private func takeNext(isActive: Bool) {
        let next = state.withLock { state in
            let next = state.queue.popFirst()
            if next != nil { state.load.start() }
            return next
        }
        next?.run(isActive)
    }

    private func turn<Output>(of job: HashingJob<Output>, _ algorithm: HashAlgorithm, isActive: Bool) {
        guard let (caller, work) = job.take() else { return state.withLock { $0.load.stop() } }
        guard isActive else {
            state.withLock { $0.load.stop() }
            return callers.next().execute { caller.resume(returning: .failure(.shutDown)) }
        }
        // For each job: takes less than a microsecond, and saves tracking the threads.
        lowerPriorityOfThisThread()
        var output: Output?
        let duration = ContinuousClock().measure { output = work() }
        let depth = state.withLock { state in
            state.load.finish(after: duration)
            return state.load.waiting
        }
        observe(HashingObservation(algorithm: algorithm, duration: duration, queueDepth: depth))
        let result: Result<Output, HashingRefusal> = output.map { .success($0) } ?? .failure(.failed(algorithm))
        callers.next().execute { caller.resume(returning: result) }
    }
}
