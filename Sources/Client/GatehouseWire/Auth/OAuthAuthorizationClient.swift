public import Foundation

/// An app or agent that requests access to the account, or has it. Except for ``host`` and ``isVerified``, its members
/// are the client's own claims.
public struct OAuthAuthorizationClient: Hashable, Sendable, Identifiable {
    /// A UUID, or the https URL of the client's metadata document.
    public var id: String
    /// As it calls itself. To display it, use ``shownName``.
    public var name: String
    /// Its website.
    public var uri: String?
    /// A picture's address; only for verified clients.
    public var logoURI: String?
    /// Whether the server's operator has verified name and host; false if unknown, as with hosted Supabase.
    public var isVerified = false
    /// How the server knows it; nil if unknown.
    public var registrationType: OAuthRegistrationType?
    /// The host to which it returns, in lower case; nil if unknown.
    public var host: String?
    /// When it was registered; nil if unknown.
    public var createdAt: Date?

    /// For tests and previews.
    public init(id: String, name: String, uri: String? = nil, logoURI: String? = nil) {
        self.id = id
        self.name = name
        self.uri = uri
        self.logoURI = logoURI
    }
}

/// How the server knows a client.
public struct OAuthRegistrationType: RawRepresentable, Hashable, Sendable {
    /// As sent by the server.
    public let rawValue: String

    /// Creates a type from any string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The operator registered it.
    public static let manual = Self(rawValue: "manual")
    /// It registered itself ([RFC 7591](https://www.rfc-editor.org/rfc/rfc7591)).
    public static let dynamic = Self(rawValue: "dynamic")
    /// Its ``OAuthAuthorizationClient/id`` is the URL of its description.
    public static let document = Self(rawValue: "document")
}

extension OAuthAuthorizationClient {
    /// The name's first 64 code points, without those that reorder text; otherwise ``shownHost`` or ``id``.
    public var shownName: String { name.shown(upTo: 64) ?? shownHost ?? id.shown(upTo: 64) ?? "" }

    /// ``host``, otherwise the website's, in ASCII: `xn--` reveals letters of other scripts. nil if unknown.
    public var shownHost: String? {
        [host.map { "https://" + $0 }, uri].lazy.compactMap { $0.flatMap(URLParts.init) }
            .first { $0.isWeb && $0.hasUnambiguousHost }?.host
    }

    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "client")
        self.init(
            id: try members.required("id"), name: members.text("name") ?? "", uri: members.text("uri"),
            logoURI: members.text("logo_uri"))
        isVerified = members.bool("verified")
        registrationType = members.text("registration_type").map(OAuthRegistrationType.init)
        host = members.text("host")
        createdAt = members.date("created_at")
    }
}

/// An app's or agent's access to the account.
public struct OAuthGrant: Hashable, Sendable, Identifiable {
    /// The app or agent.
    public var client: OAuthAuthorizationClient
    /// The permissions' names, such as `email`.
    public var scopes: [String]
    /// When the user last approved.
    public var grantedAt: Date
    /// When the client last requested a token; nil if never or unknown.
    public var lastUsedAt: Date?
    /// The APIs' addresses.
    public var resources: [String] = []
    /// ``scopes`` with the operator's explanations, in the request's language; empty if unknown, as with hosted Supabase.
    public var scopeDetails: [OAuthScope] = []

    /// The client's id.
    public var id: String { client.id }

    /// For tests and previews.
    public init(client: OAuthAuthorizationClient, scopes: [String], grantedAt: Date, lastUsedAt: Date? = nil) {
        self.client = client
        self.scopes = scopes
        self.grantedAt = grantedAt
        self.lastUsedAt = lastUsedAt
    }
}

extension OAuthGrant {
    package static func list(json: AuthJSON) throws(WireProblem) -> [OAuthGrant] {
        guard let list = json.arrayValue else { throw WireProblem("grants: expected an array") }
        return try list.map { json throws(WireProblem) in
            let members = try WireMembers(json, path: "grant")
            var grant = OAuthGrant(
                client: try OAuthAuthorizationClient(json: members["client"] ?? .null),
                scopes: members["scopes"]?.arrayValue?.compactMap(\.stringValue) ?? [],
                grantedAt: try members.requiredDate("granted_at"), lastUsedAt: members.date("last_used_at"))
            grant.resources = members["resources"]?.arrayValue?.compactMap(\.stringValue) ?? []
            grant.scopeDetails = (members["scope_details"]?.arrayValue ?? []).compactMap { scope in
                scope["name"]?.stringValue.map { OAuthScope(name: $0, explanation: scope["description"]?.stringValue) }
            }
            return grant
        }
    }
}
