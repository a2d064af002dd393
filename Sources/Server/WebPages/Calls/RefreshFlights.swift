import GatehouseWire
import Synchronization

/// Concurrent requests with the same refresh token share one refresh, such as those of a browser's tabs.
///
/// A refresh is not cancelled with the request that began it. If its response never reaches the browser, the server
/// returns the current token again for the previous one (Docs/decisions/0004-refresh-tokens.md).
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
