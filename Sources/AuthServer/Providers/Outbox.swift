import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
package import IdentityProviders
package import Logging

// What is done in the background, by whichever node comes first: the database hands out each item once.
extension AuthServer {
    /// Does what is due of the server's promises to the outside: revokes the tokens of accounts that are gone.
    ///
    /// - Returns: How many were tried; ask again while it is not 0.
    package func workOutbox(logger: Logger) async throws -> Int {
        let items = try await accounts.takeFromOutbox(at: floor.now())
        for item in items {
            let result = await carryOut(item, logger)
            try await accounts.report(result, of: item, at: floor.now())
        }
        return items.count
    }

    /// Removes what has run out and nobody came to remove in passing.
    ///
    /// - Returns: How many rows went; ask again while it is not 0.
    package func purgeExpired() async throws -> Int { try await accounts.purgeExpired(at: floor.now()) }

    /// Looks through a part of all sessions and removes those that were over long ago.
    ///
    /// - Returns: How many went.
    package func removeEndedSessions() async throws -> Int { try await accounts.removeEndedSessions(at: floor.now()) }

    /// What the providers could not be asked for while older documents served; for the log.
    package func hiddenProviderFailures() async -> [String: [ProviderFailure]] {
        var found: [String: [ProviderFailure]] = [:]
        for name in providers.names { found[name] = await providers[name]?.provider.hiddenFailures() }
        return found.filter { !$0.value.isEmpty }
    }

    private func carryOut(_ item: OutboxItem, _ logger: Logger) async -> OutboxResult {
        switch item.message {
        case .revokeToken(let name, let client, let token):
            guard let provider = providers[name]?.provider else {
                // Switched off, perhaps by mistake and not for long.
                return .failed
            }
            do throws(ProviderFailure) {
                // Both outcomes are the one that was promised: the token is worth nothing.
                _ = try await provider.revoke(token, client: client, at: floor.now())
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
