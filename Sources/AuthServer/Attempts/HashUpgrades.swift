import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Logging
import PasswordHashing
import Synchronization

/// What goes on after the answer to a sign-in: better hashes for passwords that are known at this moment alone.
final class HashUpgrades: Sendable {
    private struct State {
        var running: [Int: Task<Void, Never>] = [:]
        var number = 0
    }

    private let state = Mutex(State())

    func start(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.number += 1
            let number = state.number
            state.running[number] = Task {
                await work()
                self.state.withLock { $0.running[number] = nil }
            }
        }
    }

    /// Waits for those that have begun.
    func finish() async {
        while let task = state.withLock({ $0.running.values.first }) { await task.value }
    }
}

extension AuthServer {
    /// To be called before the hashing threads end.
    package func finishUpgrades() async { await upgrades.finish() }

    /// Replaces a hash after the answer, so that it takes no longer than any other. If it fails, the next sign-in tries
    /// again.
    func upgradeHash(_ hash: Secret, of user: UserID, _ password: Secret, _ context: ServerContext) {
        upgrades.start {
            do {
                let better = try await hashed(password, for: .none)
                try await accounts.upgradeHash(hash, of: user, to: better)
            } catch {
                context.event(.info, "password hash not upgraded", [.cause: "\(type(of: error)): \(error)"])
            }
        }
    }
}
