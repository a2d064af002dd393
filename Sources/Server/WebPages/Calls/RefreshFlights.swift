import GatehouseWire
import Synchronization

/// Lets requests that bring the same refresh token at once share one refresh, as the tabs of a browser do.
///
/// A refresh is not cancelled with the request that began it. If its answer never reaches the browser, the server
/// gives the current token again to the one before (Docs/decisions/0004-refresh-tokens.md).
final class RefreshFlights: Sendable {
    private let flights = Mutex<[ExternalName: Task<WebSession.Tokens, any Error>]>([:])

    /// - Throws: The error of `refresh`.
    func tokens(
        for token: Secret, _ refresh: @escaping @Sendable () async throws -> WebSession.Tokens
    ) async throws -> WebSession.Tokens {
        let key = ExternalName(trusted: token.reveal())
        let (flight, isOurs) = flights.withLock { flights in
            if let flight = flights[key] { return (flight, false) }
            let flight = Task { try await refresh() }
            flights[key] = flight
            return (flight, true)
        }
        defer { if isOurs { flights.withLock { $0[key] = nil } } }
        return try await flight.value
    }
}
