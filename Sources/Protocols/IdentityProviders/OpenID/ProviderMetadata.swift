import GatehouseWire

/// OpenID Connect Discovery 1.0 §3.
package struct ProviderMetadata: Equatable, Sendable {
    package let issuer: String
    /// `jwks_uri`; nil for a provider without ID tokens.
    package let keys: ProviderURL?
    /// `authorization_endpoint`
    package let authorization: ProviderURL?
    package let token: ProviderURL?
    package let userInfo: ProviderURL?
    package let revocation: ProviderURL?
    let tokenAuthentication: [String]?
    let signingAlgorithms: [String]?
    /// RFC 9207 §3.
    let namesItselfInCallbacks: Bool

    package init(
        issuer: String, keys: ProviderURL?, authorization: ProviderURL? = nil, token: ProviderURL? = nil,
        userInfo: ProviderURL? = nil, revocation: ProviderURL? = nil, tokenAuthentication: [String]? = nil,
        signingAlgorithms: [String]? = nil, namesItselfInCallbacks: Bool = false
    ) {
        self.issuer = issuer
        self.keys = keys
        self.authorization = authorization
        self.token = token
        self.userInfo = userInfo
        self.revocation = revocation
        self.tokenAuthentication = tokenAuthentication
        self.signingAlgorithms = signingAlgorithms
        self.namesItselfInCallbacks = namesItselfInCallbacks
    }

    /// Basic authentication is mandatory for providers (RFC 6749 §2.3.1) and the default.
    var takesSecretInForm: Bool {
        guard let methods = tokenAuthentication, !methods.contains("client_secret_basic") else { return false }
        return methods.contains("client_secret_post")
    }

    /// Ignores one trailing slash, on which configurations and providers often disagree.
    static func isSameIssuer(_ left: String, _ right: String) -> Bool {
        func bare(_ text: String) -> Substring { text.hasSuffix("/") ? text.dropLast() : text[...] }
        return bare(left) == bare(right)
    }
}

extension ProviderMetadata {
    /// - Throws: ``ProviderTrouble``, including for an unneeded URL that must not be called.
    init(document: [UInt8], of issuer: String, rule: OutgoingAddressRule) throws(ProviderTrouble) {
        let members: AuthJSON
        do { members = try JSONReader.read(document) } catch { throw .unreadable }
        guard members.objectValue != nil else { throw .unreadable }
        guard let said = members["issuer"]?.stringValue else { throw .missing("issuer") }
        guard Self.isSameIssuer(said, issuer) else { throw .wrongIssuer }
        guard let keys = try Self.url("jwks_uri", in: members, rule) else { throw .missing("jwks_uri") }
        self.init(
            issuer: said, keys: keys, authorization: try Self.browserURL("authorization_endpoint", in: members, rule),
            token: try Self.url("token_endpoint", in: members, rule),
            userInfo: try Self.url("userinfo_endpoint", in: members, rule),
            revocation: try Self.url("revocation_endpoint", in: members, rule),
            tokenAuthentication: Self.texts("token_endpoint_auth_methods_supported", in: members),
            signingAlgorithms: Self.texts("id_token_signing_alg_values_supported", in: members),
            namesItselfInCallbacks: members["authorization_response_iss_parameter_supported"] == true)
    }

    private static func url(
        _ name: String, in members: AuthJSON, _ rule: OutgoingAddressRule
    ) throws(ProviderTrouble) -> ProviderURL? {
        guard let member = members[name], !member.isNull else { return nil }
        guard let url = member.stringValue.flatMap(ProviderURL.init) else { throw .malformed(name) }
        do { try rule.check(url) } catch { throw .noAnswer(.addressRefused(error)) }
        return url
    }

    private static func browserURL(
        _ name: String, in members: AuthJSON, _ rule: OutgoingAddressRule
    ) throws(ProviderTrouble) -> ProviderURL? {
        guard let member = members[name], !member.isNull else { return nil }
        guard let url = member.stringValue.flatMap(ProviderURL.init) else { throw .malformed(name) }
        do { try rule.checkForBrowser(url) } catch { throw .noAnswer(.addressRefused(error)) }
        return url
    }

    private static func texts(_ name: String, in members: AuthJSON) -> [String]? {
        members[name]?.arrayValue?.compactMap(\.stringValue)
    }
}
