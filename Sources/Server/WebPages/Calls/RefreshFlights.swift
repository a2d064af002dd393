import GatehouseWire
import Synchronization

/// Concurrent requests, such as a browser's tabs, share one refresh, which outlives its cancelled request.
///
/// If the response does not reach the browser, the server returns the current token again for the previous one
/// (Docs/decisions/0004-refresh-tokens.md).
final class RefreshFlights: Sendable {
    private let flights = Mutex<[ExternalName: Task<WebSession.Tokens, any Error>]>([:])

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
