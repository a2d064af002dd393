public import Foundation

/// One way to sign in to an account (wire contract 3.3).
public struct AuthUserIdentity: Hashable, Sendable, Identifiable {
    /// What the provider calls the person; for `email` and `phone` the account's own UUID.
    public var id: String
    /// The identity itself, as an unlink names it; nil when the server left it out.
    public var identityID: UUID?
    /// The account that it signs in to.
    public var userID: UUID
    /// What the provider said about the person.
    public var identityData: JSONObject
    /// `email`, `phone`, `google`, `apple`, or another name.
    public var provider: String
    /// What the provider says, lower case.
    public var email: String?
    /// When it was linked.
    public var createdAt: Date?
    /// When the provider last said something new.
    public var updatedAt: Date?
    /// Not advanced by some servers.
    public var lastSignInAt: Date?

    /// For tests and previews.
    public init(
        id: String, identityID: UUID?, userID: UUID, identityData: JSONObject = [:], provider: String,
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
    /// - Throws: ``WireProblem`` when `id`, `user_id` or `provider` is missing.
    public init(json: AnyJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "identity")
        self.init(
            id: try members.required("id"), identityID: members.text("identity_id").flatMap(UUID.init(uuidString:)),
            userID: try members.uuid("user_id"), identityData: members.object("identity_data"),
            provider: try members.required("provider"), email: members.text("email"),
            createdAt: members.date("created_at"), updatedAt: members.date("updated_at"),
            lastSignInAt: members.date("last_sign_in_at"))
    }

    /// The identity in the API's own form.
    public var json: AnyJSON {
        var members: JSONObject = [
            "id": .string(id), "user_id": .string(userID.uuidString.lowercased()),
            "identity_data": .object(identityData), "provider": .string(provider),
        ]
        members["identity_id"] = identityID.map { .string($0.uuidString.lowercased()) }
        members["email"] = email.map(AnyJSON.string)
        members["created_at"] = createdAt.map { .string($0.wire) }
        members["updated_at"] = updatedAt.map { .string($0.wire) }
        members["last_sign_in_at"] = lastSignInAt.map { .string($0.wire) }
        return .object(members)
    }
}
