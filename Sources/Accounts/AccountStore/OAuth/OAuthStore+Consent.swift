package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum OAuthDecision: Sendable {
    /// Or decided so before. The code is nil for a device.
    case approved(OAuthAuthorization, code: Secret?)
    case denied(OAuthAuthorization)
    /// Unknown, expired or another user's.
    case gone
    /// Decided otherwise, or used.
    case over
    case sessionEnded
}

package struct ClientGrant: Sendable {
    package let client: OAuthClient
    package let consent: OAuthConsent
    /// nil if no session of the client is active.
    package let lastUsedAt: Instant?
}

/// For the notice of a newly connected client.
package struct ConnectionNotice: Sendable {
    /// The approver's.
    package let device: Device
    /// The account page that removes clients; nil without account pages.
    package let page: String?
    /// The operator's words for an own scope, in the user's language.
    package let words: @Sendable (_ scope: String) -> String?

    package init(device: Device, page: String?, words: @escaping @Sendable (_ scope: String) -> String?) {
        (self.device, self.page, self.words) = (device, page, words)
    }
}

extension OAuthStore {
    /// Approves, and remembers the consent.
    ///
    /// - Parameters:
    ///   - session: The caller's, whose second factors the client's session inherits.
    ///   - notice: Emailed if the client had no consent before.
    package func approve(
        _ id: Identifier<OAuthAuthorization>, by account: Account, in session: Session?,
        telling notice: ConnectionNotice,
        at now: Instant
    ) async throws -> OAuthDecision {
        let code = secrets.authorizationCode(of: id)
        let approval: AuthJSON = [
            "amr": .string(session?.authenticationMethods ?? "[]"),
            "session": (session?.id.text).map(AuthJSON.string) ?? .null,
        ]
        return try await decide(id, by: account, in: session, at: now) { found, db in
            var authorization = found.authorization
            let isDevice = authorization.flow == .device
            if authorization.status == .denied { return .over }
            if authorization.status == .approved { return .approved(authorization, code: isDevice ? nil : code) }
            authorization.expiresAt =
                isDevice
                ? max(authorization.expiresAt, now + OAuthAuthorization.codeLifetime)
                : now + OAuthAuthorization.codeLifetime
            authorization.status = .approved
            let digest: SQL = isDevice ? "code_digest" : "\(TokenDigest.of(code))"
            try db.run(
                """
                UPDATE oauth_authorizations SET status = \(authorization.status.rawValue), code_digest = \(digest),
                    approval = \(approval.text), expires_at = \(authorization.expiresAt)
                WHERE id = \(id)
                """)
            try remember(found, of: account, at: now, in: db)
            if found.consent == nil { try tell(notice, of: found, account.user, at: now, in: db) }
            return .approved(authorization, code: isDevice ? nil : code)
        }
    }

    /// - Parameter isReport: The user takes the request for a deception.
    package func deny(
        _ id: Identifier<OAuthAuthorization>, by account: Account, in session: Session?, isReport: Bool, at now: Instant
    ) async throws -> OAuthDecision {
        try await decide(id, by: account, in: session, at: now) { found, db in
            var authorization = found.authorization
            guard authorization.status == .pending else {
                return authorization.status == .denied ? .denied(authorization) : .over
            }
            authorization.status = .denied
            try db.run(
                "UPDATE oauth_authorizations SET status = \(authorization.status.rawValue) WHERE id = \(id)")
            let action: AuditEntry.Action = isReport ? .oauthClientReported : .oauthConsentDenied
            try accounts.record([Self.entry(action, found.client, account.user)], at: now, in: db)
            return .denied(authorization)
        }
    }

    private func decide(
        _ id: Identifier<OAuthAuthorization>, by account: Account, in session: Session?, at now: Instant,
        _ body: @escaping @Sendable (FoundAuthorization, any Connection) throws -> OAuthDecision
    ) async throws -> OAuthDecision {
        let user = account.user.id
        return try await database.write { db in
            guard try accounts.mayChange(user, session: session?.id.text, at: now, in: db) else { return .sessionEnded }
            // The lock: two concurrent decisions would both find it pending.
            _ = try db.run("UPDATE oauth_authorizations SET user_id = user_id WHERE id = \(id)")
            guard let found = try db.row(Self.lookup(.id(id)), { $0.foundAuthorization() }),
                found.authorization.user == user, now < found.authorization.expiresAt
            else { return .gone }
            switch found.authorization.status {
            case .pending, .approved, .denied: break
            case .pushed: return .gone
            case .redeemed: return .over
            }
            return try body(found, db)
        }
    }

