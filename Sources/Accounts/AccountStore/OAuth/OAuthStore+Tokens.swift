package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum OAuthRedemption: Sendable {
    case opened(IssuedSession, OAuthAuthorization)
    /// Unknown, expired, another client's, or used before.
    case invalid
    /// The code stays valid.
    case wrongVerifier
    case wrongRedirectURI
    /// The user has not approved it. The code stays valid.
    case wrongResource
    case banned
    // Of a device (RFC 8628 §3.5).
    case pending, slowDown, denied, expired
}

/// With what a client asks for a session.
package enum OAuthCode: Sendable {
    /// - Parameter redirectURI: If sent; OAuth 2.1 leaves it out.
    case authorization(Secret, verifier: Secret, redirectURI: String?)
    case device(Secret)

    fileprivate var digest: [UInt8] {
        switch self {
        case .authorization(let code, _, _), .device(let code): TokenDigest.of(code)
        }
    }

    fileprivate var flow: OAuthAuthorization.Flow {
        switch self {
        case .authorization: .redirect
        case .device: .device
        }
    }
}

extension OAuthStore {
    /// Opens a client's session. A code's second use ends it (RFC 6749 §4.1.2).
    ///
    /// - Parameter resources: A part of those that the user approved; nil for all.
    package func redeem(
        _ code: OAuthCode, by client: OAuthClient, resources: [String]?, from device: Device, at now: Instant
    ) async throws -> OAuthRedemption {
        try await accounts.sessions.revoking(at: now) { db in
            // The lock: two concurrent requests would both find it approved.
            let locked = try db.run(
                "UPDATE oauth_authorizations SET client_id = client_id WHERE code_digest = \(code.digest)")
            guard locked == 1, let found = try db.row(Self.codeLookup(code.digest), { $0.approvedAuthorization() }),
                found.authorization.client == client.id, found.authorization.flow == code.flow
            else { return .invalid }
            if let refusal = try refusal(of: code, found, from: device, at: now, in: db) { return refusal }
            guard let user = found.authorization.user, let account = try db.account(user),
                account.user.times.deletedAt == nil
            else { return .invalid }
            if account.user.isBanned(at: now) { return .banned }
            let approved = found.authorization.request.resources
            guard resources?.allSatisfy({ approved.contains($0) }) ?? true else { return .wrongResource }
            return .opened(
                try open(found, of: account, by: client, resources: resources, from: device, at: now, in: db),
                found.authorization)
        }
    }

    private func refusal(
        of code: OAuthCode, _ found: ApprovedAuthorization, from device: Device, at now: Instant, in db: any Connection
    ) throws -> OAuthRedemption? {
        let authorization = found.authorization
        switch code {
        case .authorization(_, let verifier, let redirectURI):
            guard authorization.request.key?.isAnswered(by: verifier) == true else { return .wrongVerifier }
            if let redirectURI, redirectURI != authorization.request.redirectURI { return .wrongRedirectURI }
            if authorization.status == .redeemed {
                try endReused(found, from: device, at: now, in: db)
                return .invalid
            }
            return authorization.status == .approved && now < authorization.expiresAt ? nil : .invalid
        case .device:
            switch authorization.status {
            case .redeemed: return .invalid
            case .denied: return .denied
            case .approved, .pending, .pushed: break
            }
            guard now < authorization.expiresAt else { return .expired }
            if authorization.status == .approved { return nil }
            let isEarly = found.polledAt.map { now < $0 + OAuthAuthorization.pollInterval } ?? false
            try db.run("UPDATE oauth_authorizations SET polled_at = \(now) WHERE id = \(authorization.id)")
            return isEarly ? .slowDown : .pending
        }
    }

    private func endReused(
        _ found: ApprovedAuthorization, from device: Device, at now: Instant, in db: any Connection
    ) throws {
        guard let session = found.session else { return }
        try accounts.sessions.endSessions(
            where: "id = \(session)", .bySystem(.codeReused, from: device), at: now, in: db)
    }

