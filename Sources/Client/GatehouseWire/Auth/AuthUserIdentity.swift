public import Foundation

/// A sign-in method of an account ([Identities](https://supabase.com/docs/guides/auth/identities)).
public struct AuthUserIdentity: Hashable, Sendable, Identifiable {
    /// The provider's user id; for `email` and `phone` the account's UUID.
    public var id: String
    /// The identity's id, for unlinking; nil if omitted.
    public var identityID: UUID?
    /// The account's id.
    public var userID: UUID
    /// The provider's claims about the user.
    public var identityData: AuthJSONObject
    /// `email`, `phone`, `google`, `apple`, or another name.
    public var provider: String
    /// The provider's address for the user, in lower case.
    public var email: String?
    /// When the identity was linked.
    public var createdAt: Date?
    /// When the provider last sent changed claims.
    public var updatedAt: Date?
    /// The last sign-in with it, which some servers do not update.
    public var lastSignInAt: Date?

    /// For tests and previews.
    public init(
        id: String, identityID: UUID?, userID: UUID, identityData: AuthJSONObject = [:], provider: String,
        email: String? = nil, createdAt: Date? = nil, updatedAt: Date? = nil, lastSignInAt: Date? = nil
    ) {
        self.id = id
        self.identityID = identityID
        self.userID = userID
        self.identityData = identityData
        self.provider = provider
        self.email = email
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.lastSignInAt = lastSignInAt
    }
}

extension AuthUserIdentity {
    /// Reads an element of `identities`. Throws ``WireProblem`` for a missing or malformed `id`, `provider` or
    /// `user_id`.
    public init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "identity")
        self.init(
            id: try members.required("id"), identityID: members.text("identity_id").flatMap(UUID.init(uuidString:)),
            userID: try members.uuid("user_id"), identityData: members.object("identity_data"),
            provider: try members.required("provider"), email: members.text("email"),
            createdAt: members.date("created_at"), updatedAt: members.date("updated_at"),
            lastSignInAt: members.date("last_sign_in_at"))
    }

    func write(to writer: inout JSONWriter) {
        writer.identity(
            identityID: identityID?.uuidString.lowercased(), id: id, userID: userID.uuidString.lowercased(),
            data: AuthJSON.object(identityData).text, provider: provider, email: email,
            lastSignInAt: lastSignInAt?.instant, createdAt: createdAt?.instant, updatedAt: updatedAt?.instant)
    }
}

extension JSONWriter {
    /// `id` is the provider's and `identity_id` ours, as clients expect. `data` is a JSON object.
    package mutating func identity(
        identityID: String?, id: String, userID: String, data: String, provider: String, email: String?,
        lastSignInAt: Instant?, createdAt: Instant?, updatedAt: Instant?
    ) {
        beginObject()
        member("identity_id", ifPresent: identityID)
        member("id", id)
        member("user_id", userID)
        member("identity_data", json: data)
        member("provider", provider)
        member("last_sign_in_at", ifPresent: lastSignInAt)
        member("created_at", ifPresent: createdAt)
        member("updated_at", ifPresent: updatedAt)
        member("email", unlessEmpty: email)
        endObject()
    }
}
