package import GatehouseWire

/// A client's request for access, from its first step until its code is used.
package struct OAuthAuthorization: Sendable {
    package enum Flow: String, CaseIterable, Sendable { case redirect, device }

    package enum Status: String, CaseIterable, Sendable {
        /// Waits for the browser (RFC 9126).
        case pushed
        case pending, approved, denied
        /// Its code has opened a session.
        case redeemed
    }

    /// From the request to the user's decision.
    package static let lifetime: Duration = .seconds(600)
    /// From the decision to the client's token request.
    package static let codeLifetime: Duration = .seconds(120)
    /// Between two token requests of a device (RFC 8628 §3.5).
    package static let pollInterval: Duration = .seconds(5)

    package let id: Identifier<OAuthAuthorization>
    package let client: OAuthClientID
    package var user: UserID?
    package let flow: Flow
    package var status: Status
    package let request: OAuthRequest
    /// The requester's.
    package let device: Device
    /// Shown by a device, without the hyphen.
    package var userCode: String?
    package let createdAt: Instant
    package var expiresAt: Instant

    package init(
        id: Identifier<OAuthAuthorization>, client: OAuthClientID, user: UserID? = nil, flow: Flow, status: Status,
        request: OAuthRequest, device: Device, userCode: String? = nil, createdAt: Instant, expiresAt: Instant
    ) {
        self.id = id
        self.client = client
        self.user = user
        self.flow = flow
        self.status = status
        self.request = request
        self.device = device
        self.userCode = userCode
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// The client's parameters.
package struct OAuthRequest: Sendable {
    package static let mostResources = 4
    /// Of `state` and of `nonce`, in bytes.
    package static let longestText = 1_024

    /// Empty for a device.
    package var redirectURI = ""
    package var state: String?
    package var scopes: OAuthScopes
    /// RFC 8707.
    package var resources: [String] = []
    /// nil for a device.
    package var key: ProofKey?
    package var nonce: String?
    /// OpenID Connect Core §3.1.2.1.
    package var prompts: [String] = []
    /// Likewise, in seconds.
    package var maximumAge: Int64?
    package var expected = ExpectedAccount()

    package init(scopes: OAuthScopes) { self.scopes = scopes }

    /// Whether an earlier consent may answer.
    package var asksConsent: Bool { prompts.contains("consent") }
    package var asksSignIn: Bool { prompts.contains("login") }
    package var forbidsPages: Bool { prompts.contains("none") }

    /// Whether the user signed in recently enough.
    ///
    /// - Parameter signedInAt: nil if unknown.
    package func isSatisfied(bySignInAt signedInAt: Instant?, begun: Instant, at now: Instant) -> Bool {
        guard asksSignIn || maximumAge != nil else { return true }
        guard let signedInAt else { return false }
        // Entries have whole seconds. A sign-in for this request is recent enough, even for `max_age=0`.
        if signedInAt.seconds >= begun.seconds { return true }
        if asksSignIn { return false }
        return maximumAge.map { now.seconds - signedInAt.seconds <= $0 } ?? true
    }
}

extension OAuthRequest {
    package var json: AuthJSON {
        let members: [String: AuthJSON?] = [
            "redirect_uri": .string(redirectURI), "state": state.map(AuthJSON.string), "scope": .string(scopes.text),
            "resource": .array(resources.map(AuthJSON.string)),
            "code_challenge": (key?.challenge).map(AuthJSON.string),
            "code_challenge_method": (key?.method.rawValue).map(AuthJSON.string),
            "nonce": nonce.map(AuthJSON.string), "prompt": .array(prompts.map(AuthJSON.string)),
            "max_age": maximumAge.map(AuthJSON.integer),
            "expected_user": (expected.user?.text).map(AuthJSON.string),
            "expected_name": expected.name.map(AuthJSON.string),
        ]
        return .object(AuthJSONObject(members.compactMapValues(\.self)))
    }

    package init(stored json: AuthJSON) {
        redirectURI = json["redirect_uri"]?.stringValue ?? ""
        state = json["state"]?.stringValue
        scopes = (json["scope"]?.stringValue).flatMap(OAuthScopes.init) ?? OAuthScopes(trusted: [])
        resources = (json["resource"]?.arrayValue ?? []).compactMap(\.stringValue)
        if let challenge = json["code_challenge"]?.stringValue, let method = json["code_challenge_method"]?.stringValue
        {
            key = ProofKey(challenge: challenge, method: method)
        }
        nonce = json["nonce"]?.stringValue
        prompts = (json["prompt"]?.arrayValue ?? []).compactMap(\.stringValue)
        maximumAge = json["max_age"]?.intValue
        expected = ExpectedAccount(
            user: (json["expected_user"]?.stringValue).flatMap { UserID($0) },
            name: json["expected_name"]?.stringValue)
    }
}

/// The client that a session belongs to; a user's own session has none.
package struct SessionClient: Sendable {
    package let id: OAuthClientID
    /// `client_id`.
    package let publicID: String
    package let name: String
    package var scopes: OAuthScopes
    /// The audience of its access tokens; empty for `userinfo` alone.
    package var resources: [String]
    /// When the user who approved had signed in.
    package let signedInAt: Instant?

    package init(
        id: OAuthClientID, publicID: String, name: String, scopes: OAuthScopes, resources: [String],
        signedInAt: Instant?
    ) {
        self.id = id
        self.publicID = publicID
        self.name = name
        self.scopes = scopes
        self.resources = resources
        self.signedInAt = signedInAt
    }

    package var json: AuthJSON {
        let members: [String: AuthJSON?] = [
            "client_id": .string(publicID), "name": .string(name), "scope": .string(scopes.text),
            "resource": .array(resources.map(AuthJSON.string)),
            "auth_time": (signedInAt?.seconds).map(AuthJSON.integer),
        ]
        return .object(AuthJSONObject(members.compactMapValues(\.self)))
    }

    package init(id: OAuthClientID, stored json: AuthJSON) {
        self.init(
            id: id, publicID: json["client_id"]?.stringValue ?? id.text, name: json["name"]?.stringValue ?? "",
            scopes: (json["scope"]?.stringValue).flatMap(OAuthScopes.init) ?? OAuthScopes(trusted: []),
            resources: (json["resource"]?.arrayValue ?? []).compactMap(\.stringValue),
            signedInAt: (json["auth_time"]?.intValue).map { Instant(seconds: $0) })
    }
}
