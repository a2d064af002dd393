public import Foundation

/// The core of a profile.
public struct ProfileSummary: Hashable, Sendable {
    /// The account's id.
    public var id: UUID
    /// Never empty.
    public var firstName: String?
    /// Custom fields; see ``AuthJSONObject/decoded(as:)``.
    public var data: AuthJSONObject
    /// When the account was created.
    public var createdAt: Date
    /// Members unknown to this library.
    public var others: AuthJSONObject

    /// For tests and previews.
    public init(
        id: UUID, firstName: String? = nil, data: AuthJSONObject = [:], createdAt: Date, others: AuthJSONObject = [:]
    ) {
        self.id = id
        self.firstName = firstName
        self.data = data
        self.createdAt = createdAt
        self.others = others
    }
}

/// A complete profile.
public struct Profile: Hashable, Sendable {
    /// The part that `fetchMe` also returns.
    public var summary: ProfileSummary
    /// The full name.
    public var name: String?
    /// A picture's https URL.
    public var avatarURL: URL?
    /// An IANA time zone, such as `Europe/Berlin`.
    public var timezone: String?
    /// Whether the account is premium. Only servers set it.
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
    private static let known = [
        "id", "first_name", "data", "name", "avatar_url", "timezone", "is_premium", "created_at", "updated_at",
    ]

    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "profile")
        var others = json.objectValue ?? [:]
        for name in Self.known { others.removeValue(forKey: name) }
        self.init(
            id: try members.uuid("id"), firstName: members.text("first_name"), data: members.object("data"),
            createdAt: try members.requiredDate("created_at"), others: others)
    }
}

extension Profile {
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "profile")
        self.init(
            summary: try ProfileSummary(json: json), name: members.text("name"),
            avatarURL: members.text("avatar_url").flatMap { URL(string: $0) }, timezone: members.text("timezone"),
            isPremium: members.bool("is_premium"), updatedAt: try members.requiredDate("updated_at"))
    }
}

package struct ProfileRecord: Equatable, Sendable {
    /// In lower case.
    package let id: String
    package let firstName: String?
    /// Custom fields: a JSON object.
    package let data: String
    package let name: String?
    package let avatarURL: String?
    /// An IANA name, such as `Europe/Berlin`.
    package let timezone: String?
    package let isPremium: Bool
    package let createdAt: Instant
    package let updatedAt: Instant
    package var others: [Member]

    package struct Member: Equatable, Sendable {
        package let name: String
        package let json: String

        package init(name: String, json: String) { (self.name, self.json) = (name, json) }
    }

    package init(
        id: String, firstName: String?, data: String, name: String?, avatarURL: String?, timezone: String?,
        isPremium: Bool, createdAt: Instant, updatedAt: Instant, others: [Member] = []
    ) {
        self.id = id
        self.firstName = firstName
        self.data = data
        self.others = others
        self.name = name
        self.avatarURL = avatarURL
        self.timezone = timezone
        self.isPremium = isPremium
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension ProfileRecord {
    /// For `/v1/auth/me`.
    package func writeSummary(to writer: inout JSONWriter) {
        writer.beginObject()
        writeFields(to: &writer)
        writer.member("created_at", createdAt)
        writer.endObject()
    }

    /// For `/api/v1/profile`.
    package func writeWhole(to writer: inout JSONWriter) {
        writer.beginObject()
        writeFields(to: &writer)
        writer.member("name", orNull: name)
        writer.member("avatar_url", orNull: avatarURL)
        writer.member("timezone", orNull: timezone)
        writer.member("is_premium", isPremium)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.endObject()
    }

    private func writeFields(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("first_name", orNull: firstName)
        writer.member("data", json: data)
        for member in others {
            writer.name(text: member.name)
            writer.value(json: member.json)
        }
    }
}
