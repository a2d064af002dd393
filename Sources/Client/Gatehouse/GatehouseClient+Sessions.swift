public import Foundation

extension GatehouseClient {
    /// Returns the user's sessions: this device's first, then by last use, each child session after its parent.
    ///
    /// - Throws: `refused` with status 404 by hosted Supabase.
    public func sessions() async throws -> [SessionInfo] {
        try await asUser { token, _ in
            let reply = try await self.caller.send(AuthRequest("GET", "/sessions"), bearer: token)
            let all = try AuthCaller.read(reply) { json throws(WireProblem) in try SessionInfo.list(json: json) }
            return SessionInfo.nested(
                all.sorted { ($0.isCurrent ? 1 : 0, $0.lastUsedAt) > ($1.isCurrent ? 1 : 0, $1.lastUsedAt) })
        }
    }

    /// Revokes one of the user's sessions. For the client's own, prefer ``signOut(scope:)``: otherwise the next call
    /// notices.
    ///
    /// - Throws: `refused` with status 404 for an unknown id.
    public func revokeSession(id: UUID) async throws {
        let path = "/sessions/" + id.uuidString.lowercased()
        try await asUser { token, _ in
            _ = try await self.caller.send(AuthRequest("DELETE", path), bearer: token)
        }
    }
}
