public import Foundation

extension AuthClient {
    /// Where the person is signed in, the newest sign-in first.
    ///
    /// - Throws: ``AuthClientError``; `refused` with status 404 by a server that has no such list, as hosted Supabase.
    public func sessions() async throws -> [SessionInfo] {
        try await asUser { token, _ in
            let reply = try await self.caller.send(AuthRequest("GET", "/sessions"), bearer: token)
            return try AuthCaller.read(reply) { json throws(WireProblem) in try SessionInfo.list(json: json) }
        }
    }

    /// Signs the person out in one place. Ended here, it is noticed like every end by the server; ``signOut(scope:)``
    /// is the better way for this device.
    ///
    /// - Throws: ``AuthClientError``, `refused` with status 404 when the person has no such session.
    public func revokeSession(id: UUID) async throws {
        let path = "/sessions/" + id.uuidString.lowercased()
        try await asUser { token, _ in
            _ = try await self.caller.send(AuthRequest("DELETE", path), bearer: token)
        }
    }
}
