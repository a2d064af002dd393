import Foundation

extension GatehouseClient {
    /// Makes a call for the signed-in user, and reads its response.
    func read<Value: Sendable>(
        _ request: AuthRequest, _ read: @escaping @Sendable (AuthJSON) throws(WireProblem) -> Value
    ) async throws -> Value {
        try await asUser { token, _ in try AuthCaller.read(try await self.caller.send(request, bearer: token), read) }
    }

    /// Makes a call that raises the session's level. Its response replaces the tokens of the session in place.
    func raise(_ request: AuthRequest) async throws -> AuthSession {
        let caller = caller
        return try await asUser { _, _ in
            try await self.coordinator.raisedSession { try await caller.session(request, bearer: $0) }
        }
    }

    /// Removes a factor, then fetches the changed user. If only the fetch fails, the stored user lacks the factor
    /// nevertheless.
    func remove(factor: UUID, by request: AuthRequest) async throws {
        try await asUser { token, _ in _ = try await self.caller.send(request, bearer: token) }
        await forget(factor: factor)
    }

    /// The server has removed a factor, so the stored user must not have it, and the next refresh must not return the
    /// access token, whose level is outdated.
    func forget(factor: UUID) async {
        if let (user, epoch) = await coordinator.owner() {
            var left = user
            left.factors?.removeAll { $0.id == factor }
            await coordinator.replace(left, startedIn: epoch, event: .userUpdated)
            await coordinator.forgetWindow(startedIn: epoch)
        }
        await refetchUser()
    }

    /// Ignored: later calls fetch the account.
    func refetchUser() async { _ = try? await user() }
}
