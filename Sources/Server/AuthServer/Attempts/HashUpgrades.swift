import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Logging
import PasswordHashing
import Synchronization

/// Rehashes passwords after a sign-in, the only time when the server knows them.
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

    func finish() async {
        while let task = state.withLock({ $0.running.values.first }) { await task.value }
    }
}

extension AuthServer {
    /// Call before the hashing threads stop.
    package func finishUpgrades() async { await upgrades.finish() }

    /// After the response, so that this sign-in takes no longer than others. The next sign-in retries a failure.
    func upgradeHash(_ hash: Secret, of user: UserID, _ password: Secret, _ context: ServerContext) {
        upgrades.start { [self] in
            do {
                let better = try await signIns.hashed(password, for: .none)
                try await accounts.signIns.upgradeHash(hash, of: user, to: better)
            } catch {
                context.event(.info, "password hash not upgraded", [.cause: "\(type(of: error)): \(error)"])
            }
        }
    }
}
