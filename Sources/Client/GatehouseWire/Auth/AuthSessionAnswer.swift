/// A [session](https://supabase.com/docs/guides/auth/sessions). Does not print its tokens.
package struct AuthSessionAnswer: Hashable, Sendable {
    package var accessToken: String
    /// Valid for one refresh.
    package var refreshToken: String
    /// Usually `bearer`.
    package var tokenType: String
    /// The access token's lifetime in seconds.
    package var expiresIn: Double
    /// In seconds since 1970, by the server's clock.
    package var expiresAt: Double?
    /// Sent only once.
    package var providerToken: String?
    /// Sent only once.
    package var providerRefreshToken: String?
    /// Why the policy would refuse the password just used.
    package var weakPasswordReasons: [String]
    package var user: AuthUser
}

extension AuthSessionAnswer {
    /// - Throws: ``WireProblem`` for a missing or malformed `access_token`, `refresh_token`, `expires_in` or `user`, a
    ///   lifetime over 136 years, or an expiry after the year 9999.
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "session")
        guard let expiresIn = try members.number("expires_in", in: WireMembers.lifetimes) else {
            throw WireProblem("session.expires_in: expected a number")
        }
        self.init(
            accessToken: try members.required("access_token"), refreshToken: try members.required("refresh_token"),
            tokenType: members.text("token_type") ?? "bearer", expiresIn: expiresIn,
            expiresAt: try members.number("expires_at", in: WireMembers.times),
            providerToken: members.text("provider_token"),
            providerRefreshToken: members.text("provider_refresh_token"),
            weakPasswordReasons: members.weakPasswordReasons,
            user: try AuthUser(json: members["user"] ?? .null))
    }
}

/// The member `weak_password`.
package enum WeakPasswordMember {
    /// For every grant except `password`.
    case leftOut
    case fine
    case weak(message: String, reasons: [String])
}

extension JSONWriter {
    /// `expiresIn` is in seconds, `expiresAt` in seconds since 1970.
    package mutating func session(
        accessToken: String, refreshToken: String, expiresIn: Int64, expiresAt: Int64, providerToken: String?,
        providerRefreshToken: String?, weakPassword: WeakPasswordMember, user: (inout JSONWriter) -> Void
    ) {
        beginObject()
        member("access_token", accessToken)
        member("token_type", "bearer")
        member("expires_in", expiresIn)
        member("expires_at", expiresAt)
        member("refresh_token", refreshToken)
        name("user")
        user(&self)
        member("provider_token", ifPresent: providerToken)
        member("provider_refresh_token", ifPresent: providerRefreshToken)
        switch weakPassword {
        case .leftOut: break
        case .fine: member("weak_password", .null)
        case .weak(let message, let reasons): self.weakPassword(message: message, reasons)
        }
        endObject()
    }

    /// Errors have the message outside.
    mutating func weakPassword(message: String? = nil, _ reasons: [String]) {
        name("weak_password")
        beginObject()
        member("message", ifPresent: message)
        list("reasons", reasons) { $0.value($1) }
        endObject()
    }
}

extension AuthSessionAnswer: Unprinted {
    package var description: String { "AuthSessionAnswer(user: \(user.id), tokens: <secret>)" }
}

package enum AuthAnswer: Hashable, Sendable {
    case session(AuthSessionAnswer)
    /// The user must first follow an email or text message.
    case user(AuthUser)
    /// An email change's other address must follow.
    case pending

    /// `access_token` indicates a session, `msg` without user ``pending``.
    package init(json: AuthJSON) throws(WireProblem) {
        if json["access_token"]?.stringValue != nil {
            self = .session(try AuthSessionAnswer(json: json))
        } else if json["id"] == nil, json["user"] == nil, json["msg"]?.stringValue != nil {
            self = .pending
        } else {
            self = .user(try AuthUser(json: json))
        }
    }
}
