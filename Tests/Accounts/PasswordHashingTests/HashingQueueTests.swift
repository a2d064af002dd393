import Dispatch
import GatehouseWire
import PasswordHashing
import Synchronization
import Testing

@Suite("The hashing queue", .timeLimit(.minutes(5)))
struct HashingQueueTests {
    private let password = Secret("correct horse")

    @Test(
        "Beyond its bound the queue refuses requests, and it recovers",
        arguments: [
            (threads: 1, waitingPerThread: 2), (threads: 2, waitingPerThread: 1), (threads: 1, waitingPerThread: 0),
        ])
    func bound(threads: Int, waitingPerThread: Int) async throws {
        let gate = Gate()
        try await TestHasher.run(threads: threads, waitingPerThread: waitingPerThread, gate: gate) { hasher, observed in
            let admitted = threads * (1 + waitingPerThread)
            let jobs = (0..<admitted).map { _ in Task { try await hasher.hash(password).reveal() } }
            await until { gate.arrivals == threads && hasher.queueDepth == threads * waitingPerThread }

            await #expect(throws: HashingRefusal.busy(retryAfter: .seconds(1))) { try await hasher.hash(password) }
            await #expect(throws: HashingRefusal.busy(retryAfter: .seconds(1))) {
                try await hasher.matches(password, nil)
            }
            gate.open()
            for job in jobs {
                let hash = try await job.value
                #expect(StoredHash(hash) != nil)
            }
            #expect(hasher.queueDepth == 0)
            let check = try await hasher.matches(password, nil)
            #expect(check == .wrong)
            #expect(observed.observations.count == admitted + 1)
        }
    }

    @Test("First come, first served, and the observer sees the queue shrink")
    func order() async throws {
        let gate = Gate()
        try await TestHasher.run(gate: gate) { hasher, observed in
            var jobs = [Task { _ = try await hasher.hash(password) }]
            await until { gate.arrivals == 1 }
            for (place, stored) in [Known.bcryptOfPass, nil, Known.argon2i, Known.bcryptOfUnicode].enumerated() {
                jobs.append(Task { _ = try await hasher.matches(password, stored) })
                await until { hasher.queueDepth == place + 1 }
            }
            gate.open()
            for job in jobs { try await job.value }
            #expect(observed.algorithms == [.argon2id, .bcrypt, .argon2id, .argon2i, .bcrypt])
            #expect(observed.observations.map(\.queueDepth) == [4, 3, 2, 1, 0])
            #expect(observed.observations.allSatisfy { $0.duration > .zero })
        }
    }

    @Test("No hash is computed for a cancelled caller, and its place is free at once")
    func cancelledWaiter() async throws {
        let gate = Gate()
        try await TestHasher.run(waitingPerThread: 1, gate: gate) { hasher, observed in
            let first = Task { try await hasher.hash(password).reveal() }
            await until { gate.arrivals == 1 }
            let gone = Task { try await hasher.matches(password, Known.bcryptOfPass) }
            await until { hasher.queueDepth == 1 }

            gone.cancel()
            // The only thread is still held: the caller does not wait for a turn.
            await #expect(throws: HashingRefusal.cancelled) { try await gone.value }
            #expect(hasher.queueDepth == 0)
            let next = Task { try await hasher.matches(password, Known.argon2i) }
            await until { hasher.queueDepth == 1 }

            gate.open()
            _ = try await first.value
            _ = try await next.value
            #expect(observed.algorithms == [.argon2id, .argon2i])
        }
    }

    @Test("A task cancelled before its request gets no computation and no place")
    func cancelledBefore() async throws {
        try await TestHasher.run { hasher, observed in
            let gate = AsyncStream<Void>.makeStream()
            let gone = Task {
                for await _ in gate.stream {}
                return try await hasher.matches(password, nil)
            }
            gone.cancel()
            gate.continuation.finish()
            await #expect(throws: HashingRefusal.cancelled) { try await gone.value }
            #expect(hasher.queueDepth == 0)
            let check = try await hasher.matches(password, Known.bcryptOfPass)
            #expect(check == .wrong)
            #expect(observed.algorithms == [.bcrypt])
        }
    }

    @Test("A started computation finishes although its caller was cancelled")
    func cancelledWhileRunning() async throws {
        let gate = Gate()
        try await TestHasher.run(gate: gate) { hasher, observed in
            let job = Task { try await hasher.hash(password).reveal() }
            await until { gate.arrivals == 1 }
            job.cancel()
            gate.open()
            let hash = try await job.value
            #expect(StoredHash(hash) != nil)
            #expect(observed.algorithms == [.argon2id])
        }
    }

    @Test("At shutdown waiting callers are refused, running work finishes, and later callers are refused")
    func shutdown() async throws {
        let gate = Gate()
        try await TestHasher.run(gate: gate) { hasher, observed in
            let running = Task { try await hasher.hash(password).reveal() }
            await until { gate.arrivals == 1 }
            let waiting = Task { try await hasher.matches(password, nil) }
            await until { hasher.queueDepth == 1 }

            let shutdown = Task { await hasher.shutdown() }
            await #expect(throws: HashingRefusal.shutDown) { try await waiting.value }
            gate.open()
            let hash = try await running.value
            #expect(StoredHash(hash) != nil)
            await shutdown.value
            await #expect(throws: HashingRefusal.shutDown) { try await hasher.hash(password) }
            #expect(hasher.queueDepth == 0)
            #expect(observed.algorithms == [.argon2id])
        }
    }

    @Test("On Linux only the hashing threads run at nice 10 and with turns of 100 ms, from the first password on")
    func priority() async throws {
        let (before, usualTurn) = (niceOfFirstThread(), turnOfFirstThread())
        let seen = Mutex<[Int32?]>([])
        let turns = Mutex<[Int?]>([])
        let hasher = PasswordHasher(
            settings: try #require(Argon2Settings(memoryKiB: 64, passes: 1)), threads: 2,
            randomBytes: { count in
                seen.withLock { $0.append(niceOfThisThread()) }
                turns.withLock { $0.append(turnOfThisThread()) }
                return Array(repeating: 1, count: count)
            })
        for _ in 0..<4 { _ = try await hasher.hash(password) }
        await hasher.shutdown()
        #expect(seen.withLock { $0 } == Array(repeating: before.map { max($0, 10) }, count: 4))
        #expect(turns.withLock { $0 } == Array(repeating: usualTurn.map { _ in 100_000_000 }, count: 4))
        #expect(niceOfFirstThread() == before && turnOfFirstThread() == usualTurn)
    }

    @Test("On Linux a caller goes on at the priority it had, and so does a thread that is started for it")
    func callerPriority() async throws {
        let executor = NotingExecutor()
        try await TestHasher.run { hasher, _ in
            try await withTaskExecutorPreference(executor) { _ = try await hasher.hash(password) }
        }
        // The first thread began the hash, the last one resumed its caller. None on Darwin.
        let niceness = executor.seen.withLock { $0.compactMap(\.self) }
        #expect(niceness.count != 1 && niceness.last ?? 0 <= niceness.first ?? 0, "\(niceness)")
    }

    @Test(
        "The wait in a refusal grows with the queue and with the duration of a hash",
        arguments: [
            (threads: 1, waitingPerThread: 1, took: Duration.milliseconds(50), expected: Duration.seconds(1)),
            (threads: 2, waitingPerThread: 64, took: .milliseconds(50), expected: .seconds(4)),
            (threads: 1, waitingPerThread: 40, took: .milliseconds(50), expected: .seconds(2)),
            (threads: 1, waitingPerThread: 64, took: .milliseconds(850), expected: .seconds(10)),
            (threads: 4, waitingPerThread: 0, took: .seconds(60), expected: .seconds(1)),
        ])
    func retryAfter(threads: Int, waitingPerThread: Int, took: Duration, expected: Duration) throws {
        var load = HashingLoad(threads: threads, waitingPerThread: waitingPerThread)
        try load.admit()
        load.start()
        load.finish(after: took)
        for place in 0..<threads * (1 + waitingPerThread) {
            try load.admit()
            if place < threads { load.start() }
        }
        #expect(throws: HashingRefusal.busy(retryAfter: expected)) { try load.admit() }
        load.leave()
        #expect(throws: Never.self) { try load.admit() }
    }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}

/// Of each thread that resumes a task.
private final class NotingExecutor: TaskExecutor {
    let seen = Mutex<[Int32?]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        seen.withLock { $0.append(niceOfThisThread()) }
        let job = UnownedJob(job)
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
