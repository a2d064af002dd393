import GatehouseWire
import NIOPosix
import Synchronization

/// Threads that do nothing but hash, first come, first served, with a bound on how many may wait.
final class HashingThreads: Sendable {
    private let pool: NIOThreadPool
    private let load: Mutex<HashingLoad>
    private let observe: @Sendable (HashingObservation) -> Void

    init(count: Int, waitingPerThread: Int, observe: @escaping @Sendable (HashingObservation) -> Void) {
        pool = NIOThreadPool(numberOfThreads: count)
        load = Mutex(HashingLoad(threads: count, waitingPerThread: waitingPerThread))
        self.observe = observe
        pool.start()
    }

    var queueDepth: Int { load.withLock { $0.waiting } }

    func run<Output: Sendable>(
        _ algorithm: HashAlgorithm, _ work: @escaping @Sendable () -> Output?
    ) async throws(HashingRefusal) -> Output {
        try load.withLock { load throws(HashingRefusal) in try load.admit() }
        let job = HashingJob(work)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                guard job.wait(caller) else { return self.dismiss(caller, .cancelled) }
                pool.submit { state in self.turn(of: job, algorithm, isActive: state == .active) }
            }
        } onCancel: {
            if let caller = job.abandon() { self.dismiss(caller, .cancelled) }
        }
        return try result.get()
    }

    func shutdown() async {
        // Lost: an error that only a pool which cannot be stopped reports. This one can.
        try? await pool.shutdownGracefully()
    }

    private func turn<Output>(of job: HashingJob<Output>, _ algorithm: HashAlgorithm, isActive: Bool) {
        guard let (caller, work) = job.take() else { return }
        guard isActive else { return dismiss(caller, .shutDown) }
        load.withLock { $0.start() }
        // Every time: it costs under a microsecond, and nobody has to know which thread has had it.
        lowerPriorityOfThisThread()
        var output: Output?
        let duration = ContinuousClock().measure { output = work() }
        let depth = load.withLock { load in
            load.finish(after: duration)
            return load.waiting
        }
        observe(HashingObservation(algorithm: algorithm, duration: duration, queueDepth: depth))
        caller.resume(returning: output.map { .success($0) } ?? .failure(.failed(algorithm)))
    }

    private func dismiss<Output>(_ caller: HashingJob<Output>.Caller, _ refusal: HashingRefusal) {
        load.withLock { $0.leave() }
        caller.resume(returning: .failure(refusal))
    }
}
