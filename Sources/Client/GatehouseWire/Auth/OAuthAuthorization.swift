public import Foundation

/// A request for access to the account.
public struct OAuthAuthorizationDetails: Hashable, Sendable, Identifiable {
    /// The request's id.
    public var authorizationID: OAuthAuthorizationID
    /// Where the browser returns; nil for ``Flow/device``.
    public var redirectURI: String?
    /// The app or agent that asks.
    public var client: OAuthAuthorizationClient
    /// The user who is asked.
    public var user: OAuthAuthorizationUser
    /// The requested permissions' names, separated by spaces.
    public var scope: String
    /// The requested permissions.
    public var scopes: [OAuthScope]
    /// The addresses of the APIs that the client wants to call ([RFC 8707](https://www.rfc-editor.org/rfc/rfc8707));
    /// empty if unknown.
    public var resources: [String] = []
    /// Where the request began.
    public var flow = Flow.redirect
    /// When the request began; nil if unknown.
    public var requestedAt: Date?
    /// When the request expires, by the server's clock; nil if unknown.
    public var expiresAt: Date?
    /// The sender of the request; nil if unknown.
    public var requester: OAuthRequester?
    /// The account that the client expects, if it is not the user's.
    public var expectedAccount: OAuthExpectedAccount?

    /// Where a request begins.
    public enum Flow: String, Hashable, Sendable {
        /// In a browser, which returns to the client.
        case redirect
        /// On a device that shows a code ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)).
        case device
    }

    /// ``authorizationID``.
    public var id: OAuthAuthorizationID { authorizationID }

    /// For tests and previews.
    public init(
        authorizationID: OAuthAuthorizationID, redirectURI: String?, client: OAuthAuthorizationClient,
        user: OAuthAuthorizationUser, scope: String
    ) {
        self.authorizationID = authorizationID
        self.redirectURI = redirectURI
        self.client = client
        self.user = user
        self.scope = scope
        scopes = Self.scopes(of: scope)
    }
}

/// The user whom a request for access asks.
public struct OAuthAuthorizationUser: Hashable, Sendable {
    /// The account's id.
    public var id: UUID
    /// The account's address, if any.
    public var email: String?

    /// For tests and previews.
    public init(id: UUID, email: String?) {
        self.id = id
        self.email = email
    }
}

/// The account that a client expects
/// ([OpenID Connect Core, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)).
public struct OAuthExpectedAccount: Hashable, Sendable {
    /// The email address, or the phone number without its plus sign; nil if unknown.
    public var name: String?
    /// True if no other account can approve.
    public var isRequired: Bool

    /// For tests and previews.
    public init(name: String?, isRequired: Bool = false) {
        self.name = name
        self.isRequired = isRequired
    }
}

/// A permission.
public struct OAuthScope: Hashable, Sendable {
    /// For example `email` or `scores:read`.
    public var name: String
    /// The operator's explanation to the user, in the request's language; nil if unknown.
    public var explanation: String?

    /// Creates a permission.
    public init(name: String, explanation: String? = nil) {
        self.name = name
        self.explanation = explanation
    }
}

/// The sender of a request for access.
public struct OAuthRequester: Hashable, Sendable {
    /// The IP address.
    public var ipAddress: String?
    /// The user agent, which senders choose. To display it, use ``device``.
    public var userAgent: String?

    /// For tests and previews.
    public init(ipAddress: String?, userAgent: String?) {
        self.ipAddress = ipAddress
        self.userAgent = userAgent
    }

    /// The device for display; nil if unknown.
    public var device: DeviceName? { userAgent.flatMap { DeviceName(userAgent: $0) } }
}

/// Where the browser takes the user's decision. Contains a secret: open it, but do not log or store it.
public struct OAuthRedirect: Hashable, Sendable {
    /// A web address or an app's scheme; never one that runs or reads something on this device.
    public let redirectURL: URL

    /// nil for more than 16,384 bytes, without a scheme, and for schemes such as `javascript`, `data` and `file`.
    public init?(_ redirectURL: URL) {
        let scheme = redirectURL.scheme?.lowercased() ?? ""
        guard redirectURL.absoluteString.utf8.count <= 16_384, !scheme.isEmpty,
            scheme.utf8.allSatisfy(URLParts.isOfScheme), !URLParts.executedSchemes.contains(scheme)
        else { return nil }
        self.redirectURL = redirectURL
    }
}

