import AccountDomain
import AuthServer
import GatehouseWire
import IdentityProviders

extension SettingsReader {
    mutating func outgoing() -> OutgoingAddressRule {
        let networks = list(.outgoingNetworks).map(IPNetwork.init)
        if networks.contains(nil) { refuse(.outgoingNetworks, Self.notNetworks) }
        return OutgoingAddressRule(
            allowsLoopback: flag(.outgoingLoopback), allowedNetworks: networks.compactMap(\.self))
    }

    mutating func providers(_ auth: AuthSettings, _ rule: OutgoingAddressRule) -> [ConfiguredProvider] {
        let defaults = ProviderDefaults(
            externalURL: auth.externalURL, confirmsAutomatically: auth.confirmsAutomatically)
        let special = [apple(defaults, rule), google(defaults, rule), keycloak(defaults, rule)].compactMap(\.self)
        let known = special + knownProviders(defaults, rule)
        let taken = known.map(\.settings.name)
        let openID = openIDProviders(defaults, rule, besides: taken)
        let oauth = oauthProviders(defaults, rule, besides: taken + openID.map(\.settings.name))
        let providers = known + openID + oauth
        if providers.contains(where: \.settings.offersBrowserSignIn), given[.siteURL] == nil,
            list(.uriAllowList).isEmpty
        {
            refuse(
                .siteURL,
                "is missing: expected where browsers go back to after they were at a provider, here or in "
                    + Setting.uriAllowList.environmentName)
        }
        return providers
    }

    private mutating func apple(_ defaults: ProviderDefaults, _ rule: OutgoingAddressRule) -> ConfiguredProvider? {
        let names = ProviderNames.apple
        let clientIDs = list(names.clientID) + list(.iosBundleID)
        let base = text(names.url).map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        return known(names, defaults, rule) { reader, problems in
            let credential = reader.appleCredential()
            return problems.collect { () throws(ProviderSettingsProblems) in
                guard let base else { return try .apple(clientIDs: clientIDs, credential: credential) }
                // The keys always come from this base URL.
                return try .apple(
                    clientIDs: clientIDs, credential: credential, base: base,
                    issuers: [base] + ProviderSettings.appleIssuers)
            }
        }
    }

    /// The .p8 key if configured, else the prepared client secret.
    private mutating func appleCredential() -> ClientCredential {
        let ofKey = [Setting.appleKey, .appleKeyID, .appleTeamID]
        guard ofKey.contains(where: { given.has($0) }) else { return secretCredential(ProviderNames.apple.secret) }
        for setting in ofKey where !given.has(setting) {
            refuse(setting, "is missing: the .p8 key, its id and its team belong together")
        }
        guard let pem = given[.appleKey]?.text, let keyID = given[.appleKeyID]?.text,
            let teamID = given[.appleTeamID]?.text
        else { return .none }
        do throws(ProviderSettingsProblems) {
            return .appleKey(try AppleSigningKey(pem: Secret(pem), keyID: keyID, teamID: teamID))
        } catch {
            for problem in error.problems { refuse(problem, .apple) }
            return .none
        }
    }

    private mutating func google(_ defaults: ProviderDefaults, _ rule: OutgoingAddressRule) -> ConfiguredProvider? {
        let names = ProviderNames.google
        let clientIDs = list(names.clientID)
        let issuer = text(names.url) ?? ProviderSettings.googleIssuer
        return known(names, defaults, rule) { reader, problems in
            let credential = reader.secretCredential(names.secret)
            return problems.collect { () throws(ProviderSettingsProblems) in
                try .google(clientIDs: clientIDs, credential: credential, issuer: issuer)
            }
        }
    }

    /// As in Supabase Auth: no discovery, no scope `openid`, no PKCE.
    private mutating func keycloak(_ defaults: ProviderDefaults, _ rule: OutgoingAddressRule) -> ConfiguredProvider? {
        let names = ProviderNames.keycloak
        let clientIDs = list(names.clientID)
        return known(names, defaults, rule) { reader, problems in
            let credential = reader.secretCredential(names.secret)
            let realm = reader.required(names.url, "expected the realm's address")
            let issuer = realm.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
            let endpoint = { (name: String) in ProviderURL("\(issuer)/protocol/openid-connect/\(name)") }
            guard let keys = endpoint("certs") else {
                if let realm { reader.refuse(.url(realm), names) }
                if clientIDs.isEmpty { reader.refuse(.missingClientID, names) }
                return nil
            }
            let metadata = ProviderMetadata(
                issuer: issuer, keys: keys, authorization: endpoint("auth"), token: endpoint("token"),
                userInfo: endpoint("userinfo"), revocation: endpoint("revoke"))
            var settings = problems.collect { () throws(ProviderSettingsProblems) in
                try .openID(
                    name: "keycloak", issuer: issuer, clientIDs: clientIDs, credential: credential,
                    endpoints: metadata)
            }
            settings?.scopes = ["profile", "email"]
            settings?.usesPKCE = false
            return settings
        }
    }

