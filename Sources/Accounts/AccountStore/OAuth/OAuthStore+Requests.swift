package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// A user's earlier consent to a client.
package struct OAuthConsent: Sendable {
    package let scopes: OAuthScopes
    package let resources: [String]
    package let grantedAt: Instant

    package func covers(_ request: OAuthRequest) -> Bool {
        scopes.covers(request.scopes) && request.resources.allSatisfy { resources.contains($0) }
    }
}

package struct FoundAuthorization: Sendable {
    package var authorization: OAuthAuthorization
    package let client: OAuthClient
    package let consent: OAuthConsent?

    fileprivate func belongs(to user: UserID, at now: Instant) -> Bool {
        authorization.user == user && now < authorization.expiresAt
    }
}

package enum AuthorizationKey: Sendable {
    case id(Identifier<OAuthAuthorization>)
    /// In ``UserCode``'s form.
    case userCode(String)
}

extension OAuthStore {
    /// Undecided requests of one user that are listed.
    package static let mostPending = 20
    /// Random bytes for a ``UserCode``: too few are usable once in 10⁹ times.
    private static let userCodeBytes = 20

    /// - Parameter deviceCode: Of a device; nil for a browser.
    package func begin(
        _ request: OAuthRequest, of client: OAuthClientID, status: OAuthAuthorization.Status = .pending,
        deviceCode: Secret? = nil, from device: Device, at now: Instant
    ) async throws -> OAuthAuthorization {
        let id: Identifier<OAuthAuthorization> = accounts.newID()
        let digest = deviceCode.map { SQLValue.bytes(TokenDigest.of($0)) } ?? .null
        return try await database.write { db in
            try db.removeExpired(from: .oauthAuthorizations, at: now)
            let authorization = OAuthAuthorization(
                id: id, client: client, flow: deviceCode == nil ? .redirect : .device, status: status, request: request,
                device: device, userCode: deviceCode == nil ? nil : try freeUserCode(in: db), createdAt: now,
                expiresAt: now + OAuthAuthorization.lifetime)
            try db.run(
                """
                INSERT INTO oauth_authorizations (
                    id, client_id, flow, status, request, user_agent, ip, user_code, code_digest, created_at, expires_at)
                VALUES (
                    \(id), \(client), \(authorization.flow.rawValue), \(status.rawValue), \(request.json.text),
                    \(device.userAgent), \(device.address), \(authorization.userCode), \(digest), \(now),
                    \(authorization.expiresAt))
                """)
            return authorization
        }
    }

    private func freeUserCode(in db: any Connection) throws -> String {
        while true {
            guard let code = UserCode.make(randomBytes(Self.userCodeBytes)) else { continue }
            let isTaken = try db.row("SELECT 1 FROM oauth_authorizations WHERE user_code = \(code)") { $0.int() } != nil
            if !isTaken { return code }
        }
    }

    /// Lets the browser continue a pushed request, once.
    ///
    /// - Parameter device: The browser's.
    /// - Returns: false if it is another client's, unknown, expired, or was continued before.
    package func begin(
        pushed id: Identifier<OAuthAuthorization>, of client: OAuthClientID, from device: Device, at now: Instant
    ) async throws -> Bool {
        try await database.write { db in
            try db.run(
                """
                UPDATE oauth_authorizations SET status = \(OAuthAuthorization.Status.pending.rawValue),
                    user_agent = \(device.userAgent), ip = \(device.address)
                WHERE id = \(id) AND client_id = \(client) AND expires_at > \(now)
                    AND status = \(OAuthAuthorization.Status.pushed.rawValue)
                """) == 1
        }
    }

    /// Shows a request to a user. The first who looks owns it.
    ///
    /// - Returns: nil if it is unknown, expired or another user's.
    package func look(
        at key: AuthorizationKey, by user: UserID, at now: Instant
    ) async throws -> FoundAuthorization? {
        var found = try await database.row(Self.lookup(key)) { $0.foundAuthorization() }
        if let unowned = found?.authorization, unowned.user == nil, unowned.status == .pending {
            try await database.write { db in
                _ = try db.run(
                    """
                    UPDATE oauth_authorizations SET user_id = \(user)
                    WHERE id = \(unowned.id) AND user_id IS NULL
                        AND status = \(OAuthAuthorization.Status.pending.rawValue)
                    """)
            }
            found = try await database.row(Self.lookup(.id(unowned.id))) { $0.foundAuthorization() }
        }
        return found.flatMap { $0.belongs(to: user, at: now) ? $0 : nil }
    }

