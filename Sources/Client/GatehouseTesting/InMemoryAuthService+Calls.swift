import Foundation
public import Gatehouse
import GatehouseModel

// Signing in and out.
extension InMemoryAuthService {
    public func signIn(email: String, password: String) async throws -> Session {
        try await opened(.signIn) { server, now, _ throws(AuthClientError) in
            try server.signIn(email, password, at: now)
        }
    }

    public func signIn(with credentials: OpenIDConnectCredentials) async throws -> Session {
        try await opened(.signInWithProvider) { server, now, fault throws(AuthClientError) in
            var token = try InMemoryServer.token(of: credentials)
            if fault == .nameIgnored { token.name = nil }
            return try server.signIn(token, at: now)
        }
    }

    public func signUp(email: String, password: String, firstName: String?) async throws -> AuthResponse {
        let (begun, now, uptime) = (begin(), clock.now, clock.uptime)
        return try await exchange(.signUp) { server, _ in
            try server.signUp(email, password, firstName, at: now)
        } then: { state, answer in
            guard let opened = answer.0 else { return .user(answer.1) }
            return .session(try state.device.adopt(opened, begun: begun, at: uptime))
        }
    }

    public func signOut() async throws {
        let (old, isLocked) = state.withLock { state in
            state.restore()
            return (state.device.signOut(), state.script.isStoreLocked)
        }
        if let old {
            do {
                try await exchange(.signOut) { server, _ in
                    server.sessions[old.id] = nil
                } then: { _, _ in
                }
            } catch {
                // The server has opened a session that no client holds, because the store was locked for a moment.
                if error as? AuthClientError == Fault.locked { throw AuthClientError.storeFailed("locked") }
            }
        }
        if isLocked { throw AuthClientError.storeFailed("locked") }
    }

    /// Makes a call that signs in.
    ///
    /// - Parameter continues: Whether the new session takes the place of the current one, which then ends.
    func opened(
        _ call: Call, continues: Bool = false,
        _ open:
            @escaping @Sendable (inout InMemoryServer, Date, Fault?) throws(AuthClientError) ->
            InMemoryServer.Opened
    ) async throws -> Session {
        let (begun, now, uptime) = (begin(), clock.now, clock.uptime)
        return try await exchange(call) { server, fault in
            try open(&server, now, fault)
        } then: { state, opened in
            let old = state.device.kept
            let session = try state.device.adopt(opened, begun: begun, at: uptime)
            if continues, let old { state.server.sessions[old.id] = nil }
            return session
        }
    }

    func begin() -> Int {
        state.withLock { state in
            state.restore()
            return state.device.wishes
        }
    }
}

// The signed-in account.
extension InMemoryAuthService {
    public func accessToken() async throws -> String { try await fresh().session.accessToken }

    public func updateMetadata(_ data: JSONObject) async throws {
        try await asUser(.updateMetadata, then: .userUpdated) { server, kept throws(AuthClientError) in
            server.update(kept.session.user.id) { account in
                account.user.userMetadata.merge(data) { $1 }
                account.user.userMetadata = account.user.userMetadata.filter { $0.value != .null }
            }
        }
    }

    public func update(user change: UserAttributes) async throws -> User {
        let now = clock.now
        return try await asUser(.updateUser, then: .userUpdated) { server, kept throws(AuthClientError) in
            try server.update(kept, change, at: now)
        }
    }

    public func reauthenticate() async throws { try await asUser(.reauthenticate) { _, _ throws(AuthClientError) in } }

    /// Makes a call of the auth server with the session's token, and updates the session's user.
    ///
    /// - Parameter event: The event after a call that changed the account.
    @discardableResult
    func asUser(
        _ call: Call, then event: AuthChangeEvent? = nil,
        _ serve: @escaping @Sendable (inout InMemoryServer, InMemoryDevice.Kept) throws(AuthClientError) -> Void
    ) async throws -> User {
        let kept = try await fresh()
        do {
            return try await exchange(call) { server, _ in
                guard server.account(kept.session.user.id) != nil else {
                    throw Fault.refused(403, .userNotFound, sessionEnd: server.ends[kept.id])
                }
                guard server.sessions[kept.id] != nil else {
                    throw Fault.refused(403, .sessionNotFound, sessionEnd: server.ends[kept.id])
                }
                try serve(&server, kept)
                guard let account = server.account(kept.session.user.id) else {
                    throw Fault.refused(403, .userNotFound, sessionEnd: server.ends[kept.id])
                }
                return account.user
            } then: { state, user in
                state.device.replace(user, then: event)
                return user
            }
        } catch AuthClientError.refused(let refusal)
            where refusal.code == .userNotFound || refusal.code == .sessionNotFound
        {
            throw end(kept, refusal.code ?? .sessionNotFound, because: refusal.sessionEnd)
        }
    }

    public func fetchMe() async throws -> SignedInAccount {
        try await atGateway(.fetchMe) { server, user, fault in
            let profile = fault == .profileMissing ? nil : server.account(user.id)?.profile
            return SignedInAccount(id: user.id, email: user.email, profile: profile)
        }
    }

    public func updateProfile(_ change: ProfileChange) async throws -> SignedInAccount {
        try await atGateway(.updateProfile) { server, user, _ in
            guard let account = server.account(user.id) else { throw Fault.refused(403, .userNotFound) }
            var profile = account.profile ?? ProfileSummary(id: user.id, createdAt: account.user.createdAt)
            try InMemoryGateway.change(&profile, change)
            server.update(user.id) { $0.profile = profile }
            return SignedInAccount(id: user.id, email: user.email, profile: profile)
        }
    }

    public func deleteAccount() async throws {
        try await atGateway(.deleteAccount) { server, user, _ in server.remove(user.id) }
    }

    private func atGateway<Value: Sendable>(
        _ call: Call, _ serve: @escaping @Sendable (inout InMemoryServer, User, Fault?) throws -> Value
    ) async throws -> Value {
        let kept = try await fresh()
        do {
            return try await exchange(call) { server, fault in
                try serve(&server, kept.session.user, fault)
            } then: { _, value in
                value
            }
        } catch AuthClientError.refused(let refusal) where refusal.code == .userNotFound {
            // The gateway refuses the token, and a refresh then finds that the session has ended.
            throw end(kept, .refreshTokenNotFound, because: state.withLock { $0.server.ends[kept.id] })
        }
    }

    private func end(
        _ kept: InMemoryDevice.Kept, _ code: AuthErrorCode, because reason: SessionEndReason?
    ) -> AuthClientError {
        state.withLock { state in
            if state.device.kept?.id == kept.id { state.device.end(.endedByServer(code, because: reason)) }
            return state.device.overtaken
        }
    }
}
