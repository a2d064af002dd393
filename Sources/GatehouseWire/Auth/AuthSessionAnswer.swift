/// The tokens and the user of an answer that signs somebody in (wire contract 3.1). It does not print its tokens.
public struct AuthSessionAnswer: Hashable, Sendable {
    /// A JWT.
    public var accessToken: String
    /// Good for one refresh.
    public var refreshToken: String
    /// Normally `bearer`.
    public var tokenType: String
    /// Seconds from the answer until the access token expires.
    public var expiresIn: Double
    /// Seconds since 1970 by the server's clock, when it said so.
    public var expiresAt: Double?
    /// The provider's own access token, given once after its browser flow.
    public var providerToken: String?
    /// The provider's own refresh token, given once after its browser flow.
    public var providerRefreshToken: String?
    /// Why the password that was just used would not be accepted today; empty when it would.
    public var weakPasswordReasons: [String]
    /// Whose tokens they are.
    public var user: AuthUser
}

extension AuthSessionAnswer {
    /// - Throws: ``WireProblem`` naming the member that is missing or of the wrong type.
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

/// What a sign-up or a verification answers.
public enum AuthAnswer: Hashable, Sendable {
    case session(AuthSessionAnswer)
    /// Nobody is signed in yet: a mail or a message has to be answered first.
    case user(AuthUser)
    /// Half of an email change is confirmed; the other address has to be, too.
    case pending

    /// - Throws: ``WireProblem`` of the form that the members point to, so that it names the member.
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
