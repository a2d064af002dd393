public import Foundation
public import Gatehouse
import GatehouseModel

// Signing in and out.
extension InMemoryAuthService {
    public func signIn(email: String, password: String) async throws -> Session {
        try await opened(.signIn) { server, now throws(AuthClientError) in
            try server.signIn(email, password, at: now)
        }
    }

    public func signIn(with credentials: OpenIDConnectCredentials) async throws -> Session {
        try await opened(.signInWithProvider) { server, now throws(AuthClientError) in
            try server.signIn(try InMemoryServer.token(of: credentials), at: now)
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

    public func browserAddress(for provider: Provider, redirectTo: URL) async throws -> URL {
        try startFlow(.signIn, provider, redirectTo)
    }

    public func browserAddress(linking provider: Provider, redirectTo: URL) async throws -> URL {
        _ = try await fresh()
        try await exchange(.startLinkInBrowser) { _, _ in
        } then: { _, _ in
        }
        return try startFlow(.link, provider, redirectTo)
    }

    private func startFlow(_ flow: InMemoryDevice.Flow, _ provider: Provider, _ redirectTo: URL) throws -> URL {
        let id = state.withLock { state in
            let id = "flow-\(state.server.number())"
            state.device.flows[id] = flow
            return id
        }
        let address = ScriptedFlow(id: id, provider: provider, redirectTo: redirectTo.absoluteString).address
        guard let address else { throw AuthClientError.unknownFlow }
        return address
    }

    public func finishSignIn(from redirect: URL) async throws -> Session {
        let values = redirect.queryValues
        let code = values["code"].flatMap(ScriptedFlow.read)
        let (flow, kept) = state.withLock { ($0.device.flows[code?.id ?? ""], $0.device.kept) }
        return try await opened(.finishInBrowser) { server, now throws(AuthClientError) in
            if let error = values["error_code"] ?? values["error"] {
                throw Fault.refused(0, AuthErrorCode(rawValue: error))
            }
            guard let code, let flow else { throw .unknownFlow }
            switch flow {
            case .signIn: return try server.signIn(code.token, at: now)
            case .link: return try server.link(code.token, to: kept, at: now)
            }
        } finally: { state in
            if let code { state.device.flows[code.id] = nil }
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
                // The server keeps a session whose tokens nobody has. A store that was locked for a moment is below.
                if error as? AuthClientError == Fault.locked { throw AuthClientError.storeFailed("locked") }
            }
        }
        if isLocked { throw AuthClientError.storeFailed("locked") }
    }

    /// A call whose answer signs in.
    private func opened(
        _ call: Call,
        _ open: @escaping @Sendable (inout InMemoryServer, Date) throws(AuthClientError) -> InMemoryServer.Opened,
        finally: @escaping @Sendable (inout State) -> Void = { _ in }
    ) async throws -> Session {
        let (begun, now, uptime) = (begin(), clock.now, clock.uptime)
        return try await exchange(call) { server, _ in
            try open(&server, now)
        } then: { state, opened in
            let session = try state.device.adopt(opened, begun: begun, at: uptime)
            finally(&state)
            return session
        }
    }

    private func begin() -> Int {
        state.withLock { state in
            state.restore()
            return state.device.wishes
        }
    }
}

// The account that is signed in.
extension InMemoryAuthService {
    public func accessToken() async throws -> String { try await fresh().session.accessToken }

    public func identities() async throws -> [UserIdentity] {
        try await asUser(.identities) { _, _ throws(AuthClientError) in }
    }

    public func unlink(_ identity: UserIdentity) async throws {
        try await asUser(.unlink) { server, kept throws(AuthClientError) in
            try server.unlink(identity.identityID, of: kept.session.user.id)
        }
    }

    public func link(with credentials: OpenIDConnectCredentials) async throws -> Session {
        let kept = try await fresh()
        return try await opened(.link) { server, now throws(AuthClientError) in
            try server.link(try InMemoryServer.token(of: credentials), to: kept, at: now)
        }
    }

    /// A call of the auth server with the session's own token; the session then has the user as the server has it.
    @discardableResult
    private func asUser(
        _ call: Call,
        _ serve: @escaping @Sendable (inout InMemoryServer, InMemoryDevice.Kept) throws(AuthClientError) -> Void
    ) async throws -> [UserIdentity] {
        let kept = try await fresh()
        do {
            return try await exchange(call) { server, _ in
                try serve(&server, kept)
                guard let account = server.account(kept.session.user.id) else {
                    throw Fault.refused(403, .userNotFound)
                }
                return account.user
            } then: { state, user in
                state.device.replace(user)
                return user.identities ?? []
            }
        } catch AuthClientError.refused(let refusal) where refusal.code == .userNotFound {
            throw end(kept, .userNotFound)
        }
    }

    public func fetchMe() async throws -> SignedInAccount {
        try await atGateway(.fetchMe) { server, user, fault in
            let profile = fault == .profileMissing ? nil : server.account(user.id)?.profile
            return SignedInAccount(id: user.id, email: user.email, profile: profile)
        }
    }

    public func updateProfile(firstName: FieldChange, favoriteTeams: [String]?) async throws -> SignedInAccount {
        try await atGateway(.updateProfile) { server, user, _ in
            guard let account = server.account(user.id) else { throw Fault.refused(403, .userNotFound) }
            var profile = account.profile ?? ProfileSummary(id: user.id, createdAt: account.user.createdAt)
            try InMemoryGateway.change(&profile, firstName: firstName, favoriteTeams: favoriteTeams)
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
        let kept: InMemoryDevice.Kept
        do { kept = try await fresh() } catch let error as AuthClientError { throw GatewayError(noToken: error) }
        do {
            return try await exchange(call) { server, fault in
                try serve(&server, kept.session.user, fault)
            } then: { _, value in
                value
            }
        } catch AuthClientError.refused(let refusal) where refusal.code == .userNotFound {
            // The gateway refuses the token; a refresh then finds the session gone, too.
            throw GatewayError(noToken: end(kept, .refreshTokenNotFound))
        }
    }

    private func end(_ kept: InMemoryDevice.Kept, _ code: AuthErrorCode) -> AuthClientError {
        state.withLock { state in
            if state.device.kept?.id == kept.id { state.device.end(.endedByServer(code)) }
            return state.device.overtaken
        }
    }
}
