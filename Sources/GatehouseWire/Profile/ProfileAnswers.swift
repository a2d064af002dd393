public import Foundation

/// The signed-in account, as the gateway returns it.
public struct SignedInAccount: Hashable, Sendable {
    /// The account's id.
    public var id: UUID
    /// The access token's `email` claim; nil for accounts without one.
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

/// A team, for displaying the name of a stored id.
public struct LeagueTeam: Hashable, Sendable {
    /// The id of the form `league_identifier`, as in ``ProfileSummary/favoriteTeams``.
    public var id: String
    /// For example `nba`.
    public var league: String
    /// For example `Golden State Warriors`.
    public var name: String
    /// For example `Golden State`.
    public var city: String
    /// For example `GSW`.
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
    /// - Throws: ``WireProblem`` for a response without a user.
    package init(json: AnyJSON) throws(WireProblem) {
        let user = try WireMembers(json["user"] ?? .null, path: "me.user")
        self.init(id: try user.uuid("id"), email: user.text("email"))
        if let found = json["profile"], !found.isNull { profile = try ProfileSummary(json: found) }
    }
}

extension ProfileSummary {
    /// - Throws: ``WireProblem`` for a response without id, teams or time.
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
    /// - Throws: ``WireProblem`` for a response without a required member.
    package init(json: AnyJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "profile")
        self.init(
            summary: try ProfileSummary(json: json), name: members.text("name"),
            avatarURL: members.text("avatar_url").flatMap { URL(string: $0) }, timezone: members.text("timezone"),
            isPremium: members.bool("is_premium"), updatedAt: try members.requiredDate("updated_at"))
    }
}

extension LeagueTeam {
    /// - Throws: ``WireProblem`` for anything other than `{"teams":[…]}`.
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
