import AccountStore
import Foundation
import GatehouseWire
import PasswordHashing
import Seeding

/// Concurrent, to keep both this program and the database busy.
struct Batches: Sendable {
    let accounts: Accounts
    let users: Int
    let seed: UInt64

    func run() async throws -> String {
        let begin = ContinuousClock.now
        let now = Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        let people = SeededPeople(accounts, seed: seed, passwordHash: try await passwordHash(), at: now)
        var added = 0
        try await withThrowingTaskGroup(of: Int.self) { group in
            var starts = stride(from: 0, to: users, by: SeedStore.seedBatch).makeIterator()
            func addNext() {
                guard let start = starts.next() else { return }
                let numbers = start..<min(users, start + SeedStore.seedBatch)
                group.addTask { try await accounts.seeds.add(people, numbers) }
            }
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount { addNext() }
            while let batch = try await group.next() {
                added += batch
                addNext()
            }
        }
        let seconds = Double((ContinuousClock.now - begin).microseconds) / 1_000_000
        return "\(added) added, \(users - added) already there, \(Int(seconds.rounded())) s, "
            + "\(Int(Double(users) / max(seconds, 0.001))) accounts/s"
    }

    /// Computed once for all accounts: a million hashes would take hours.
    private func passwordHash() async throws -> Secret {
        let seed = seed
        let hasher = PasswordHasher(threads: 1) { SeededPeople.bytes($0, seed: seed) }
        // The process ends if this throws.
        let hash = try await hasher.hash(SeededPeople.password)
        await hasher.shutdown()
        return hash
    }
}
