import GatehouseCLI
import GatehouseServer
import IdentityProviders
import Synchronization
import Testing

@Suite("Background work")
struct PeriodicTaskTests {
    private struct Fault: Error, Equatable {
        let number: Int
    }

    /// - Parameters:
    ///   - results: Of the rounds, then 0.
    ///   - pauses: The number of pauses to run for.
    /// - Returns: The events, in order.
    private func history(_ results: [Result<Int, any Error>], pauses: Int) async throws -> [String] {
        let history = Mutex<[String]>([])
        let rest = Mutex((results: results, pauses: pauses))
        let task = PeriodicTask(
            every: .seconds(10),
            sleep: { duration in
                history.withLock { $0.append("pause \(duration)") }
                let left = rest.withLock { rest in
                    rest.pauses -= 1
                    return rest.pauses
                }
                if left == 0 { throw CancellationError() }
            },
            work: {
                let result = rest.withLock { $0.results.isEmpty ? .success(0) : $0.results.removeFirst() }
                let count = try result.get()
                history.withLock { $0.append("did \(count)") }
                return count
            }, failed: { error in history.withLock { $0.append("\(error)") } })
        try await task.run()
        return history.withLock(\.self)
    }

    @Test("It continues at once while there is work, and pauses otherwise")
    func pauses() async throws {
        let pause = "pause \(Duration.seconds(10))"
        let history = try await history([.success(10), .success(3), .success(0), .success(1)], pauses: 2)
        #expect(history == ["did 10", "did 3", "did 0", pause, "did 1", "did 0", pause])
    }

    @Test("An error is reported, and the next round comes after the pause")
    func failure() async throws {
        let pause = "pause \(Duration.seconds(10))"
        let history = try await history([.failure(Fault(number: 1)), .success(1)], pauses: 2)
        #expect(history == ["\(Fault(number: 1))", pause, "did 1", "did 0", pause])
    }

    @Test("A cancelled round is not an error, and a cancelled task does nothing more")
    func cancelled() async throws {
        let pause = "pause \(Duration.seconds(10))"
        #expect(try await history([.failure(CancellationError())], pauses: 1) == [pause])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await history([.success(1)], pauses: 1)
        }
        #expect(try await task.value == [])
    }

    @Test("A provider's hidden failures are reported once for each change, and at their end")
    func hiddenFailures() async {
        let down = ProviderFailure.unavailable(.keys, .status(503))
        let gone = ProviderFailure.unavailable(.discovery, .noAnswer(.timedOut))
        let rounds: [[String: [ProviderFailure]]] = [
            [:], ["apple": [down]], ["apple": [down]], ["apple": [down], "google": [gone]], ["google": [gone]],
            ["google": []],
        ]
        let next = Mutex(rounds)
        let told = Mutex<[String]>([])
        let hidden = HiddenFailures(find: { next.withLock { $0.removeFirst() } }) { name, failures in
            told.withLock { $0.append("\(name) \(failures.count)") }
        }
        for _ in rounds { await hidden.look() }
        #expect(told.withLock(\.self) == ["apple 1", "google 1", "apple 0", "google 0"])
    }
}
