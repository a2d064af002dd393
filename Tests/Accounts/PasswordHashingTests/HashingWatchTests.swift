import GatehouseWire
import PasswordHashing
import Synchronization
import Testing

@Suite("Steps of a hashing job")
struct HashingWatchTests {
    @Test("A job starts and ends once; a refused one only ends")
    func steps() async throws {
        let steps = Mutex<[String]>([])
        let hasher = PasswordHasher(
            settings: Argon2Settings(memoryKiB: 64, passes: 1) ?? .owasp, threads: 1,
            randomBytes: { Array(repeating: 7, count: $0) },
            watch: { algorithm in
                steps.withLock { $0.append("waits for \(algorithm.rawValue)") }
                return { step in
                    let text =
                        switch step {
                        case .started: "started"
                        case .ended(let refusal): "ended \(refusal.map { "\($0)" } ?? "well")"
                        }
                    steps.withLock { $0.append(text) }
                }
            })
        let hash = try await hasher.hash(Secret("a password"))
        #expect(try await hasher.matches(Secret("a password"), hash.reveal()).isMatch)
        await hasher.shutdown()
        await #expect(throws: HashingRefusal.shutDown) { try await hasher.hash(Secret("a password")) }
        let job = ["waits for argon2id", "started", "ended well"]
        #expect(steps.withLock { $0 } == job + job + ["waits for argon2id", "ended shutDown"])
    }
}
