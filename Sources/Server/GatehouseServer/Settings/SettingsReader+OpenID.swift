import AccountDomain
import GatehouseWire
import IdentityProviders

extension SettingsReader {
    /// - Parameter taken: Names already in use.
    mutating func openIDProviders(
        _ defaults: ProviderDefaults, _ rule: OutgoingAddressRule, besides taken: [String]
    ) -> [ConfiguredProvider] {
        guard let text = given[.openIDProviders]?.text else { return [] }
        // Ignored: quoting the text could reveal a secret.
        guard let elements = (try? JSONReader.read(text))?.arrayValue else {
            refuse(.openIDProviders, "expected a JSON array of objects")
            return []
        }
        // Apple and Google need rules that an entry would lack.
        var names = Set(taken + ["apple", "google"])
        var providers: [ConfiguredProvider] = []
        for (index, element) in elements.enumerated() {
            guard let members = element.objectValue else {
                refuse(.openIDProviders, "entry \(index + 1): expected an object")
                continue
            }
            var entry = OpenIDEntry(members)
            let provider = entry.provider(defaults, rule)
            if let name = provider?.settings.name, !names.insert(name).inserted {
                entry.refuse("name", "is another provider's already")
            }
            for problem in entry.problems { refuse(.openIDProviders, "entry \(index + 1): \(problem)") }
            if let provider { providers.append(provider) }
        }
        return providers
    }
}

/// Never quotes its values, one of which is secret.
private struct OpenIDEntry {
    private let members: AuthJSONObject
    private(set) var problems: [String] = []

    private static let known: Set<String> = [
        "name", "issuer", "client_id", "client_secret", "scopes", "linking", "email_optional", "pkce", "redirect_uri",
        "discovery_base", "authorization_parameters", "endpoints", "token_auth",
    ]
    private static let knownEndpoints: Set<String> = ["authorization", "token", "userinfo", "jwks", "revocation"]

    init(_ members: AuthJSONObject) {
        self.members = members
        for name in members.keys.sorted() where !Self.known.contains(name) {
            refuse(name, "is not a member of it" + Spelling.hint(name, known: Self.known.sorted()))
        }
    }

    mutating func refuse(_ member: String, _ expected: String) { problems.append("\(member) \(expected)") }

    mutating func provider(_ defaults: ProviderDefaults, _ rule: OutgoingAddressRule) -> ConfiguredProvider? {
        let (name, issuer) = (required("name"), required("issuer"))
        let clientIDs = required("client_id").split(separator: ",").map { String($0.filter { $0 != " " }) }
        let usesPKCE = flag("pkce") ?? true
        let credential = credential(usesPKCE)
        let (scopes, isEmailOptional) = (texts("scopes"), flag("email_optional") ?? false)
        let (parameters, linking, redirectURL) = (parameters(), linking(), redirectURL())
        let (base, endpoints) = (text("discovery_base"), endpoints(of: issuer))
        let sendsSecretInForm = sendsSecretInForm()
        guard problems.isEmpty else { return nil }
        var findings = ProviderFindings()
        let made = findings.collect { () throws(ProviderSettingsProblems) in
            try .openID(
                name: name, issuer: issuer, clientIDs: clientIDs, credential: credential, discoveryBase: base,
                endpoints: endpoints)
        }
        if let made { findings.check(made, rule) }
        problems += findings.problems.map { Self.sentence($0, hasBase: base != nil) }
        guard var settings = made, problems.isEmpty else { return nil }
        if let scopes { settings.scopes = scopes }
        settings.authorizationParameters = parameters
        (settings.usesPKCE, settings.isEmailOptional) = (usesPKCE, isEmailOptional)
        settings.sendsSecretInForm = sendsSecretInForm
        return defaults.configure(settings, linking: linking, redirectURL: redirectURL)
    }