    private mutating func knownProviders(
        _ defaults: ProviderDefaults, _ rule: OutgoingAddressRule
    ) -> [ConfiguredProvider] {
        zip(KnownProvider.all, ProviderNames.known).compactMap { provider, names in
            let (clientIDs, url) = (list(names.clientID), text(names.url))
            return known(names, defaults, rule) { reader, problems in
                let credential = reader.secretCredential(names.secret)
                return problems.collect { () throws(ProviderSettingsProblems) in
                    try provider.settings(clientIDs: clientIDs, credential: credential, url: url)
                }
            }
        }
    }

    private func secretCredential(_ setting: Setting) -> ClientCredential {
        guard let value = given[setting] else { return .none }
        return .secret(Secret(value.text))
    }

    /// Reads all settings before failing, so that every problem is reported.
    private mutating func known(
        _ names: ProviderNames, _ defaults: ProviderDefaults, _ rule: OutgoingAddressRule,
        _ make: (inout SettingsReader, inout ProviderFindings) -> ProviderSettings?
    ) -> ConfiguredProvider? {
        guard flag(names.enabled) else { return nil }
        let linking = choice(
            names.linking, ["automatic": LinkingPolicy.automatic, "confirm": .confirm, "never": .never])
        let (skipsNonceCheck, isEmailOptional) = (flag(names.skipNonceCheck), flag(names.emailOptional))
        let redirectURL = exactWebAddress(names.redirectURI)
        var findings = ProviderFindings()
        let made = make(&self, &findings)
        if let made { findings.check(made, rule) }
        for problem in findings.problems { refuse(problem, names) }
        guard var settings = made, findings.problems.isEmpty else { return nil }
        if settings.isUseless { refuse(names.secret, "is missing") }
        (settings.skipsNonceCheck, settings.isEmailOptional) = (skipsNonceCheck, isEmailOptional)
        return defaults.configure(settings, linking: linking ?? .confirm, redirectURL: redirectURL)
    }

    private mutating func refuse(_ problem: ProviderSettingsProblem, _ names: ProviderNames) {
        let setting: Setting =
            switch problem {
            case .name, .url, .tenant, .addressRefused: names.url
            case .missingClientID: names.clientID
            case .privateKey: .appleKey
            case .teamID: .appleTeamID
            case .keyID: .appleKeyID
            }
        refuse(setting, problem.expected)
    }
}

struct ProviderFindings {
    private(set) var problems: [ProviderSettingsProblem] = []

    mutating func collect(
        _ make: () throws(ProviderSettingsProblems) -> ProviderSettings
    ) -> ProviderSettings? {
        do throws(ProviderSettingsProblems) {
            return try make()
        } catch {
            problems += error.problems
            return nil
        }
    }

    mutating func check(_ settings: ProviderSettings, _ rule: OutgoingAddressRule) {
        do throws(ProviderSettingsProblems) {
            _ = try OpenIDProvider(settings, rule: rule, now: { Instant(seconds: 0) }) { _ in
                throw ProviderTransportFailure.noConnection("not called")
            }
        } catch {
            problems += error.problems
        }
    }
}

extension ProviderSettingsProblem {
    /// The end of a sentence, without the value.
    var expected: String {
        switch self {
        case .name: "expected a name of a-z, 0-9, - and _ that is not one of the API's own, such as email"
        case .missingClientID: "is missing: expected one client id or more"
        case .url: "expected a web address such as https://id.example.org"
        case .tenant: "expected https://login.microsoftonline.com/ with the tenant's ID in lower case, not its domain"
        case .addressRefused(.notHTTPS):
            "expected https; http is for loopback addresses, with \(Setting.outgoingLoopback.environmentName)"
        case .addressRefused:
            "leads into a network that is not public: allow it with \(Setting.outgoingNetworks.environmentName) or "
                + Setting.outgoingLoopback.environmentName
        case .privateKey: "expected the text of Apple's .p8 file, which begins with -----BEGIN PRIVATE KEY-----"
        case .teamID, .keyID: "expected ten capital letters and digits"
        }
    }
}
