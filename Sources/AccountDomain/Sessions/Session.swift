package import GatehouseWire

/// A sign-in that goes on: one device, one family of refresh tokens.
package struct Session: Sendable {
    package var id: SessionID
    package var user: UserID
    package var createdAt: Instant
    package var refreshedAt: Instant?
    /// The counter of the refresh token that is valid now; the first one carries 0.
    package var counter: Int64
    /// `aal1` or `aal2` (the authenticator assurance level of NIST SP 800-63B).
    package var assuranceLevel: String
    /// A JSON array of `{"method", "timestamp"}`, newest first, as text.
    package var authenticationMethods: String

    package init(
        id: SessionID, user: UserID, createdAt: Instant, refreshedAt: Instant? = nil, counter: Int64 = 0,
        assuranceLevel: String = "aal1", authenticationMethods: String
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

/// How a person proved who they are (RFC 8176's idea, with the Auth API's names).
package enum AuthenticationMethod: String, CaseIterable, Sendable {
    case password, anonymous, oauth

    /// The one entry of a new session.
    package func entry(at now: Instant) -> String {
        #"[{"method":"\#(rawValue)","timestamp":\#(now.seconds)}]"#
    }
}

/// What is known of the device that asks; told to the person in their list of sessions.
package struct Device: Sendable {
    package let userAgent: String?
    package let address: String?

    /// A user agent is kept to its first 512 bytes of text.
    package init(userAgent: String?, address: String?) {
        self.userAgent = userAgent.map { text -> String in
            if text.utf8.count <= 512 { return text }
            // One character may have any number of bytes; scalars have four at most.
            var kept = text.unicodeScalars.prefix(512)
            while kept.reduce(0, { $0 + UTF8.width($1) }) > 512 { kept.removeLast() }
            return String(String.UnicodeScalarView(kept))
        }
        self.address = address
    }
}

/// Which sessions a sign-out ends (`POST /logout?scope=`).
package enum SignOutScope: String, CaseIterable, Sendable { case global, local, others }
