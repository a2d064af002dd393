import HTTPServing
import HTTPTypes
import Synchronization
import Testing

@Suite("Time limits of requests")
struct TimeLimitsTests {
    private struct Fault: Error {}

    /// End when the clock is moved past them.
    private final class Sleeps: Sendable {
        let clock = ManualClock()
        private let waiting = Mutex<[(end: Duration, continuation: AsyncStream<Void>.Continuation)]>([])
        private let begun = AsyncStream.makeStream(of: Duration.self)

        var limits: TimeLimits {
            TimeLimits(uptime: clock.uptime) { duration in
                let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
                self.waiting.withLock { $0.append((self.clock.uptime() + duration, continuation)) }
                self.begun.continuation.yield(duration)
                for await _ in stream {}
            }
        }

        /// The duration of the next sleep.
        func next() async -> Duration? {
            var iterator = begun.stream.makeAsyncIterator()
            return await iterator.next()
        }

        func advance(by duration: Duration) {
            clock.advance(by: duration)
            let now = clock.uptime()
            for each in waiting.withLock({ $0 }) where each.end <= now { each.continuation.finish() }
        }

        var count: Int { waiting.withLock(\.count) }
    }

    private let sleeps = Sleeps()

    /// Work that only a cancellation ends.
    private func hanging(_ limits: TimeLimits, _ limit: Duration = .seconds(10)) -> Task<Void, any Error> {
        Task { try await limits.limited(to: limit) { try await untilCancelled() } }
    }

    /// Lets the watcher go to sleep before it ends.
    private func waiting(_ value: Int) -> @Sendable () async throws -> Int {
        { [sleeps] in
            repeat { await Task.yield() } while sleeps.count == 0
            return value
        }
    }

    private func isOver(_ task: Task<Void, any Error>) async -> Bool {
        guard case .failure(let error as Refusal) = await task.result else { return false }
        return error.status == .gatewayTimeout
    }

    @Test("A request that never waits is not watched")
    func immediate() async throws {
        let limits = sleeps.limits
        #expect(try await limits.limited(to: .seconds(10)) { 1 } == 1)
        await #expect(throws: Fault.self) { try await limits.limited(to: .seconds(10)) { throw Fault() } }
        #expect(limits.count == 0)
        #expect(limits.watchers == 0)
    }

    @Test("Any number of requests that end in time cost one sleep")
    func shared() async throws {
        let limits = sleeps.limits
        for number in 0..<100 {
            #expect(try await limits.limited(to: .seconds(10), waiting(number)) == number)
            sleeps.clock.advance(by: .milliseconds(10))
        }
        #expect(await sleeps.next() == .seconds(10))
        #expect(sleeps.count == 1)
        #expect(limits.count == 0)
    }

    @Test("Each request ends at its own limit, also one that began during the sleep for another")
    func each() async throws {
        let limits = sleeps.limits
        let first = hanging(limits)
        #expect(await sleeps.next() == .seconds(10))
        sleeps.advance(by: .seconds(4))
        let second = hanging(limits)
        while limits.count < 2 { await Task.yield() }
        sleeps.advance(by: .seconds(6))
        #expect(await isOver(first))
        #expect(await sleeps.next() == .seconds(4))
        #expect(limits.count == 1)
        sleeps.advance(by: .seconds(4))
        #expect(await isOver(second))
        #expect(limits.count == 0)
    }

    @Test("A limit that is shorter than those before it is kept")
    func shorter() async throws {
        let limits = sleeps.limits
        let long = hanging(limits)
        #expect(await sleeps.next() == .seconds(10))
        let short = hanging(limits, .seconds(4))
        #expect(await sleeps.next() == .seconds(4))
        sleeps.advance(by: .seconds(4))
        #expect(await isOver(short))
        sleeps.advance(by: .seconds(6))
        #expect(await isOver(long))
    }

    @Test("After a time without requests the next one is watched again")
    func again() async throws {
        let limits = sleeps.limits
        _ = try await limits.limited(to: .seconds(10), waiting(1))
        #expect(await sleeps.next() == .seconds(10))
        sleeps.advance(by: .seconds(60))
        let later = hanging(limits)
        #expect(await sleeps.next() == .seconds(10))
        sleeps.advance(by: .seconds(10))
        #expect(await isOver(later))
    }

    @Test("A result or an error that comes after the limit counts")
    func late() async throws {
        let limits = sleeps.limits
        async let done = limits.limited(to: .seconds(10)) {
            // Ignored: the cancellation, as in a handler after its commit.
            try? await untilCancelled()
            return 7
        }
        #expect(await sleeps.next() == .seconds(10))
        sleeps.advance(by: .seconds(10))
        #expect(try await done == 7)
        let failing = Task {
            try await limits.limited(to: .seconds(10)) {
                // Ignored: the cancellation, again.
                try? await untilCancelled()
                throw Fault()
            }
        }
        #expect(await sleeps.next() == .seconds(10))
        sleeps.advance(by: .seconds(10))
        await #expect(throws: Fault.self) { try await failing.value }
    }

    @Test("The caller's cancellation cancels the work, and is no timeout")
    func cancelled() async throws {
        let limits = sleeps.limits
        let task = hanging(limits)
        #expect(await sleeps.next() == .seconds(10))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(limits.count == 0)
    }
}
