public import Foundation
public import Gatehouse
import GatehouseModel

// Second factors and recovery codes.
extension InMemoryAuthService {
    /// The code that the authenticator app of an account shows now; nil without one. Each code works once; advance
    /// ``clock`` by 30 seconds for the next.
    public func appCode(of email: String = "ada@example.com") -> String? {
        let now = clock.now
        return state.withLock { state in
            let factor = state.server.account(email: email)?.user.factors?.last { $0.factorType == .totp }
            return factor.map { InMemoryServer.code(of: $0.id, at: now) }
        }
    }

    /// Adds a proven authenticator app to an account, and recovery codes. Its sessions fall to one factor. Does nothing
    /// if no account has the address.
    ///
    /// - Returns: The recovery codes.
    @discardableResult
    public func addApp(to email: String = "ada@example.com", named name: String? = "My phone") -> [String] {
        let now = clock.now
        return state.withLock { state in
            guard let id = state.server.account(email: email)?.user.id else { return [] }
            let (app, set) = (Fixtures.id(state.server.number()), Fixtures.id(state.server.number()))
            let codes = Fixtures.recoveryCodes(state.server.number())
            let factors = [
                Factor(id: app, factorType: .totp, friendlyName: name, createdAt: now, updatedAt: now),
                Factor(
                    id: set, factorType: .recoveryCode, friendlyName: "Recovery codes", createdAt: now, updatedAt: now),
            ]
            state.server.update(id) { $0.user.factors = factors }
            state.server.protection.codes[id] = InMemoryProtection.Codes(factor: set, left: codes, total: codes.count)
            if let kept = state.device.kept, kept.session.user.id == id {
                state.device.kept?.session.user.factors = factors
            }
            return codes
        }
    }

    public func factors() async throws -> [Factor] {
        try await asUser(.factors) { _, _ throws(AuthClientError) in }.factors ?? []
    }

    public func enrollApp(issuer _: String?, friendlyName: String?) async throws -> AuthMFAEnrollResponse {
        let now = clock.now
        return try await answer(.enrollFactor) { server, kept throws(AuthClientError) in
            try server.enroll(kept, name: friendlyName, at: now)
        }
    }

    public func verify(code: String, of factor: UUID) async throws -> Session {
        let now = clock.now
        return try await raised(.verifyFactor) { server, kept throws(AuthClientError) in
            .success(try server.verify(kept, code: code, of: factor, at: now))
        }
    }

    public func verify(recoveryCode: String) async throws -> Session {
        let now = clock.now
        return try await raised(.verifyRecoveryCode) { server, kept throws(AuthClientError) in
            try server.verify(kept, recoveryCode: recoveryCode, at: now)
        }
    }

    public func removeFactor(id: UUID) async throws {
        try await asUser(.removeFactor, then: .userUpdated) { server, kept throws(AuthClientError) in
            try server.removeFactor(kept, id)
        }
    }

    public func recoveryCodes() async throws -> AuthMFARecoveryCodesStatusResponse? {
        try await answer(.recoveryCodes) { server, kept in server.codesStatus(of: kept.session.user.id) }
    }

    public func makeRecoveryCodes(replacing: Bool) async throws -> AuthMFARecoveryCodesGenerateResponse {
        let now = clock.now
        return try await answer(.makeRecoveryCodes) { server, kept throws(AuthClientError) in
            try server.makeCodes(kept, replacing: replacing, at: now)
        }
    }

    public func deleteRecoveryCodes() async throws {
        try await asUser(.removeFactor, then: .userUpdated) { server, kept throws(AuthClientError) in
            try server.deleteCodes(kept)
        }
    }

    /// Makes a call that replaces the tokens of the session in place.
    private func raised(
        _ call: Call,
        _ serve:
            @escaping @Sendable (inout InMemoryServer, InMemoryDevice.Kept) throws(AuthClientError) ->
            Result<InMemoryServer.Opened, AuthClientError>
    ) async throws -> Session {
        let opened = Locked<InMemoryServer.Opened?>(nil)
        let uptime = clock.uptime
        // A refusal that counts must not undo what it changed.
        let refusal = Locked<AuthClientError?>(nil)
        try await asUser(call) { server, kept throws(AuthClientError) in
            switch try serve(&server, kept) {
            case .success(let session): opened.withLock { $0 = session }
            case .failure(let error): refusal.withLock { $0 = error }
            }
        }
        if let error = refusal.withLock({ $0 }) { throw error }
        return try state.withLock { state in
            guard let opened = opened.withLock({ $0 }), state.device.kept?.id == opened.id else {
                throw state.device.overtaken
            }
            let session = state.device.keep(opened, at: uptime)
            state.device.happened(.mfaChallengeVerified)
            return session
        }
    }

