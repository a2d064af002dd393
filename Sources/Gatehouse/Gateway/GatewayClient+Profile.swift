import Foundation

/// A change of one member: ``keep`` is the default, nil clears, a string sets.
///
/// ```swift
/// try await gateway.updateProfile(ProfileEdit(firstName: "Ada", name: nil))
/// try await gateway.updateProfile(firstName: FieldChange(field.text))
/// try await gateway.updateProfile(favoriteTeams: [])
/// ```
public enum FieldChange: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// Omits the member.
    case keep
    /// Sets the member to null.
    case clear
    /// Sets the member. The server trims the text; an empty text clears the member.
    case set(String)

    /// Sets the member.
    public init(stringLiteral value: String) { self = .set(value) }
    /// Clears the member.
    public init(nilLiteral: ()) { self = .clear }
    /// Sets the member, or clears it if `text` is nil.
    public init(_ text: String?) { self = text.map(FieldChange.set) ?? .clear }

    fileprivate var json: AnyJSON? {
        switch self {
        case .keep: nil
        case .clear: .null
        case .set(let text): .string(text)
        }
    }
}

/// Changes to the user's own profile. Omitted members keep their values.
public struct ProfileEdit: Hashable, Sendable {
    /// At most 50 characters.
    public var firstName: FieldChange
    /// At most 30 ids of the form `league_identifier`; nil keeps them, an empty list clears.
    public var favoriteTeams: [String]?
    /// At most 100 characters.
    public var name: FieldChange
    /// An https URL.
    public var avatarURL: FieldChange
    /// An IANA time zone, such as `Europe/Berlin`.
    public var timezone: FieldChange

    /// Omitted members keep their values.
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

extension GatewayClient {
    /// Returns the signed-in account with the part of the profile that most screens need.
    ///
    /// - Throws: ``GatewayError`` or `CancellationError`. After ``GatewayError/notAuthenticated(_:)`` the user must
    ///   sign in again; after ``GatewayError/offline(_:)``, ``GatewayError/server(status:)`` and
    ///   ``GatewayError/noToken(_:)`` try again later.
    public func fetchMe() async throws -> SignedInAccount {
        let reply = try await send(GatewayRequest(method: "GET", path: "/v1/auth/me"))
        return try Self.read(reply) { json throws(WireProblem) in try SignedInAccount(json: json) }
    }

    /// Changes the given members. The server refuses a call without changes.
    ///
    /// - Parameters:
    ///   - firstName: At most 50 characters; nil clears it.
    ///   - favoriteTeams: The complete list, at most 30; an empty list clears it, nil keeps it.
    /// - Throws: As ``fetchMe()``, and ``GatewayError/refused(_:)`` with `BAD_REQUEST` for an invalid value. After
    ///   ``GatewayError/offline(_:)`` or ``GatewayError/server(status:)`` the change may have taken effect.
    @discardableResult
    public func updateProfile(
        firstName: FieldChange = .keep, favoriteTeams: [String]? = nil
    ) async throws -> SignedInAccount {
        let edit = ProfileEdit(firstName: firstName, favoriteTeams: favoriteTeams)
        let reply = try await send(GatewayRequest(method: "PATCH", path: "/v1/auth/me", body: edit.body))
        return try Self.read(reply) { json throws(WireProblem) in try SignedInAccount(json: json) }
    }

    /// Deletes the account with all its data. The caller must end the local session. Safe to repeat.
    ///
    /// - Throws: As ``fetchMe()``, and ``GatewayError/forbidden(code:message:)`` with `FRESH_SIGN_IN_REQUIRED` if the
    ///   user must sign in again first. After ``GatewayError/offline(_:)`` or ``GatewayError/server(status:)`` the
    ///   account may be deleted.
    public func deleteAccount() async throws {
        let reply = try await send(GatewayRequest(method: "DELETE", path: "/v1/auth/me"))
        // A body means that the response is not the gateway's, so nothing was deleted.
        guard reply.body.isEmpty else { throw GatewayError.offline(.notUnderstood("no empty answer")) }
    }

    /// Returns the complete profile.
    ///
    /// - Throws: As ``fetchMe()``, and ``GatewayError/refused(_:)`` with `NOT_FOUND` if there is none yet.
    public func profile() async throws -> Profile {
        let reply = try await send(GatewayRequest(method: "GET", path: "/api/v1/profile"))
        return try Self.read(reply) { json throws(WireProblem) in try Profile(json: json) }
    }

    /// Changes the given members. The server refuses a call without changes.
    ///
    /// - Throws: As ``updateProfile(firstName:favoriteTeams:)``.
    @discardableResult
    public func updateProfile(_ edit: ProfileEdit) async throws -> Profile {
        let reply = try await send(GatewayRequest(method: "PATCH", path: "/api/v1/profile", body: edit.body))
        return try Self.read(reply) { json throws(WireProblem) in try Profile(json: json) }
    }

    /// Returns the teams that can be favourites. Needs no session.
    ///
    /// - Parameter league: A league such as `nba`; nil for all.
    /// - Throws: ``GatewayError`` or `CancellationError`: ``GatewayError/refused(_:)`` with `BAD_REQUEST` for an
    ///   unknown league; never ``GatewayError/notAuthenticated(_:)``.
    public func teams(league: String? = nil) async throws -> [LeagueTeam] {
        var request = GatewayRequest(method: "GET", path: "/v1/teams", needsToken: false)
        if let league { request.query = [URLQueryItem(name: "league", value: league)] }
        let reply = try await send(request)
        return try Self.read(reply) { json throws(WireProblem) in try LeagueTeam.list(json: json) }
    }

    /// A response that is not JSON does not come from the gateway, but for example from a captive portal.
    private static func read<Value>(
        _ reply: HTTPReply, _ read: (AnyJSON) throws(WireProblem) -> Value
    ) throws(GatewayError) -> Value {
        let json: AnyJSON
        do { json = try JSONReader.read(reply.body) } catch { throw .offline(.notUnderstood("no JSON")) }
        do { return try read(json) } catch { throw .unexpectedAnswer(error.description) }
    }
}
