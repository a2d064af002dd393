package import GatehouseWire

/// A signed-in device and its family of refresh tokens.
package struct Session: Sendable {
    package var id: SessionID
    package var user: UserID
    package var createdAt: Instant
    package var refreshedAt: Instant?
    /// Of the current refresh token, starting at 0.
    package var counter: Int64
    /// Derived from ``authenticationMethods``.
    package var assuranceLevel: AssuranceLevel
    /// A JSON array of `{"method", "timestamp"}`: see ``entries``.
    package var authenticationMethods: String
    /// The second factor that raised the session last.
    package var factor: FactorID?
    /// The first refresh token at the current level. Lower counters never give that level.
    package var levelCounter: Int64 = 0
    /// nil for the user's own.
    package var client: SessionClient?
    /// Of the key without which its refresh tokens open nothing (RFC 9449); nil if they are not bound.
    package var keyThumbprint: String?
    /// See ``UsedProofs``.
    package var usedProofs: String?
    /// nil for a session that the user signed in to.
    package var child: ChildSession?
    /// Besides the policy's limits; only of a child session.
    package var endsAt: Instant?

    package init(
        id: SessionID, user: UserID, createdAt: Instant, refreshedAt: Instant? = nil, counter: Int64 = 0,
        assuranceLevel: AssuranceLevel = .aal1, authenticationMethods: String
    ) {
        self.id = id
        self.user = user
        self.createdAt = createdAt
        self.refreshedAt = refreshedAt
        self.counter = counter
        self.assuranceLevel = assuranceLevel
        self.authenticationMethods = authenticationMethods
    }
}

/// After RFC 8176, with Supabase Auth's names.
package enum AuthenticationMethod: String, CaseIterable, Sendable {
    case password, anonymous, oauth
    case otp
    // An emailed link that led to an authorization code.
    case magicLink = "magiclink"
    case recovery, invite
    case emailSignUp = "email/signup"
    case emailChange = "email_change"
    case passkey
    case totp
    case phoneFactor = "mfa/phone"
    case webAuthnFactor = "mfa/webauthn"
    case recoveryCode = "mfa/recovery_code"
    /// The user approved an OAuth client. Opens only its sessions.
    case oauthClient = "oauth_provider/authorization_code"

    /// How long an emailed code or link replaces the current password.
    private static let proofSeconds: Int64 = 600

    /// Whether an emailed code or link has just proved the address, which replaces the current password.
    package static func provesAddress(_ entries: String, at now: Instant) -> Bool {
        // Ignored: our own JSON, so it parses.
        let list = (try? JSONReader.read(entries))?.arrayValue ?? []
        let proofs: [Self] = [.otp, .magicLink, .recovery]
        return list.contains { entry in
            guard let method = (entry["method"]?.stringValue).flatMap(Self.init(text:)), proofs.contains(method),
                let time = entry["timestamp"]?.intValue
            else { return false }
            return !NodeClocks.isAhead(Instant(seconds: time), at: now) && now.seconds - time <= proofSeconds
        }
    }

    package func entry(at now: Instant) -> String {
        #"[{"method":"\#(rawValue)","timestamp":\#(now.seconds)}]"#
    }
}

package struct Device: Sendable {
    package let userAgent: String?
    package let address: String?
    /// As in `Accept-Language` (RFC 9110 §12.5.4). Not stored.
    package var language: String?
    /// For records of the request's effects. Not stored with the session that it opens.
    package var requestID: String?
    /// For the audit log; nil for an API key, and for users. Not stored.
    package var administrator: String?
    /// Binds the sessions that the request opens.
    package var keyProof: KeyProof?

    /// Keeps the first 512 bytes of the user agent.
    package init(userAgent: String?, address: String?) {
        self.userAgent = userAgent.map { text -> String in
            if text.utf8.count <= 512 { return text }
            // A character can have any number of bytes; a scalar has at most four.
            var kept = text.unicodeScalars.prefix(512)
            while kept.reduce(0, { $0 + UTF8.width($1) }) > 512 { kept.removeLast() }
            return String(String.UnicodeScalarView(kept))
        }
        self.address = address
    }
}

/// `POST /logout?scope=`.
package enum SignOutScope: String, CaseIterable, Sendable { case global, local, others }
