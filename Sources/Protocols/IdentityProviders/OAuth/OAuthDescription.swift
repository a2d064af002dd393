package import GatehouseWire

/// A provider without OpenID Connect (RFC 6749), as data: a row of `providers.json`, or an entry of an operator.
///
/// Docs/providers.md explains every member.
package struct OAuthDescription: Sendable {
    let authorization: ProviderURL
    let token: ProviderURL
    /// Where an access token's user is described.
    let profile: ProviderURL
    let claims: ProfileMapping
    /// A separate list of addresses.
    let emails: EmailList?
    /// Headers of requests to ``profile``; `{client_id}` is replaced.
    let headers: [String: String]
    /// The query parameter with the token's HMAC under the client secret, which Facebook calls `appsecret_proof`.
    let proofParameter: String?
    /// Tokens of the provider's own SDK, which apps present.
    let idToken: IDTokenDescription?
    let scopes: [String]
    let scopeSeparator: String
    let authorizationParameters: [String: String]
    let usesPKCE: Bool
    let sendsSecretInForm: Bool
    package let isEmailOptional: Bool

    /// A provider's list of a user's addresses.
    struct EmailList: Sendable {
        let url: ProviderURL
        /// nil if the response is the list itself.
        let list: ProfilePath?
        let email: ProfilePath
        let primary: ProfilePath
        let verified: ProfilePath
    }

    /// An issuer of ID tokens (OpenID Connect Core 1.0 §2).
    struct IDTokenDescription: Sendable {
        let issuer: String
        let keys: ProviderURL
        /// Whether an address counts as verified although the token does not say so.
        let vouchesForEmail: Bool
    }
}

extension OAuthDescription {
    /// The members of an operator's entry. Rows have two more, about installations of the provider's software.
    package static let members: Set<String> = [
        "authorization", "authorization_parameters", "token", "token_auth", "scopes", "scope_separator",
        "profile", "profile_proof", "headers", "claims", "emails", "id_token", "pkce", "email_optional",
    ]

    /// Reads an entry.
    ///
    /// - Parameters:
    ///   - host: The base URL of an installation of the provider's software; replaces the host of every address. An
    ///     entry's `self_hosted` adds a path for some hosts.
    ///   - findings: Gets a sentence for each problem; the description is nil if there is one.
    package init?(_ members: AuthJSONObject, host: String? = nil, findings: inout MemberFindings) {
        var reader = MemberReader(members, findings: findings)
        reader.move(to: host, paths: reader.texts("self_hosted"))
        let authorization = reader.url("authorization")
        let (token, profile) = (reader.url("token"), reader.url("profile"))
        var claims = reader.object("claims").flatMap { ProfileMapping($0, &reader) }
        // An operator's own installation may confirm addresses without an email.
        if reader.flag("self_hosted_vouches") == false, host != nil { claims?.vouchesForNothing() }
        if claims == nil { reader.refuse("claims", "expected an object with sub") }
        let emails = reader.emails()
        let idToken = reader.idToken()
        headers = reader.texts("headers")
        proofParameter = reader.text("profile_proof")
        scopes = reader.words("scopes") ?? []
        scopeSeparator = reader.text("scope_separator") ?? " "
        authorizationParameters = reader.texts("authorization_parameters")
        usesPKCE = reader.flag("pkce") ?? false
        sendsSecretInForm = reader.sendsSecretInForm() ?? false
        isEmailOptional = reader.flag("email_optional") ?? false
        findings = reader.findings
        guard let authorization, let token, let profile, let claims, findings.isEmpty else { return nil }
        (self.authorization, self.token, self.profile) = (authorization, token, profile)
        (self.claims, self.emails, self.idToken) = (claims, emails, idToken)
    }
}

/// An entry's problems, as sentences that quote no value.
package struct MemberFindings: Sendable {
    package private(set) var sentences: [String] = []

    package init() {}

    package var isEmpty: Bool { sentences.isEmpty }

    mutating func add(_ others: MemberFindings) { sentences += others.sentences }

    mutating func add(_ member: String, _ expected: String) { sentences.append("\(member) \(expected)") }
}
