public import Foundation

extension GatehouseClient {
    /// Returns the user's sessions: this device's first, then by last use.
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session; `refused` with status 404 if the server does not
    ///   support this, such as hosted Supabase.
    public func sessions() async throws -> [SessionInfo] {
        try await asUser { token, _ in
            let reply = try await self.caller.send(AuthRequest("GET", "/sessions"), bearer: token)
            let all = try AuthCaller.read(reply) { json throws(WireProblem) in try SessionInfo.list(json: json) }
            return all.sorted { ($0.isCurrent ? 1 : 0, $0.lastUsedAt) > ($1.isCurrent ? 1 : 0, $1.lastUsedAt) }
        }
    }

    /// Ends one of the user's sessions. If it is the client's own, the client notices its end with the next call;
    /// prefer ``signOut(scope:)`` for this device.
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session; `refused` with status 404 if the user has no such
    ///   session.
    public func revokeSession(id: UUID) async throws {
        let path = "/sessions/" + id.uuidString.lowercased()
        try await asUser { token, _ in
            _ = try await self.caller.send(AuthRequest("DELETE", path), bearer: token)
        }
    }
}
