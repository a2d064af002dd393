import GatehouseWire
package import JSONWebTokens

extension OpenIDProvider {
    /// Supported, announced, and with a published key. Fetches discovery document and keys unless cached.
    ///
    /// - Returns: At least one.
    /// - Throws: ``ProviderFailure/unavailable(_:_:)``; with ``ProviderTrouble/unsupportedAlgorithms(_:)`` or
    ///   ``ProviderTrouble/noUsableKey(_:)``, the provider responds but sign-in fails.
    package func usableAlgorithms() async throws(ProviderFailure) -> [SigningAlgorithm] {
        let announced = try await metadata().signingAlgorithms ?? []
        let accepted = SigningAlgorithm.allCases.filter {
            settings.algorithms.contains($0) && (announced.isEmpty || announced.contains($0.rawValue))
        }
        guard !accepted.isEmpty else {
            let names = announced.prefix(16).map { DisplayText.cut($0, to: 32) }
            throw .unavailable(.discovery, .unsupportedAlgorithms(names))
        }
        let verified: [SigningAlgorithm]
        do throws(RemoteKeySet.Failure) {
            verified = try await keys.currentKeys().algorithms
        } catch {
            throw await keysFailure()
        }
        let usable = accepted.filter(verified.contains)
        guard !usable.isEmpty else { throw .unavailable(.keys, .noUsableKey(accepted)) }
        return usable
    }

    func keysFailure() async -> ProviderFailure {
        await keys.lastFailure as? ProviderFailure ?? .unavailable(.keys, .unreadable)
    }
}
