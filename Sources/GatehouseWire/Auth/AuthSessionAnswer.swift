/// The tokens and user in the response to a sign-in or refresh ([User
/// sessions](https://supabase.com/docs/guides/auth/sessions)). Does not print its tokens.
public struct AuthSessionAnswer: Hashable, Sendable {
    /// The access token, a JWT.
    public var accessToken: String
    /// The refresh token, valid for one refresh.
    public var refreshToken: String
    /// Usually `bearer`.
    public var tokenType: String
    /// The lifetime of the access token in seconds, counted from the response.
    public var expiresIn: Double
    /// The expiry of the access token by the server's clock, in seconds since 1970, if the server sent it.
    public var expiresAt: Double?
    /// The provider's access token, sent only once after a browser sign-in.
    public var providerToken: String?
    /// The provider's refresh token, sent only once after a browser sign-in.
    public var providerRefreshToken: String?
    /// Why the current policy would refuse the password just used; empty if it would not.
    public var weakPasswordReasons: [String]
    /// The user of the tokens.
    public var user: AuthUser
}

extension AuthSessionAnswer {
    /// - Throws: ``WireProblem`` with the name of the missing or malformed member.
    public init(json: AnyJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "session")
        guard let expiresIn = members.number("expires_in"), expiresIn.isFinite, expiresIn >= 0 else {
            throw WireProblem("session.expires_in: expected a number")
        }
        let reasons = members["weak_password"]?["reasons"]?.arrayValue ?? []
        self.init(
            accessToken: try members.required("access_token"), refreshToken: try members.required("refresh_token"),
            tokenType: members.text("token_type") ?? "bearer", expiresIn: expiresIn,
            expiresAt: members.number("expires_at"), providerToken: members.text("provider_token"),
            providerRefreshToken: members.text("provider_refresh_token"),
            weakPasswordReasons: reasons.compactMap(\.stringValue),
            user: try AuthUser(json: members["user"] ?? .null))
    }
}

extension AuthSessionAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "AuthSessionAnswer(user: \(user.id), tokens: <secret>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["user": user.id, "expiresIn": expiresIn]) }
}

/// The response to a sign-up or a verification.
public enum AuthAnswer: Hashable, Sendable {
    case session(AuthSessionAnswer)
    /// The user must first answer a mail or text message.
    case user(AuthUser)
    /// One half of an email change is confirmed; the other address must be confirmed too.
    case pending

    /// - Throws: ``WireProblem`` for the response type that the members indicate.
    public init(json: AnyJSON) throws(WireProblem) {
        if json["access_token"]?.stringValue != nil {
            self = .session(try AuthSessionAnswer(json: json))
        } else if json["id"] == nil, json["user"] == nil, json["msg"]?.stringValue != nil {
            self = .pending
        } else {
            self = .user(try AuthUser(json: json))
        }
    }
}