    /// A request that the user has looked at.
    ///
    /// - Returns: As ``look(at:by:at:)``.
    package func authorization(
        _ id: Identifier<OAuthAuthorization>, of user: UserID, at now: Instant
    ) async throws -> FoundAuthorization? {
        let found = try await database.row(Self.lookup(.id(id))) { $0.foundAuthorization() }
        return found.flatMap { $0.belongs(to: user, at: now) ? $0 : nil }
    }

    /// Newest first, at most ``mostPending``.
    package func pending(of user: UserID, at now: Instant) async throws -> [FoundAuthorization] {
        try await database.rows(Self.pendingLookup(user, at: now)) { $0.foundAuthorization() }
    }

    /// Ends a request before any user has looked at it, such as one that must not show a page.
    ///
    /// - Parameter onlyWithoutPages: Leaves one that may show a page.
    /// - Returns: nil if it is unknown, expired, decided, a user's, or left.
    package func cancel(
        _ id: Identifier<OAuthAuthorization>, onlyWithoutPages: Bool = false, at now: Instant
    ) async throws -> OAuthAuthorization? {
        let known = try await database.row(Self.lookup(.id(id))) { $0.foundAuthorization() }
        guard let found = known?.authorization, found.flow == .redirect, now < found.expiresAt,
            !onlyWithoutPages || found.request.forbidsPages
        else { return nil }
        return try await database.write { db in
            let changed = try db.run(
                """
                UPDATE oauth_authorizations SET status = \(OAuthAuthorization.Status.denied.rawValue)
                WHERE id = \(id) AND user_id IS NULL AND status = \(OAuthAuthorization.Status.pending.rawValue)
                """)
            return changed == 1 ? found : nil
        }
    }

    /// Lets another user look, as before the first look. Not at a device's request: its user enters the code.
    ///
    /// - Returns: false if it is unknown, expired, decided, a device's or another user's.
    package func release(
        _ id: Identifier<OAuthAuthorization>, by user: UserID, at now: Instant
    ) async throws -> Bool {
        try await database.write { db in
            try db.run(
                """
                UPDATE oauth_authorizations SET user_id = NULL
                WHERE id = \(id) AND user_id = \(user) AND expires_at > \(now)
                    AND flow = \(OAuthAuthorization.Flow.redirect.rawValue)
                    AND status = \(OAuthAuthorization.Status.pending.rawValue)
                """) == 1
        }
    }

    /// Ends a user's request without a decision.
    ///
    /// - Returns: false if it is decided, or not the user's.
    package func refuse(_ id: Identifier<OAuthAuthorization>, of user: UserID) async throws -> Bool {
        try await database.write { db in
            try db.run(
                """
                UPDATE oauth_authorizations SET status = \(OAuthAuthorization.Status.denied.rawValue)
                WHERE id = \(id) AND user_id = \(user) AND status = \(OAuthAuthorization.Status.pending.rawValue)
                """) == 1
        }
    }

    static func lookup(_ key: AuthorizationKey) -> SQL {
        switch key {
        case .id(let id): lookup(where: "oauth_authorizations.id = \(id)")
        case .userCode(let code): lookup(where: "oauth_authorizations.user_code = \(code)")
        }
    }

    static func pendingLookup(_ user: UserID, at now: Instant) -> SQL {
        let condition: SQL = """
            oauth_authorizations.user_id = \(user) AND oauth_authorizations.expires_at > \(now)
                AND oauth_authorizations.status = \(OAuthAuthorization.Status.pending.rawValue)
            """
        return lookup(where: "\(condition) ORDER BY oauth_authorizations.created_at DESC LIMIT \(mostPending)")
    }

    static func lookup(where condition: SQL) -> SQL {
        """
        SELECT \(columns: authorizationColumns), \(columns: clientColumns), oauth_consents.scopes,
            oauth_consents.resources, oauth_consents.granted_at
        FROM oauth_authorizations JOIN oauth_clients ON oauth_clients.id = oauth_authorizations.client_id
        LEFT JOIN oauth_consents ON oauth_consents.client_id = oauth_authorizations.client_id
            AND oauth_consents.user_id = oauth_authorizations.user_id
        WHERE \(condition)
        """
    }
}

extension Row {
    mutating func foundAuthorization() -> FoundAuthorization {
        FoundAuthorization(authorization: authorization(), client: client(), consent: consentIfPresent())
    }

    mutating func consentIfPresent() -> OAuthConsent? {
        guard let scopes = textIfPresent() else {
            skip(2)
            return nil
        }
        return OAuthConsent(
            scopes: OAuthScopes(scopes) ?? OAuthScopes(trusted: []),
            resources: (json().arrayValue ?? []).compactMap(\.stringValue), grantedAt: instant())
    }
}
