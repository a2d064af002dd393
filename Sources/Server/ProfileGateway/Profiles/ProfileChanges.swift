package import GatehouseWire
package import HTTPServing

/// An absent member keeps its value, null clears it.
package enum Change: Equatable, Sendable {
    case keep
    case clear
    case set(String)

    var isSet: Bool { self != .keep }
    var value: String? { if case .set(let text) = self { text } else { nil } }
}

package enum DataChange: Equatable, Sendable {
    case keep
    case clear
    /// RFC 7396.
    case merge(AuthJSONObject)
}

package struct ProfileChanges: Equatable, Sendable {
    package internal(set) var firstName = Change.keep
    /// nil keeps the current teams.
    package internal(set) var favoriteTeams: [String]?
    package internal(set) var name = Change.keep
    package internal(set) var avatarURL = Change.keep
    package internal(set) var timezone = Change.keep
    package internal(set) var data = DataChange.keep

    package init() {}

    var favoriteTeamsJSON: String? {
        guard let favoriteTeams else { return nil }
        var writer = JSONWriter(capacity: 64)
        writer.beginArray()
        for team in favoriteTeams { writer.value(team) }
        writer.endArray()
        return writer.text
    }
}

/// The message is for the client and names the member.
package struct InvalidProfileChange: Error, Equatable {
    package let message: String
    package let code: RefusalCode
    /// A JSON Pointer; nil without a member.
    package let field: String?

    package init(message: String, code: RefusalCode = .validationFailed, field: String? = nil) {
        (self.message, self.code, self.field) = (message, code, field)
    }

    /// - Parameter problem: Follows the name in the message.
    init(_ name: String, _ problem: String) {
        self.init(message: "\(name) \(problem)", field: DataPath.pointer(to: name))
    }
}

extension ProfileChanges {
    static let teamsName = "favorite_teams"
    /// Accepted by `/v1/auth/me`; teams only with a catalogue.
    package static let summaryFields = ["first_name", teamsName, "data"]
    /// Accepted by `/api/v1/profile`. `is_premium` is read-only.
    package static let wholeFields = summaryFields + ["name", "avatar_url", "timezone"]

    /// - Throws: ``InvalidProfileChange`` for the first unknown or invalid member, or without a member.
    package init(_ members: JSONMembers, allowed: [String]) throws(InvalidProfileChange) {
        guard !members.names.isEmpty else { throw InvalidProfileChange(message: "There is nothing to change.") }
        for name in members.names.sorted(by: <) where !allowed.contains(name) {
            throw InvalidProfileChange(name.cut(to: 50), "cannot be changed here.")
        }
        firstName = try Self.text("first_name", members, limit: ProfileLimits.firstName)
        favoriteTeams = try Self.teams(members)
        name = try Self.text("name", members, limit: ProfileLimits.name)
        avatarURL = try Self.text("avatar_url", members, limit: URLParts.maximumLength)
        if case .set(let text) = avatarURL, !WebAddress.isAllowed(text) {
            throw InvalidProfileChange("avatar_url", "must be an https URL.")
        }
        timezone = try Self.text("timezone", members, limit: ProfileLimits.timezone)
        if case .set(let text) = timezone, !TimeZoneName.isKnown(text) {
            throw InvalidProfileChange("timezone", "must be an IANA name such as Europe/Berlin.")
        }
        data = try Self.data(members)
    }

    private static func data(_ members: JSONMembers) throws(InvalidProfileChange) -> DataChange {
        guard members.mentions("data") else { return .keep }
        guard let value = members["data"] else { return .clear }
        guard let patch = value.objectValue else {
            throw InvalidProfileChange("data", "must be an object or null.")
        }
        _ = try ProfileData.text(value)
        return .merge(patch)
    }

    /// Trimmed; empty means null. The limit is in Unicode scalars, which both databases count.
    private static func text(
        _ name: String, _ members: JSONMembers, limit: Int
    ) throws(InvalidProfileChange) -> Change {
        guard members.mentions(name) else { return .keep }
        guard let value = members[name] else { return .clear }
        guard let text = value.stringValue?.trimmed else {
            throw InvalidProfileChange(name, "must be a string or null.")
        }
        guard text.unicodeScalars.count <= limit else {
            throw InvalidProfileChange(name, "must have at most \(limit) characters.")
        }
        return text.isEmpty ? .clear : .set(text)
    }

    private static func teams(_ members: JSONMembers) throws(InvalidProfileChange) -> [String]? {
        let name = teamsName
        guard members.mentions(name) else { return nil }
        guard let value = members[name] else { return [] }
        guard let list = value.arrayValue, list.count <= 30 else {
            throw InvalidProfileChange(name, "must be a list of at most 30 teams.")
        }
        var teams: [String] = []
        for element in list {
            guard let team = element.stringValue, TeamIdentifier.isWellFormed(team) else {
                throw InvalidProfileChange(name, "must hold strings of at most 50 characters such as nba_1610612744.")
            }
            if !teams.contains(team) { teams.append(team) }
        }
        return teams
    }
}

extension String {
    /// Unicode property White_Space.
    fileprivate var trimmed: String {
        var scalars = unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}
