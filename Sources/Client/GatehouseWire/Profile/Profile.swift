public import Foundation

/// The part of a profile that most screens need.
public struct ProfileSummary: Hashable, Sendable {
    /// The account's id.
    public var id: UUID
    /// Never empty.
    public var firstName: String?
    /// The app's own fields. ``AuthJSONObject/decoded(as:)`` gives them types.
    public var data: AuthJSONObject
    /// When the account was created.
    public var createdAt: Date
    /// The members that this library does not know, such as those that the configuration of a server adds.
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
    /// The members that ``Profile`` reads.
    private static let known = [
        "id", "first_name", "data", "name", "avatar_url", "timezone", "is_premium", "created_at", "updated_at",
    ]

    /// - Throws: ``WireProblem`` for a response without `id` or `created_at`.
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
    /// - Throws: As ``ProfileSummary/init(json:)``, and for a response without `updated_at`.
    package init(json: AuthJSON) throws(WireProblem) {
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
    /// The app's own fields: a JSON object, stored and sent as text.
    package let data: String
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
    /// The members that the server's configuration adds.
    package var others: [Member]

    /// A member with a value that is stored and sent as text.
    package struct Member: Equatable, Sendable {
        package let name: String
        package let json: String

        /// - Parameter json: The JSON of the value.
        package init(name: String, json: String) { (self.name, self.json) = (name, json) }
    }

    /// - Parameter data: A JSON object.
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
    /// `{"id","first_name","data","created_at"}`, the format of `/v1/auth/me`, with ``others`` after `data`.
    package func writeSummary(to writer: inout JSONWriter) {
        writer.beginObject()
        writeFields(to: &writer)
        writer.member("created_at", createdAt)
        writer.endObject()
    }

    /// All members, the format of `/api/v1/profile`.
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

    /// The members of both formats.
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
