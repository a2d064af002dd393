import GatehouseWire

/// The addresses and JSON documents of a simulated provider without OpenID Connect.
struct OAuthShape: Sendable {
    let authorization: String
    let token: String
    let requiresPKCE: Bool
    let scopeSeparator: String
    /// The documents about a user, by path.
    let profiles: [String: @Sendable (Visitor) -> AuthJSON]

    init(_ provider: SimulatedProvider) {
        switch provider {
        case .discord: self = .discord
        case .x: self = .x
        case .apple, .google, .github: self = .github
        }
    }

    private init(
        authorization: String, token: String, requiresPKCE: Bool = false, scopeSeparator: String = " ",
        profiles: [String: @Sendable (Visitor) -> AuthJSON]
    ) {
        self.authorization = authorization
        self.token = token
        self.requiresPKCE = requiresPKCE
        self.scopeSeparator = scopeSeparator
        self.profiles = profiles
    }

    /// A numeric id, and a separate list of addresses. Paths as in GitHub Enterprise Server.
    private static let github = OAuthShape(
        authorization: "/login/oauth/authorize", token: "/login/oauth/access_token", scopeSeparator: ",",
        profiles: [
            "/api/v3/user": { visitor in
                [
                    "id": .integer(Int64(visitor.subject) ?? 0), "login": .string(visitor.person.id),
                    "name": .string(visitor.name), "avatar_url": .string(visitor.picture), "email": .null,
                ]
            },
            "/api/v3/user/emails": { visitor in
                guard let email = visitor.email else { return [] }
                return [
                    ["email": .string("\(visitor.person.id)@old.example.com"), "primary": false, "verified": true],
                    ["email": .string(email), "primary": true, "verified": .bool(visitor.isVerified)],
                ]
            },
        ])

    /// One flat document; a flag says whether the address is verified.
    private static let discord = OAuthShape(
        authorization: "/oauth2/authorize", token: "/api/oauth2/token",
        profiles: [
            "/api/users/@me": { visitor in
                [
                    "id": .string(visitor.subject), "username": .string(visitor.person.id),
                    "global_name": .string(visitor.name), "avatar": "0123456789abcdef",
                    "email": visitor.email.map(AuthJSON.string) ?? .null, "verified": .bool(visitor.isVerified),
                ]
            }
        ])

    /// Nested, with an address only if it is confirmed.
    private static let x = OAuthShape(
        authorization: "/i/oauth2/authorize", token: "/2/oauth2/token", requiresPKCE: true,
        profiles: [
            "/2/users/me": { visitor in
                var user: AuthJSONObject = [
                    "id": .string(visitor.subject), "username": .string(visitor.person.id),
                    "name": .string(visitor.name), "profile_image_url": .string(visitor.picture),
                ]
                if visitor.isVerified { user["confirmed_email"] = visitor.email.map(AuthJSON.string) }
                return ["data": .object(user)]
            }
        ])
}

extension Visitor {
    fileprivate var name: String { person.givenName + " " + person.familyName }
    fileprivate var picture: String { "https://www.example.com/pictures/\(person.id).png" }
}