extension OAuthRedirect: Unprinted {
    public var description: String { "OAuthRedirect(\(redirectURL.scheme ?? ""), <secret>)" }
}

/// The server's response about a request for access.
public enum OAuthAuthorizationDetailsResponse: Hashable, Sendable {
    /// The user is asked.
    case details(OAuthAuthorizationDetails)
    /// The user has approved this request, or an earlier one like it: open the URL.
    case redirect(OAuthRedirect)
    /// The user has approved, and the device continues by itself.
    case approved
}

extension OAuthAuthorizationDetails {
    fileprivate static func scopes(of scope: String) -> [OAuthScope] {
        scope.split(ascii: " ").map { OAuthScope(name: String($0)) }
    }

    package static func list(json: AuthJSON) throws(WireProblem) -> [OAuthAuthorizationDetails] {
        try WireMembers.list("authorizations", of: json) { json throws(WireProblem) in try Self(json: json) }
    }

    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "authorization")
        guard let id = OAuthAuthorizationID(try members.required("authorization_id")) else {
            throw WireProblem("authorization.authorization_id: expected an id")
        }
        let user = try WireMembers(members["user"] ?? .null, path: "user")
        self.init(
            authorizationID: id, redirectURI: members.text("redirect_uri"),
            client: try OAuthAuthorizationClient(json: members["client"] ?? .null),
            user: OAuthAuthorizationUser(id: try user.uuid("id"), email: user.text("email")),
            scope: members.text("scope") ?? "")
        if let explained = members["scopes"]?.arrayValue { explain(explained) }
        resources = members["resources"]?.arrayValue?.compactMap(\.stringValue) ?? []
        flow = members.text("flow").flatMap(Flow.init(text:)) ?? .redirect
        (requestedAt, expiresAt) = (members.date("requested_at"), members.date("expires_at"))
        let requester = members.object("requester")
        let sender = OAuthRequester(
            ipAddress: requester["ip"]?.stringValue, userAgent: requester["user_agent"]?.stringValue)
        self.requester = sender == OAuthRequester(ipAddress: nil, userAgent: nil) ? nil : sender
        expectedAccount = OAuthExpectedAccount(members)
    }

    /// No permission of ``scope`` is left out.
    private mutating func explain(_ explained: [AuthJSON]) {
        for scope in explained {
            guard let name = scope["name"]?.stringValue else { continue }
            let known = OAuthScope(name: name, explanation: scope["description"]?.stringValue)
            if let index = scopes.firstIndex(where: { $0.name == name }) {
                scopes[index] = known
            } else {
                scopes.append(known)
            }
        }
    }
}

extension OAuthExpectedAccount {
    /// - Returns: nil if the client expects no other account.
    fileprivate init?(_ members: WireMembers) {
        let isRequired = members.bool("needs_other_account")
        // Empty if unknown.
        guard members["expected_account"] != nil || isRequired else { return nil }
        self.init(name: members.text("expected_account"), isRequired: isRequired)
    }
}

extension OAuthAuthorizationDetails.Flow: CaseIterable {}

extension OAuthRedirect {
    /// nil for a device flow, without a redirect.
    package static func decision(json: AuthJSON) throws(WireProblem) -> OAuthRedirect? {
        let members = try WireMembers(json, path: "consent")
        guard let text = members.text("redirect_url") else {
            guard members.text("flow") == "device" else {
                throw WireProblem("consent.redirect_url: expected a string")
            }
            return nil
        }
        guard let redirect = URL(string: text).flatMap(OAuthRedirect.init) else {
            throw WireProblem("consent.redirect_url: expected a URL to open")
        }
        return redirect
    }
}

extension OAuthAuthorizationDetailsResponse {
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "authorization")
        if members["redirect_url"] != nil {
            guard let redirect = try OAuthRedirect.decision(json: json) else {
                throw WireProblem("authorization.redirect_url: expected a string")
            }
            self = .redirect(redirect)
        } else if members.text("flow") == "device", members.text("status") == "approved" {
            self = .approved
        } else {
            self = .details(try OAuthAuthorizationDetails(json: json))
        }
    }
}
