import Foundation

/// Whether this user may replace the signed-in one.
typealias SwitchConfirmation = @Sendable (AuthUser) async -> Bool

extension GatehouseClient {
    /// Stores the session, and ends another user's that it replaces.
    func signIn(
        _ request: AuthRequest, bearer: String? = nil, then event: AuthEvent? = nil,
        replacing: SwitchConfirmation? = nil
    ) async throws -> AuthSession {
        let begun = try await coordinator.beginSignIn()
        let timed = try await caller.session(request, bearer: bearer)
        if let replacing, let old = await coordinator.owner()?.user, old.id != timed.answer.user.id,
            await !replacing(timed.answer.user)
        {
            await end(timed.answer)
            throw AuthClientError.cancelled
        }
        return try await replace(by: timed, begun: begun, then: event)
    }

    /// Revokes another user's replaced session, without waiting.
    private func replace(
        by timed: TimedAnswer, begun: Int, then event: AuthEvent?
    ) async throws -> AuthSession {
        if let parked { return try await add(timed, begun: begun, then: event, to: parked) }
        let (session, replaced) = try await coordinator.replace(by: timed, begun: begun, then: event)
        let levels = session.assurance
        // Until the second factor is proven, the user can cancel and return to the earlier session.
        if let replaced, levels.nextLevel == levels.currentLevel {
            endLater(replaced)
        }
        return session
    }

    private func add(
        _ timed: TimedAnswer, begun: Int, then event: AuthEvent?, to parked: ParkedAccounts
    ) async throws -> AuthSession {
        do {
            let activation = try await parked.add(timed, begun: begun, then: event, in: coordinator)
            end(activation.ended, for: activation.session)
            return activation.session
        } catch AuthClientError.tooManyAccounts {
            await end(timed.answer)
            throw AuthClientError.tooManyAccounts
        }
    }

    /// See ``retire(_:for:)``.
    func retire(_ old: AuthSession?, for next: AuthSession) {
        if let old, old.user.id == next.user.id { retire(old.accessToken, for: next) }
    }

    /// Revokes the token's session unless it is `next`, so that the list of devices omits it. Not awaited: `next` is
    /// valid in any case.
    func retire(_ accessToken: String, for next: AuthSession) {
        guard let old = AccessTokenClaims(accessToken)?.sessionID,
            let new = AccessTokenClaims(next.accessToken)?.sessionID, old != new
        else { return }
        Task { [caller] in
            // Ignored: the old session expires later.
            try? await caller.send(.signOutHere, bearer: accessToken)
        }
    }

    /// Stores the session if there is one.
    ///
    /// - Parameters:
    ///   - old: The session whose account changes; nil for a sign-in.
    ///   - bearer: Names a sign-in's account.
    func respond(
        to request: AuthRequest, of old: AuthSession? = nil, bearer: String? = nil, then event: AuthEvent? = nil
    ) async throws -> SessionOrUser {
        let begun = try await coordinator.beginSignIn()
        let reply = try await caller.answer(request, bearer: old?.accessToken ?? bearer)
        switch reply.answer {
        case .session(let session):
            let timed = reply.timed(session)
            if let old { return .session(try await adopt(timed, begun: begun, insteadOf: old)) }
            return .session(try await replace(by: timed, begun: begun, then: event))
        case .user(let user): return .user(user)
        case .pending: return .pending
        }
    }
}

extension AuthRequest {
    static var signOutHere: AuthRequest { AuthRequest("POST", "/logout", query: [("scope", "local")]) }
}