    private func remember(
        _ found: FoundAuthorization, of account: Account, at now: Instant, in db: any Connection
    ) throws {
        let request = found.authorization.request
        // Keeps the time of the consent.
        guard found.consent?.covers(request) != true else { return }
        let scopes = found.consent?.scopes.joined(with: request.scopes) ?? request.scopes
        let earlier = found.consent?.resources ?? []
        let resources = earlier + request.resources.filter { !earlier.contains($0) }
        try db.run(
            """
            INSERT INTO oauth_consents (user_id, client_id, scopes, resources, granted_at)
            VALUES (
                \(account.user.id), \(found.client.id), \(scopes.text),
                \(AuthJSON.array(resources.map(AuthJSON.string)).text), \(now))
            ON CONFLICT (user_id, client_id) DO UPDATE SET scopes = excluded.scopes, resources = excluded.resources,
                granted_at = excluded.granted_at
            """)
        var entry = Self.traits(found.client)
        entry["scope"] = .string(request.scopes.text)
        try accounts.record(
            [
                AuditEntry(
                    .oauthConsentGranted, actor: account.user.id, actorName: account.user.name, traits: entry)
            ], at: now, in: db)
    }

    private func tell(
        _ notice: ConnectionNotice, of found: FoundAuthorization, _ user: User, at now: Instant, in db: any Connection
    ) throws {
        let request = found.authorization.request
        try accounts.mails.notify(.appConnected, user, from: notice.device, at: now, in: db) { mail in
            let name = found.client.metadata.name
            mail.client = name.isEmpty ? found.client.publicID : name
            mail.page = notice.page
            mail.access = request.scopes.names.map { ClientAccess(name: $0, text: notice.words($0)) }
            mail.access += request.resources.map { ClientAccess(name: $0) }
        }
    }

    /// Newest first.
    package func grants(of user: UserID) async throws -> [ClientGrant] {
        try await database.rows(Self.grantsLookup(user)) { row in
            let client = row.client()
            let consent = OAuthConsent(
                scopes: OAuthScopes(row.text()) ?? OAuthScopes(trusted: []),
                resources: (row.json().arrayValue ?? []).compactMap(\.stringValue), grantedAt: row.instant())
            return ClientGrant(client: client, consent: consent, lastUsedAt: row.instantIfPresent())
        }
    }

    /// Forgets the consent and ends the client's sessions for the user.
    ///
    /// - Parameter end: Who ends them.
    /// - Returns: Whether there was a consent.
    package func revoke(
        _ client: OAuthClient, of user: User, as end: SessionEnd, at now: Instant
    ) async throws -> Bool {
        try await accounts.sessions.revoking(at: now) { db in
            let removed = try db.run(
                "DELETE FROM oauth_consents WHERE user_id = \(user.id) AND client_id = \(client.id)")
            try db.run("DELETE FROM oauth_authorizations WHERE user_id = \(user.id) AND client_id = \(client.id)")
            try accounts.sessions.endSessions(
                where: "user_id = \(user.id) AND oauth_client_id = \(client.id)", end, at: now, in: db)
            guard removed == 1 else { return false }
            var traits = Self.traits(client)
            if end.actor != .user { traits["user_id"] = .string(user.id.text) }
            let entry =
                end.actor == .user
                ? AuditEntry(.oauthConsentRevoked, actor: user.id, actorName: user.name, traits: traits)
                : AuditEntry(
                    .oauthConsentRevoked, administrator: end.device?.administrator, traits: traits)
            try accounts.record([entry], at: now, in: db)
            return true
        }
    }

    static func grantsLookup(_ user: UserID) -> SQL {
        """
        SELECT \(columns: clientColumns), oauth_consents.scopes, oauth_consents.resources, oauth_consents.granted_at,
            (SELECT max(coalesce(refreshed_at, created_at)) FROM sessions
                WHERE sessions.oauth_client_id = oauth_consents.client_id AND sessions.user_id = oauth_consents.user_id)
        FROM oauth_consents JOIN oauth_clients ON oauth_clients.id = oauth_consents.client_id
        WHERE oauth_consents.user_id = \(user) ORDER BY oauth_consents.granted_at DESC, oauth_clients.id LIMIT 100
        """
    }

    static func entry(_ action: AuditEntry.Action, _ client: OAuthClient, _ user: User) -> AuditEntry {
        AuditEntry(action, actor: user.id, actorName: user.name, traits: traits(client))
    }

    static func traits(_ client: OAuthClient) -> AuthJSONObject {
        ["client_id": .string(client.publicID), "name": .string(client.metadata.name)]
    }
}

extension Connection {
    /// Changes of address, and approved requests of clients, from before the second factor.
    func endWhatBeganLower(of user: UserID, at now: Instant) throws {
        try endChanges(of: user, at: now)
        try run("UPDATE oauth_authorizations SET status = 'denied' WHERE user_id = \(user) AND status = 'approved'")
    }

    func forgetConsents(of user: UserID) throws {
        try run("DELETE FROM oauth_consents WHERE user_id = \(user)")
        try run("DELETE FROM oauth_authorizations WHERE user_id = \(user)")
    }
}
