import Foundation

/// A change of one member: ``keep`` is the default, nil clears, text sets.
public enum FieldChange: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// The member is not sent.
    case keep
    /// The member becomes null.
    case clear
    /// The server trims it; empty text clears.
    case set(String)

    /// Sets.
    public init(stringLiteral value: String) { self = .set(value) }
    /// Clears.
    public init(nilLiteral: ()) { self = .clear }
    /// Sets, or clears when there is no text.
    public init(_ text: String?) { self = text.map(FieldChange.set) ?? .clear }

    fileprivate var json: AnyJSON? {
        switch self {
        case .keep: nil
        case .clear: .null
        case .set(let text): .string(text)
        }
    }
}

/// What a person changes about their own profile; what is not given is kept.
public struct ProfileEdit: Hashable, Sendable {
    /// At most 50 characters.
    public var firstName: FieldChange
    /// At most 30, each `league_identifier`; nil keeps them, an empty list clears.
    public var favoriteTeams: [String]?
    /// At most 100 characters.
    public var name: FieldChange
    /// An https address.
    public var avatarURL: FieldChange
    /// An IANA name, such as `Europe/Berlin`.
    public var timezone: FieldChange

    /// Everything that is not given is kept.
    public init(
        firstName: FieldChange = .keep, favoriteTeams: [String]? = nil, name: FieldChange = .keep,
        avatarURL: FieldChange = .keep, timezone: FieldChange = .keep
    ) {
        self.firstName = firstName
        self.favoriteTeams = favoriteTeams
        self.name = name
        self.avatarURL = avatarURL
        self.timezone = timezone
    }

    var body: AnyJSON {
        let members: [String: AnyJSON?] = [
            "first_name": firstName.json, "favorite_teams": favoriteTeams.map { .array($0.map(AnyJSON.string)) },
            "name": name.json, "avatar_url": avatarURL.json, "timezone": timezone.json,
        ]
        return .object(JSONObject(members.compactMapValues { $0 }))
    }
}

// Every call throws `GatewayError` or `CancellationError`.
extension GatewayClient {
    /// Who is signed in, with the part of the profile that every screen needs.
    public func fetchMe() async throws -> SignedInAccount {
        let reply = try await send(GatewayRequest(method: "GET", path: "/v1/auth/me"))
        return try Self.read(reply) { json throws(WireProblem) in try SignedInAccount(json: json) }
    }

    /// Changes what is given and nothing else. The server refuses a call that changes nothing.
    ///
    /// - Parameters:
    ///   - firstName: Nil clears it; at most 50 characters.
    ///   - favoriteTeams: All of them, at most 30; an empty list clears, nil keeps.
    @discardableResult
    public func updateProfile(
        firstName: FieldChange = .keep, favoriteTeams: [String]? = nil
    ) async throws -> SignedInAccount {
        let edit = ProfileEdit(firstName: firstName, favoriteTeams: favoriteTeams)
        let reply = try await send(GatewayRequest(method: "PATCH", path: "/v1/auth/me", body: edit.body))
        return try Self.read(reply) { json throws(WireProblem) in try SignedInAccount(json: json) }
    }

    /// Deletes the account with all that belongs to it. The session here is left for the caller to end.
    public func deleteAccount() async throws {
        let reply = try await send(GatewayRequest(method: "DELETE", path: "/v1/auth/me"))
        // A page of somebody else's deletes nothing.
        guard reply.body.isEmpty else { throw GatewayError.offline(.notUnderstood("no empty answer")) }
    }

    /// The whole profile.
    public func profile() async throws -> Profile {
        let reply = try await send(GatewayRequest(method: "GET", path: "/api/v1/profile"))
        return try Self.read(reply) { json throws(WireProblem) in try Profile(json: json) }
    }

    /// Changes what is given and nothing else. The server refuses a call that changes nothing.
    @discardableResult
    public func updateProfile(_ edit: ProfileEdit) async throws -> Profile {
        let reply = try await send(GatewayRequest(method: "PATCH", path: "/api/v1/profile", body: edit.body))
        return try Self.read(reply) { json throws(WireProblem) in try Profile(json: json) }
    }

    /// The teams that can be favourites. Needs no session.
    ///
    /// - Parameter league: Such as `nba`; nil for all.
    public func teams(league: String? = nil) async throws -> [LeagueTeam] {
        var request = GatewayRequest(method: "GET", path: "/v1/teams", needsToken: false)
        if let league { request.query = [URLQueryItem(name: "league", value: league)] }
        let reply = try await send(request)
        return try Self.read(reply) { json throws(WireProblem) in try LeagueTeam.list(json: json) }
    }

    /// What is no JSON comes from somebody else, such as a captive portal.
    private static func read<Value>(
        _ reply: HTTPReply, _ read: (AnyJSON) throws(WireProblem) -> Value
    ) throws(GatewayError) -> Value {
        let json: AnyJSON
        do { json = try JSONReader.read(reply.body) } catch { throw .offline(.notUnderstood("no JSON")) }
        do { return try read(json) } catch { throw .unexpectedAnswer(error.description) }
    }
}
