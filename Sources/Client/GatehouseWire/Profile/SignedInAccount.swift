public import Foundation

/// The signed-in account, as the gateway returns it.
public struct SignedInAccount: Hashable, Sendable {
    /// The account's id.
    public var id: UUID
    /// The access token's `email` claim.
    public var email: String?
    /// nil if the account has no profile.
    public var profile: ProfileSummary?

    /// For tests and previews.
    public init(id: UUID, email: String? = nil, profile: ProfileSummary? = nil) {
        self.id = id
        self.email = email
        self.profile = profile
    }
}

extension SignedInAccount {
    package init(json: AuthJSON) throws(WireProblem) {
        let user = try WireMembers(json["user"] ?? .null, path: "me.user")
        self.init(id: try user.uuid("id"), email: user.text("email"))
        if let found = json["profile"], !found.isNull { profile = try ProfileSummary(json: found) }
    }
}

extension JSONWriter {
    /// Writes `{"user":{"id","email"},"profile":{…}|null}`.
    package mutating func signedInAccount(id: String, email: String?, profile: ProfileRecord?) {
        beginObject()
        name("user")
        beginObject()
        member("id", id)
        member("email", orNull: email)
        endObject()
        name("profile")
        if let profile { profile.writeSummary(to: &self) } else { null() }
        endObject()
    }
}
