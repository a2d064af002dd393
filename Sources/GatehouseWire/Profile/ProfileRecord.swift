/// A profile as the gateway sends it.
package struct ProfileRecord: Equatable, Sendable {
    /// The account's UUID in lower case.
    package let id: String
    package let firstName: String?
    /// A JSON array of `league_identifier`, stored and sent as text.
    package let favoriteTeams: String
    package let name: String?
    package let avatarURL: String?
    /// An IANA name, such as `Europe/Berlin`.
    package let timezone: String?
    package let isPremium: Bool
    package let createdAt: Instant
    package let updatedAt: Instant

    package init(
        id: String, firstName: String?, favoriteTeams: String, name: String?, avatarURL: String?, timezone: String?,
        isPremium: Bool, createdAt: Instant, updatedAt: Instant
    ) {
        self.id = id
        self.firstName = firstName
        self.favoriteTeams = favoriteTeams
        self.name = name
        self.avatarURL = avatarURL
        self.timezone = timezone
        self.isPremium = isPremium
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension ProfileRecord {
    /// `{"id","first_name","favorite_teams","created_at"}`, the format of `/v1/auth/me`.
    package func writeSummary(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.write("first_name", firstName)
        writer.member("favorite_teams", json: favoriteTeams)
        writer.member("created_at", createdAt)
        writer.endObject()
    }

    /// All members, the format of `/api/v1/profile`.
    package func writeWhole(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.write("first_name", firstName)
        writer.member("favorite_teams", json: favoriteTeams)
        writer.write("name", name)
        writer.write("avatar_url", avatarURL)
        writer.write("timezone", timezone)
        writer.member("is_premium", isPremium)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.endObject()
    }

    /// `{"user":{"id","email"},"profile":{…}|null}`, the response of `GET /v1/auth/me`.
    package static func writeMe(
        userID: String, email: String?, profile: ProfileRecord?, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("user")
        writer.beginObject()
        writer.member("id", userID)
        writer.write("email", email)
        writer.endObject()
        writer.name("profile")
        if let profile { profile.writeSummary(to: &writer) } else { writer.null() }
        writer.endObject()
    }
}

extension JSONWriter {
    /// A string or an explicit null.
    fileprivate mutating func write(_ name: StaticString, _ value: String?) {
        if let value {
            member(name, value)
        } else {
            self.name(name)
            null()
        }
    }
}
