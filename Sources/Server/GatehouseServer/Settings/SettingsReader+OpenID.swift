import AccountDomain
import GatehouseWire
import IdentityProviders

extension SettingsReader {
    /// - Parameter taken: Names already in use.
    mutating func openIDProviders(
        _ defaults: ProviderDefaults, _ rule: OutgoingAddressRule, besides taken: [String]
    ) -> [ConfiguredProvider] {
        // Apple and Google need rules that an entry would lack.
        providers(.openIDProviders, rule, besides: taken + ["apple", "google"]) { $0.openID(defaults) }
    }

    mutating func oauthProviders(
        _ defaults: ProviderDefaults, _ rule: OutgoingAddressRule, besides taken: [String]
    ) -> [ConfiguredProvider] {
        providers(.oauthProviders, rule, besides: taken + ["apple", "google"]) { $0.oauth(defaults) }
    }

    private mutating func providers(
        _ setting: Setting, _ rule: OutgoingAddressRule, besides taken: [String],
        _ make: (inout ProviderEntry) -> ConfiguredProvider?
    ) -> [ConfiguredProvider] {
        guard let text = given[setting]?.text else { return [] }
        // Ignored: quoting the text could reveal a secret.
        guard let elements = (try? JSONReader.read(text))?.arrayValue else {
            refuse(setting, "expected a JSON array of objects")
            return []
        }
        var names = Set(taken)
        var providers: [ConfiguredProvider] = []
        for (index, element) in elements.enumerated() {
            guard let members = element.objectValue else {
                refuse(setting, "entry \(index + 1): expected an object")
                continue
            }
            var entry = ProviderEntry(members)
            let provider = make(&entry)
            if let provider { entry.check(provider.settings, rule) }
            if let name = provider?.settings.name, !names.insert(name).inserted {
                entry.reader.refuse("name", "is another provider's already")
            }
            for problem in entry.reader.findings.sentences { refuse(setting, "entry \(index + 1): \(problem)") }
            if let provider, entry.reader.findings.isEmpty { providers.append(provider) }
        }
        return providers
    }
}

/// Never quotes its values, one of which is secret.
private struct ProviderEntry {
    private let members: AuthJSONObject
    var reader: MemberReader

    private static let common: Set<String> = ["name", "client_id", "client_secret", "linking", "redirect_uri"]
    private static let openID: Set<String> = [
        "issuer", "scopes", "email_optional", "pkce", "discovery_base", "authorization_parameters", "endpoints",
        "token_auth",
    ]
    private static let endpoints: Set<String> = ["authorization", "token", "userinfo", "jwks", "revocation"]

    init(_ members: AuthJSONObject) { (self.members, reader) = (members, MemberReader(members)) }

    private mutating func refuseOthers(than known: Set<String>) {
        for name in members.keys.sorted() where !known.contains(name) {
            reader.refuse(name, "is not a member of it" + Spelling.hint(name, known: known.sorted()))
        }
    }

    mutating func openID(_ defaults: ProviderDefaults) -> ConfiguredProvider? {
        refuseOthers(than: Self.common.union(Self.openID))
        let (name, issuer, clientIDs) = (reader.required("name"), reader.required("issuer"), clientIDs())
        let usesPKCE = reader.flag("pkce") ?? true
        let credential = credential(usesPKCE)
        let (scopes, isEmailOptional) = (reader.words("scopes"), reader.flag("email_optional") ?? false)
        let parameters = reader.texts("authorization_parameters")
        let (linking, redirectURL) = (linking(), redirectURL())
        let (base, endpoints) = (reader.text("discovery_base"), endpoints(of: issuer))
        let sendsSecretInForm = reader.sendsSecretInForm()
        let made = collect { () throws(ProviderSettingsProblems) in
            try .openID(
                name: name, issuer: issuer, clientIDs: clientIDs, credential: credential, discoveryBase: base,
                endpoints: endpoints)
        }
        guard var settings = made else { return nil }
        if let scopes { settings.scopes = scopes }
        settings.authorizationParameters = parameters
        (settings.usesPKCE, settings.isEmailOptional) = (usesPKCE, isEmailOptional)
        settings.sendsSecretInForm = sendsSecretInForm
        return defaults.configure(settings, linking: linking, redirectURL: redirectURL)
    }

