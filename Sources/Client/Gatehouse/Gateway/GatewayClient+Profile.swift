import Foundation

extension GatewayClient {
    /// Returns the signed-in account and the core of its profile.
    ///
    /// - Throws: ``AuthClientError`` or `CancellationError`. After `signedOut` the user must sign in again; after
    ///   `offline`, `storeUnavailable` and status 5xx retry later.
    public func fetchMe() async throws -> SignedInAccount {
        let reply = try await send(GatewayRequest(method: "GET", path: "/v1/auth/me"))
        return try Self.read(reply) { json throws(WireProblem) in try SignedInAccount(json: json) }
    }

    /// Changes the given members, at least one.
    ///
    /// - Throws: As ``fetchMe()``, and `refused` with the invalid field. After `offline` or status 5xx the change may
    ///   have taken effect.
    @discardableResult
    public func updateProfile(_ change: ProfileChange) async throws -> SignedInAccount {
        let body = AuthJSON.object(change.members)
        let reply = try await send(GatewayRequest(method: "PATCH", path: "/v1/auth/me", body: body))
        return try Self.read(reply) { json throws(WireProblem) in try SignedInAccount(json: json) }
    }

    /// Deletes the account with all its data. The caller must end the local session. Safe to repeat.
    ///
    /// - Throws: As ``fetchMe()``, and `FRESH_SIGN_IN_REQUIRED`. After `offline` or status 5xx the account may be
    ///   deleted.
    public func deleteAccount() async throws {
        let reply = try await send(GatewayRequest(method: "DELETE", path: "/v1/auth/me"))
        // The gateway sends no body: nothing was deleted.
        guard reply.body.isEmpty else { throw AuthClientError.offline(.notUnderstood("no empty answer")) }
    }

    /// Returns the complete profile.
    ///
    /// - Throws: As ``fetchMe()``, and `NOT_FOUND` if there is none yet.
    public func profile() async throws -> Profile {
        let reply = try await send(GatewayRequest(method: "GET", path: "/api/v1/profile"))
        return try Self.read(reply) { json throws(WireProblem) in try Profile(json: json) }
    }

    /// Changes the given members, at least one.
    ///
    /// - Throws: As ``fetchMe()``, and `refused` with the invalid field. After `offline` or status 5xx the change may
    ///   have taken effect.
    @discardableResult
    public func updateProfile(_ edit: ProfileEdit) async throws -> Profile {
        let body = AuthJSON.object(edit.members)
        let reply = try await send(GatewayRequest(method: "PATCH", path: "/api/v1/profile", body: body))
        return try Self.read(reply) { json throws(WireProblem) in try Profile(json: json) }
    }

    /// Other bodies come from captive portals.
    static func read<Value>(
        _ reply: HTTPReply, _ read: (AuthJSON) throws(WireProblem) -> Value
    ) throws(AuthClientError) -> Value {
        let json: AuthJSON
        do { json = try JSONReader.read(reply.body) } catch { throw .offline(.notUnderstood("no JSON")) }
        do { return try read(json) } catch { throw .unexpectedAnswer(error.description) }
    }
}