    private func open(
        _ found: ApprovedAuthorization, of account: Account, by client: OAuthClient, resources: [String]?,
        from device: Device, at now: Instant, in db: any Connection
    ) throws -> IssuedSession {
        let request = found.authorization.request
        let approving = AuthenticationEntries(found.methods)
        var session = accounts.newSession(of: account.user.id, by: .oauthClient, on: device, at: now)
        session.entries.addSecondFactors(of: approving)
        session.client = SessionClient(
            id: client.id, publicID: client.publicID, name: client.metadata.name, scopes: request.scopes,
            resources: resources ?? request.resources, signedInAt: approving.times.max())
        try db.insert(session, from: device)
        try db.run(
            """
            UPDATE oauth_authorizations SET status = \(OAuthAuthorization.Status.redeemed.rawValue),
                session_id = \(session.id), expires_at = \(now + OAuthAuthorization.lifetime)
            WHERE id = \(found.authorization.id)
            """)
        var traits = Self.traits(client)
        traits["provider"] = "oauth_client"
        let login = AuditEntry(.login, actor: account.user.id, actorName: account.user.name, traits: traits)
        try accounts.record([login], at: now, in: db)
        return try accounts.sessions.issue(session, to: try accounts.latest(account, in: db))
    }

    /// - Returns: nil for a token that is not one of this client's.
    package func refresh(
        _ token: Secret, of client: OAuthClient, from device: Device, at now: Instant
    ) async throws -> RefreshOutcome? {
        guard let presented = RefreshToken(token, kind: .client), let key = presented.genuineKey(secrets) else {
            return nil
        }
        guard let owner = try await owner(of: presented.session) else {
            return .unknown(try await accounts.sessions.endReason(of: presented.session))
        }
        guard owner == client.id else { return nil }
        return try await accounts.sessions.refresh(
            presented.session, counter: presented.counter, key, from: device, at: now)
    }

    /// The client's active session that a refresh token belongs to, and whether the token is the current one.
    package func session(of token: Secret, at now: Instant) async throws -> (session: Session, isCurrent: Bool)? {
        guard let presented = RefreshToken(token, kind: .client), presented.genuineKey(secrets) != nil else {
            return nil
        }
        let found = try await database.row(SessionStore.lookup(presented.session)) { $0.session() }
        guard let session = found, session.client != nil, !policy.hasEnded(session, at: now) else { return nil }
        return (session, presented.counter == session.counter)
    }

    /// RFC 7009.
    package func signOut(_ session: Session, by client: OAuthClient, from device: Device, at now: Instant) async throws
    {
        try await accounts.sessions.revoking(at: now) { db in
            _ = try accounts.sessions.endSessions(
                where: "id = \(session.id) AND oauth_client_id = \(client.id)",
                .bySystem(.clientSignedOut, from: device), at: now, in: db)
        }
    }

    private func owner(of session: SessionID) async throws -> OAuthClientID? {
        try await database.row("SELECT oauth_client_id FROM sessions WHERE id = \(session)") { $0.idIfPresent() } ?? nil
    }

    static func codeLookup(_ digest: [UInt8]) -> SQL {
        """
        SELECT \(columns: authorizationColumns), oauth_authorizations.approval, oauth_authorizations.session_id,
            oauth_authorizations.polled_at
        FROM oauth_authorizations WHERE oauth_authorizations.code_digest = \(digest)
        """
    }
}

private struct ApprovedAuthorization: Sendable {
    let authorization: OAuthAuthorization
    /// `amr` of the session that approved.
    let methods: String
    let session: SessionID?
    let polledAt: Instant?
}

extension Row {
    fileprivate mutating func approvedAuthorization() -> ApprovedAuthorization {
        ApprovedAuthorization(
            authorization: authorization(), methods: json()["amr"]?.stringValue ?? "[]", session: idIfPresent(),
            polledAt: instantIfPresent())
    }
}
