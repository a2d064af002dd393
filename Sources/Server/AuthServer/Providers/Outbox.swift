import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
package import IdentityProviders
package import Logging

// Runs on any node: the database leases each item once.
extension IdentityHandlers {
    /// Revokes deleted accounts' provider tokens.
    ///
    /// - Returns: The number of items tried. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. Unreported items become due again; a failed provider is only logged.
    package func workOutbox(logger: Logger) async throws -> Int {
        let items = try await accounts.providerCalls.takeFromOutbox(at: runtime.now())
        // Concurrently: in sequence, slow providers would outlast the lease.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for item in items {
                group.addTask {
                    let result = await carryOut(item, logger)
                    try await accounts.providerCalls.report(result, of: item, at: runtime.now())
                }
            }
            try await group.waitForAll()
        }
        return items.count
    }

    /// By provider: failures that cached documents have hidden from callers, for the log.
    package func hiddenProviderFailures() async -> [String: [ProviderFailure]] {
        var found: [String: [ProviderFailure]] = [:]
        for name in providers.names { found[name] = await providers[name]?.provider.hiddenFailures() }
        return found.filter { !$0.value.isEmpty }
    }

    /// Logs providers whose ID tokens would be refused: unreachable, other algorithms, or no key. Skips this machine's,
    /// which are stand-ins.
    package func reportUnusableProviders(logger: Logger) async {
        for name in providers.names {
            guard let provider = providers[name]?.provider, !provider.settings.isOnThisMachine else { continue }
            do throws(ProviderFailure) {
                if provider.settings.acceptsIDTokens {
                    _ = try await provider.usableAlgorithms()
                } else {
                    try await provider.reach()
                }
            } catch {
                logger.event(.warning, "sign-in with the provider fails", [.name: name, .cause: "\(error)"])
            }
        }
    }

    private func carryOut(_ item: OutboxItem, _ logger: Logger) async -> OutboxResult {
        switch item.message {
        case .revokeToken(let name, let client, let token):
            guard let provider = providers[name]?.provider else {
                // The provider is disabled, perhaps by mistake or temporarily.
                return .failed
            }
            do throws(ProviderFailure) {
                // Either result leaves the token invalid.
                _ = try await provider.revoke(token, client: client, at: runtime.now())
                counts.revocations.increment(name, "revoked")
                return .done
            } catch {
                counts.revocations.increment(name, "failed")
                logger.event(.warning, "token not revoked", [.name: name, .cause: "\(error)"])
                if case .notOffered = error { return .hopeless }
                return .failed
            }
        }
    }
}
