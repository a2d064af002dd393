public import Foundation

/// Who the gateway says is signed in.
public struct SignedInAccount: Hashable, Sendable {
    /// The account's.
    public var id: UUID
    /// As the access token has it; nil for accounts without one.
    public var email: String?
    /// Nil when there is none.
    public var profile: ProfileSummary?

    /// For tests and previews.
    public init(id: UUID, email: String? = nil, profile: ProfileSummary? = nil) {
        self.id = id
        self.email = email
        self.profile = profile
    }
}

/// What every screen needs of a profile.
public struct ProfileSummary: Hashable, Sendable {
    /// The account's.
    public var id: UUID
    /// Never empty.
    public var firstName: String?
    /// Each `league_identifier`, such as `nba_1610612744`.
    public var favoriteTeams: [String]
    /// When the account was made.
    public var createdAt: Date

    /// For tests and previews.
    public init(id: UUID, firstName: String? = nil, favoriteTeams: [String] = [], createdAt: Date) {
        self.id = id
        self.firstName = firstName
        self.favoriteTeams = favoriteTeams
        self.createdAt = createdAt
    }
}

/// Everything that the gateway keeps about a person.
public struct Profile: Hashable, Sendable {
    /// What `fetchMe` answers, too.
    public var summary: ProfileSummary
    /// The whole name, such as a provider gave it.
    public var name: String?
    /// An https address of a picture.
    public var avatarURL: URL?
    /// An IANA name, such as `Europe/Berlin`.
    public var timezone: String?
    /// Set by the server alone.
    public var isPremium: Bool
    /// When something changed last.
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

/// A team, so that a stored id can be shown by its name.
public struct LeagueTeam: Hashable, Sendable {
    /// `league_identifier`, as in ``ProfileSummary/favoriteTeams``.
    public var id: String
    /// Such as `nba`.
    public var league: String
    /// Such as `Golden State Warriors`.
    public var name: String
    /// Such as `Golden State`.
    public var city: String
    /// Such as `GSW`.
    public var abbreviation: String

    /// For tests and previews.
    public init(id: String, league: String, name: String, city: String, abbreviation: String) {
        self.id = id
        self.league = league
        self.name = name
        self.city = city
        self.abbreviation = abbreviation
    }
}

extension SignedInAccount {
    /// - Throws: ``WireProblem`` for an answer without a user.
    package init(json: AnyJSON) throws(WireProblem) {
        let user = try WireMembers(json["user"] ?? .null, path: "me.user")
        self.init(id: try user.uuid("id"), email: user.text("email"))
        if let found = json["profile"], !found.isNull { profile = try ProfileSummary(json: found) }
    }
}

extension ProfileSummary {
    /// - Throws: ``WireProblem`` for an answer without id, teams or time.
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
    /// - Throws: ``WireProblem`` for an answer without what every profile has.
    package init(json: AnyJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "profile")
        self.init(
            summary: try ProfileSummary(json: json), name: members.text("name"),
            avatarURL: members.text("avatar_url").flatMap { URL(string: $0) }, timezone: members.text("timezone"),
            isPremium: members.bool("is_premium"), updatedAt: try members.requiredDate("updated_at"))
    }
}

extension LeagueTeam {
    /// - Throws: ``WireProblem`` for anything but `{"teams":[…]}`.
    package static func list(json: AnyJSON) throws(WireProblem) -> [LeagueTeam] {
        guard let list = json["teams"]?.arrayValue else { throw WireProblem("teams: expected an array") }
        var teams: [LeagueTeam] = []
        for json in list {
            let members = try WireMembers(json, path: "team")
            teams.append(
                LeagueTeam(
                    id: try members.required("id"), league: try members.required("league"),
                    name: try members.required("name"), city: try members.required("city"),
                    abbreviation: try members.required("abbreviation")))
        }
        return teams
    }
}
