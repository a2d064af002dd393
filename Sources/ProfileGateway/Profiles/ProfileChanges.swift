package import GatehouseWire

/// A change to one member: an absent member keeps its value, an explicit null clears it.
package enum Change: Equatable, Sendable {
    case keep
    case clear
    case set(String)

    var isSet: Bool { self != .keep }
    var value: String? { if case .set(let text) = self { text } else { nil } }
}

/// A validated PATCH.
package struct ProfileChanges: Equatable, Sendable {
    package internal(set) var firstName = Change.keep
    /// nil keeps the current teams.
    package internal(set) var favoriteTeams: [String]?
    package internal(set) var name = Change.keep
    package internal(set) var avatarURL = Change.keep
    package internal(set) var timezone = Change.keep

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

/// An invalid member. The message is for the client and names the member.
package struct InvalidProfileChange: Error, Equatable {
    package let message: String
    package init(message: String) { self.message = message }
}

extension ProfileChanges {
    /// The members that `/v1/auth/me` accepts.
    package static let summaryFields = ["first_name", "favorite_teams"]
    /// The members that `/api/v1/profile` accepts. `is_premium` is read-only.
    package static let wholeFields = summaryFields + ["name", "avatar_url", "timezone"]

    /// - Throws: ``InvalidProfileChange`` for the first unknown or invalid member, or if there is no member.
    package init(_ members: JSONMembers, allowed: [String]) throws(InvalidProfileChange) {
        guard !members.names.isEmpty else { throw InvalidProfileChange(message: "There is nothing to change.") }
        for name in members.names.sorted(by: <) where !allowed.contains(name) {
            throw InvalidProfileChange(message: "\(name.cut(to: 50)) cannot be changed here.")
        }
        firstName = try Self.text("first_name", members, limit: 50)
        favoriteTeams = try Self.teams(members)
        name = try Self.text("name", members, limit: 100)
        avatarURL = try Self.text("avatar_url", members, limit: URLParts.maximumLength)
        if case .set(let text) = avatarURL, !WebAddress.isAllowed(text) {
            throw InvalidProfileChange(message: "avatar_url must be an https URL.")
        }
        timezone = try Self.text("timezone", members, limit: 64)
        if case .set(let text) = timezone, !TimeZoneName.isKnown(text) {
            throw InvalidProfileChange(message: "timezone must be an IANA name such as Europe/Berlin.")
        }
    }

    /// Reads a trimmed text; an empty one counts as null. The limit is in Unicode scalars, which both databases count.
    private static func text(
        _ name: String, _ members: JSONMembers, limit: Int
    ) throws(InvalidProfileChange) -> Change {
        guard members.mentions(name) else { return .keep }
        guard let value = members[name] else { return .clear }
        guard let text = value.stringValue?.trimmed else {
            throw InvalidProfileChange(message: "\(name) must be a string or null.")
        }
        guard text.unicodeScalars.count <= limit else {
            throw InvalidProfileChange(message: "\(name) must have at most \(limit) characters.")
        }
        return text.isEmpty ? .clear : .set(text)
    }

    private static func teams(_ members: JSONMembers) throws(InvalidProfileChange) -> [String]? {
        let name = "favorite_teams"
        guard members.mentions(name) else { return nil }
        guard let value = members[name] else { return [] }
        guard let list = value.arrayValue, list.count <= 30 else {
            throw InvalidProfileChange(message: "favorite_teams must be a list of at most 30 teams.")
        }
        var teams: [String] = []
        for element in list {
            guard let team = element.stringValue, TeamIdentifier.isWellFormed(team) else {
                throw InvalidProfileChange(
                    message: "favorite_teams must hold strings of at most 50 characters such as nba_1610612744.")
            }
            if !teams.contains(team) { teams.append(team) }
        }
        return teams
    }
}

extension String {
    /// The text without leading and trailing white space (Unicode property White_Space).
    fileprivate var trimmed: String {
        var scalars = unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}