    /// Makes a call of the auth server with the session's token.
    func answer<Value: Sendable>(
        _ call: Call,
        _ serve: @escaping @Sendable (inout InMemoryServer, InMemoryDevice.Kept) throws(AuthClientError) -> Value
    ) async throws -> Value {
        let value = Locked<Value?>(nil)
        try await asUser(call) { server, kept throws(AuthClientError) in
            let served = try serve(&server, kept)
            value.withLock { $0 = served }
        }
        guard let value = value.withLock({ $0 }) else { throw Fault.refused(500, .unexpectedFailure) }
        return value
    }
}

// Passkeys, and fresh proofs.
extension InMemoryAuthService {
    public func passkeyAssertion(
        with passkeys: any PasskeyAuthenticator, style: PasskeyRequestStyle
    ) async throws -> PasskeyAssertion {
        let now = clock.now
        let options = try await exchange(.passkeyOptions) { server, _ in
            try server.authenticationOptions(at: now)
        } then: { _, options in
            options
        }
        return PasskeyAssertion(
            challengeID: options.challengeID, credential: try await passkeys.get(options, style: style))
    }

    public func signIn(with assertion: PasskeyAssertion) async throws -> Session {
        try await opened(.signInWithPasskey) { server, now, _ throws(AuthClientError) in
            try server.signIn(with: assertion, at: now)
        }
    }

    public func registerPasskey(
        with passkeys: any PasskeyAuthenticator, style: PasskeyCreationStyle
    ) async throws -> Passkey {
        let now = clock.now
        let options = try await answer(.passkeyOptions) { server, kept throws(AuthClientError) in
            try server.registrationOptions(kept, at: now)
        }
        let credential = try await passkeys.create(options, style: style)
        do {
            return try await answer(.registerPasskey) { server, kept throws(AuthClientError) in
                try server.register(kept, options.challengeID, credential, at: now)
            }
        } catch {
            await passkeys.forget(credential, of: options, after: error)
            throw error
        }
    }

    public func passkeys() async throws -> [Passkey] {
        try await answer(.passkeys) { server, kept throws(AuthClientError) in
            try server.passkeys(of: kept.session.user.id)
        }
    }

    public func renamePasskey(id: UUID, friendlyName: String) async throws {
        try await asUser(.changePasskey) { server, kept throws(AuthClientError) in
            try server.changePasskey(id, of: kept.session.user.id) { known in
                var renamed = known
                renamed.friendlyName = friendlyName
                return renamed
            }
        }
    }

    public func deletePasskey(id: UUID) async throws {
        try await asUser(.changePasskey) { server, kept throws(AuthClientError) in
            try server.requireLevel(kept.id)
            try server.changePasskey(id, of: kept.session.user.id) { _ in nil }
        }
    }

    public func signalPasskeys(to passkeys: any PasskeyAuthenticator) async throws {
        let now = clock.now
        let options = try await answer(.passkeyOptions) { server, kept throws(AuthClientError) in
            try server.registrationOptions(kept, at: now)
        }
        await passkeys.signal(
            .accepted(
                relyingPartyID: options.relyingPartyID, userHandle: options.userHandle,
                credentialIDs: options.excludedCredentials))
    }

    public func signInAgain(password: String) async throws -> Session {
        let user = try await fresh().session.user
        return try await opened(.signInAgain, continues: true) { server, now, _ throws(AuthClientError) in
            try server.signIn(user.email ?? "", password, at: now)
        }
    }

    public func signInAgain(with passkeys: any PasskeyAuthenticator) async throws -> Session {
        let user = try await fresh().session.user.id
        let assertion = try await passkeyAssertion(with: passkeys, style: .sheet)
        return try await opened(.signInAgain, continues: true) { server, now, _ throws(AuthClientError) in
            let opened = try server.signIn(with: assertion, at: now)
            guard opened.session.user.id == user else {
                server.sessions[opened.id] = nil
                throw .otherAccount
            }
            return opened
        }
    }
}
