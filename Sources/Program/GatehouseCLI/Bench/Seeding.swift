import AccountStore
import GatehouseWire
import PasswordHashing

/// Adds seeded accounts in concurrent batches, enough to keep both this program and the database busy.
struct Seeding: Sendable {
    private static let width = 2 * System.cores

    let accounts: Accounts
    let users: Int
    let seed: UInt64

    /// - Returns: The result as a sentence.
    func run() async throws -> String {
        let people = SeededPeople(accounts, seed: seed, passwordHash: try await passwordHash(), at: System.now())
        let total = users
        var progress = ProgressLine(noun: "people")
        var (added, looked) = (0, 0)
        try await withThrowingTaskGroup(of: (added: Int, looked: Int).self) { group in
            var starts = stride(from: 0, to: total, by: SeedStore.seedBatch).makeIterator()
            func addNext() {
                guard let start = starts.next() else { return }
                let numbers = start..<min(total, start + SeedStore.seedBatch)
                group.addTask { (try await accounts.seeds.add(people, numbers), numbers.count) }
            }
            for _ in 0..<Self.width { addNext() }
            while let batch = try await group.next() {
                (added, looked) = (added + batch.added, looked + batch.looked)
                progress.show(fraction: Double(looked) / Double(total), count: looked)
                addNext()
            }
        }
        progress.erase()
        let seconds = Double(progress.elapsed.microseconds) / 1_000_000
        return "\(Progress.grouped(added)) added, \(Progress.grouped(total - added)) already there, "
            + "\(Int(seconds.rounded())) s, \(Progress.grouped(Int(Double(total) / max(seconds, 0.001)))) accounts/s"
    }

    /// Computed once for all accounts: a million hashes would take hours.
    private func passwordHash() async throws -> Secret {
        let seed = seed
        let hasher = PasswordHasher(threads: 1) { SeededPeople.bytes($0, seed: seed) }
        do {
            let hash = try await hasher.hash(SeededPeople.password)
            await hasher.shutdown()
            return hash
        } catch {
            await hasher.shutdown()
            throw CommandFailure("The password could not be hashed (\(error)).")
        }
    }
}