    mutating func oauth(_ defaults: ProviderDefaults) -> ConfiguredProvider? {
        refuseOthers(than: Self.common.union(OAuthDescription.members))
        let (name, clientIDs) = (reader.required("name"), clientIDs())
        let credential = credential(reader.flag("pkce") ?? false)
        let (linking, redirectURL) = (linking(), redirectURL())
        var findings = MemberFindings()
        let description = OAuthDescription(members, findings: &findings)
        reader.refuse(findings)
        guard let description else { return nil }
        let made = collect { () throws(ProviderSettingsProblems) in
            try .oauth(name: name, description, clientIDs: clientIDs, credential: credential)
        }
        if made?.isUseless == true { reader.refuse("client_secret", "is missing, and pkce is not true") }
        // Each its own, so that one cannot pass another's code off as its own (RFC 9700 §4.4).
        return made.map {
            defaults.configure($0, linking: linking, redirectURL: redirectURL ?? "\(defaults.redirectURL)/\(name)")
        }
    }

    /// - Returns: nil after a problem.
    private mutating func collect(
        _ make: () throws(ProviderSettingsProblems) -> ProviderSettings
    ) -> ProviderSettings? {
        guard reader.findings.isEmpty else { return nil }
        var findings = ProviderFindings()
        let made = findings.collect(make)
        for problem in findings.problems { refuse(problem) }
        return made
    }

    /// Notes the addresses that must not be called.
    mutating func check(_ settings: ProviderSettings, _ rule: OutgoingAddressRule) {
        var findings = ProviderFindings()
        findings.check(settings, rule)
        for problem in findings.problems { refuse(problem) }
    }

    private mutating func refuse(_ problem: ProviderSettingsProblem) {
        let member =
            switch problem {
            case .name: "name"
            case .missingClientID: "client_id"
            case .url: reader.has("discovery_base") ? "discovery_base" : "issuer"
            default: "an address of it"
            }
        reader.refuse(member, problem.expected)
    }

    private mutating func clientIDs() -> [String] {
        reader.required("client_id").split(separator: ",").map { String($0.filter { $0 != " " }) }
    }

    /// A public client has no secret and relies on PKCE.
    private mutating func credential(_ usesPKCE: Bool) -> ClientCredential {
        guard let secret = reader.text("client_secret") else { return usesPKCE ? .pkceOnly : .none }
        return .secret(Secret(secret))
    }

    private mutating func linking() -> LinkingPolicy {
        // Not every provider is the owner of the addresses that it vouches for.
        guard let text = reader.text("linking") else { return .confirm }
        if let policy = LinkingPolicy(rawValue: text) { return policy }
        reader.refuse("linking", "expected one of " + LinkingPolicy.allCases.map(\.rawValue).joined(separator: ", "))
        return .confirm
    }

    private mutating func redirectURL() -> String? {
        guard let text = reader.text("redirect_uri") else { return nil }
        if !RedirectEntry.isWebAddress(text) { reader.refuse("redirect_uri", "expected a web address") }
        return text
    }

    private mutating func endpoints(of issuer: String) -> ProviderMetadata? {
        let given = reader.texts("endpoints")
        guard reader.has("endpoints") else { return nil }
        guard Set(given.keys).isSubset(of: Self.endpoints) else {
            reader.refuse("endpoints", "expected an object of " + Self.endpoints.sorted().joined(separator: ", "))
            return nil
        }
        let urls = given.compactMapValues(ProviderURL.init)
        guard urls.count == given.count, let keys = urls["jwks"] else {
            reader.refuse("endpoints", "expected web addresses, jwks among them")
            return nil
        }
        return ProviderMetadata(
            issuer: issuer, keys: keys, authorization: urls["authorization"], token: urls["token"],
            userInfo: urls["userinfo"], revocation: urls["revocation"])
    }
}