    /// A public client has no secret and relies on PKCE.
    private mutating func credential(_ usesPKCE: Bool) -> ClientCredential {
        guard let secret = text("client_secret") else { return usesPKCE ? .pkceOnly : .none }
        return .secret(Secret(secret))
    }

    private static func sentence(_ problem: ProviderSettingsProblem, hasBase: Bool) -> String {
        let member =
            switch problem {
            case .name: "name"
            case .missingClientID: "client_id"
            case .url: hasBase ? "discovery_base" : "issuer"
            default: "an address of it"
            }
        return "\(member) \(problem.expected)"
    }

    /// - Returns: nil for an absent or null member.
    private func member(_ name: String) -> AuthJSON? { members[name].flatMap { $0.isNull ? nil : $0 } }

    private mutating func text(_ name: String) -> String? {
        guard let member = member(name) else { return nil }
        if let text = member.stringValue, !text.isEmpty { return text }
        refuse(name, "expected a text that is not empty")
        return nil
    }

    /// - Returns: An empty string for a missing member, which is reported.
    private mutating func required(_ name: String) -> String {
        if member(name) == nil { refuse(name, "is missing") }
        return text(name) ?? ""
    }

    private mutating func flag(_ name: String) -> Bool? {
        guard let member = member(name) else { return nil }
        if member.boolValue == nil { refuse(name, "expected true or false") }
        return member.boolValue
    }

    private mutating func texts(_ name: String) -> [String]? {
        guard let member = member(name) else { return nil }
        let texts = member.arrayValue?.map(\.stringValue)
        guard let texts, !texts.contains(nil) else {
            refuse(name, "expected an array of texts")
            return nil
        }
        return texts.compactMap(\.self)
    }

    private mutating func sendsSecretInForm() -> Bool? {
        guard let text = text("token_auth") else { return nil }
        if let known = ["client_secret_post": true, "client_secret_basic": false][text] { return known }
        refuse("token_auth", "expected client_secret_basic or client_secret_post")
        return nil
    }

    private mutating func linking() -> LinkingPolicy {
        // Not every provider owns the addresses that it verifies.
        guard let text = text("linking") else { return .confirm }
        if let policy = LinkingPolicy(rawValue: text) { return policy }
        refuse("linking", "expected one of " + LinkingPolicy.allCases.map(\.rawValue).joined(separator: ", "))
        return .confirm
    }

    private mutating func redirectURL() -> String? {
        guard let text = text("redirect_uri") else { return nil }
        if !RedirectEntry.isWebAddress(text) { refuse("redirect_uri", "expected a web address") }
        return text
    }

    private mutating func parameters() -> [String: String] {
        guard let member = member("authorization_parameters") else { return [:] }
        let given = member.objectValue ?? AuthJSONObject()
        let texts = Dictionary(uniqueKeysWithValues: given.map { ($0.key, $0.value.stringValue) })
            .compactMapValues(\.self)
        guard member.objectValue != nil, texts.count == given.count else {
            refuse("authorization_parameters", "expected an object of texts")
            return [:]
        }
        return texts
    }

    private mutating func endpoints(of issuer: String) -> ProviderMetadata? {
        guard let member = member("endpoints") else { return nil }
        guard let given = member.objectValue, Set(given.keys).isSubset(of: Self.knownEndpoints) else {
            refuse("endpoints", "expected an object of " + Self.knownEndpoints.sorted().joined(separator: ", "))
            return nil
        }
        let urls = Dictionary(
            uniqueKeysWithValues: given.map { ($0.key, $0.value.stringValue.flatMap(ProviderURL.init)) }
        )
        .compactMapValues(\.self)
        guard urls.count == given.count, let keys = urls["jwks"] else {
            refuse("endpoints", "expected web addresses, jwks among them")
            return nil
        }
        return ProviderMetadata(
            issuer: issuer, keys: keys, authorization: urls["authorization"], token: urls["token"],
            userInfo: urls["userinfo"], revocation: urls["revocation"])
    }
}
