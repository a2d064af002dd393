public import Foundation

/// The part of a profile that most screens need.
public struct ProfileSummary: Hashable, Sendable {
    /// The account's id.
    public var id: UUID
    /// Never empty.
    public var firstName: String?
    /// Team ids of the form `league_identifier`, such as `nba_1610612744`.
    public var favoriteTeams: [String]
    /// When the account was created.
    public var createdAt: Date

    /// For tests and previews.
    public init(id: UUID, firstName: String? = nil, favoriteTeams: [String] = [], createdAt: Date) {
        self.id = id
        self.firstName = firstName
        self.favoriteTeams = favoriteTeams
        self.createdAt = createdAt
    }
}

/// A complete profile.
public struct Profile: Hashable, Sendable {
    /// The part that `fetchMe` also returns.
    public var summary: ProfileSummary
    /// The full name, for example from a provider.
    public var name: String?
    /// The https URL of a picture.
    public var avatarURL: URL?
    /// An IANA time zone, such as `Europe/Berlin`.
    public var timezone: String?
    /// Whether the account is premium. Only the server sets it.
    public var isPremium: Bool
    /// When the profile was last changed.
    public var updatedAt: Date

    /// For tests and previews.
    public init(
        summary: ProfileSummary, name: String? = nil, avatarURL: URL? = nil, timezone: String? = nil,
        isPremium: Bool = false, updatedAt: Date
    ) {
        self.summary = summary
        self.name = name
        self.avatarURL = avatarURL
        self.timezone = timezone
        self.isPremium = isPremium
        self.updatedAt = updatedAt
    }
}

extension ProfileSummary {
    /// - Throws: ``WireProblem`` for a response without `id`, `favorite_teams` or `created_at`.
    package init(json: AnyJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "profile")
        guard let teams = members["favorite_teams"]?.arrayValue else {
            throw WireProblem("profile.favorite_teams: expected an array")
        }
        self.init(
            id: try members.uuid("id"), firstName: members.text("first_name"),
            favoriteTeams: teams.compactMap(\.stringValue), createdAt: try members.requiredDate("created_at"))
    }
}

extension Profile {
    /// - Throws: As ``ProfileSummary/init(json:)``, and for a response without `updated_at`.
    package init(json: AnyJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "profile")
        self.init(
            summary: try ProfileSummary(json: json), name: members.text("name"),
            avatarURL: members.text("avatar_url").flatMap { URL(string: $0) }, timezone: members.text("timezone"),
            isPremium: members.bool("is_premium"), updatedAt: try members.requiredDate("updated_at"))
    }
}

/// A profile as the gateway sends it.
package struct ProfileRecord: Equatable, Sendable {
    /// The account's UUID in lower case.
    package let id: String
    /// nil if the user has none.
    package let firstName: String?
    /// A JSON array of `league_identifier`, stored and sent as text.
    package let favoriteTeams: String
    /// The full name; nil if unknown.
    package let name: String?
    /// The URL of a picture; nil if there is none.
    package let avatarURL: String?
    /// An IANA name, such as `Europe/Berlin`.
    package let timezone: String?
    /// Whether the account is premium.
    package let isPremium: Bool
    /// When the account was created.
    package let createdAt: Instant
    /// When the profile was last changed.
    package let updatedAt: Instant

    /// - Parameter favoriteTeams: A JSON array.
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
        writer.member("first_name", orNull: firstName)
        writer.member("favorite_teams", json: favoriteTeams)
        writer.member("created_at", createdAt)
        writer.endObject()
    }

    /// All members, the format of `/api/v1/profile`.
    package func writeWhole(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("first_name", orNull: firstName)
        writer.member("favorite_teams", json: favoriteTeams)
        writer.member("name", orNull: name)
        writer.member("avatar_url", orNull: avatarURL)
        writer.member("timezone", orNull: timezone)
        writer.member("is_premium", isPremium)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.endObject()
    }
}
