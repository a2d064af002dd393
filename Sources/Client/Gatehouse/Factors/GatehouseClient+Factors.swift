import Foundation

extension GatehouseClient {
    func read<Value: Sendable>(
        _ request: AuthRequest, _ read: @escaping @Sendable (AuthJSON) throws(WireProblem) -> Value
    ) async throws -> Value {
        try await asUser { token, _ in try AuthCaller.read(try await self.caller.send(request, bearer: token), read) }
    }

    /// The response replaces the session's tokens in place.
    func raise(_ request: AuthRequest) async throws -> AuthSession {
        let caller = caller
        return try await asUser { _, _ in
            try await self.coordinator.raisedSession { try await caller.raised(request, bearer: $0) }
        }
    }

    /// Removes a factor, then fetches the user. If that fails, the stored user still loses the factor.
    func remove(factor: UUID, by request: AuthRequest) async throws {
        try await asUser { token, _ in _ = try await self.caller.send(request, bearer: token) }
        await forget(factor: factor)
    }

    /// Also outdates the access token, whose level is wrong.
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
