import PasswordHashing
import Synchronization

/// A hasher's observations.
final class Observed: Sendable {
    private let state = Mutex<(observations: [HashingObservation], salts: UInt8)>(([], 0))

    var observations: [HashingObservation] { state.withLock { $0.observations } }
    var algorithms: [HashAlgorithm] { observations.map(\.algorithm) }
    var salts: Int { Int(state.withLock { $0.salts }) }

    func add(_ observation: HashingObservation) { state.withLock { $0.observations.append(observation) } }

    /// The first salt is all ones, the second all twos.
    func salt(_ count: Int) -> [UInt8] {
        state.withLock { state in
            state.salts += 1
            return Array(repeating: state.salts, count: count)
        }
    }
}

/// Fast hashers, shut down at the end of the test.
enum TestHasher {
    static func run(
        settings: Argon2Settings? = Argon2Settings(memoryKiB: 64, passes: 1),
        threads: Int = 1,
        waitingPerThread: Int = 64,
        gate: Gate? = nil,
        _ body: (PasswordHasher, Observed) async throws -> Void
    ) async throws {
        let observed = Observed()
        let hasher = PasswordHasher(
            settings: settings ?? .owasp, threads: threads, waitingPerThread: waitingPerThread,
            randomBytes: { count in
                gate?.pass()
                return observed.salt(count)
            },
            observe: observed.add)
        do {
            try await body(hasher, observed)
        } catch {
            gate?.open()
            await hasher.shutdown()
            throw error
        }
        gate?.open()
        await hasher.shutdown()
    }
}
