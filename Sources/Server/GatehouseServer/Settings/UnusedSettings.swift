import AuthServer
import GatehouseWire

package struct UnusedSettings: Sendable {
    /// `GOTRUE_…` variables that this program does not read.
    package let names: [String]
    /// One sentence for each enabled feature that stays off.
    package let missingFeatures: [String]

    package init(_ given: GivenSettings) {
        let known = Set(Setting.allCases.flatMap(\.environmentNames))
        names = given.environment.keys.filter { $0.hasPrefix("GOTRUE_") && !known.contains($0) }.sorted()
        var sentences: [String] = []
        for (name, value) in given.environment.sorted(by: { $0.key < $1.key }) where names.contains(name) {
            if let sentence = Self.feature(String(name.dropFirst("GOTRUE_".count)), value) {
                sentences.append(sentence)
            }
        }
        let hook = HookSettings.all.first { $0.name == .sendEmail }
        if Self.isOn(given[.requireReauthentication]?.text), !given.has(.mailFolder), !given.has(.smtpHost),
            hook.map({ given.has($0.enabled) }) != true
        {
            sentences.append("No mail is sent: a new password needs no mailed code.")
        }
        if [Setting.enrollSecurityKeys, .verifySecurityKeys].contains(where: { Self.isOn(given[$0]?.text) }),
            !given.has(.relyingPartyID)
        {
            sentences.append(
                "WebAuthn factors are off: \(Setting.relyingPartyID.environmentName), their domain, is not set.")
        }
        var seen: Set<String> = []
        missingFeatures = sentences.filter { seen.insert($0).inserted }
    }

    private static func isOn(_ value: String?) -> Bool {
        ["1", "t", "true", "yes", "on"].contains(value?.lowercased() ?? "")
    }

    private static func feature(_ name: String, _ value: String) -> String? {
        let isOn = isOn(value)
        if name.hasPrefix("EXTERNAL_"), name.hasSuffix("_ENABLED"), isOn {
            let provider = name.dropFirst("EXTERNAL_".count).dropLast("_ENABLED".count).lowercased()
            return provider.hasPrefix("email_") ? nil : "Sign-in by \(provider) is not in this build."
        }
        if name.hasPrefix("HOOK_"), name.hasSuffix("_ENABLED"), isOn {
            return "The hook \(name.dropFirst(5).dropLast(8).lowercased()) is not in this build."
        }
        if isOn, let sentence = switchedOn.first(where: { name.hasPrefix($0.prefix) })?.sentence { return sentence }
        return present.first { name.hasPrefix($0.prefix) && !value.isEmpty }?.sentence
    }

    private static let switchedOn: [(prefix: String, sentence: String)] = [
        ("SAML_ENABLED", "SAML is not in this build."),
        ("OAUTH_SERVER_ENABLED", "The OAuth server is not in this build."),
        ("PASSWORD_HIBP_FAIL_CLOSED", "A password is accepted if Have I Been Pwned does not answer."),
        ("SESSIONS_SINGLE_PER_USER", "One session per user is not in this build."),
    ]

    private static let present: [(prefix: String, sentence: String)] = [
        ("EXTERNAL_REDIRECTURL", "One redirect target for all providers is not in this build: see site_url.")
    ]
}

/// The terminal client's, which are no server settings.
package enum ClientVariables {
    package static let url = "GATEHOUSE_URL"
    package static let key = "GATEHOUSE_KEY"
}

extension SettingsReader {
    /// Misspelt `GATEHOUSE_` names would be ignored otherwise.
    mutating func refuseUnknownNames() {
        let known = Setting.allCases.flatMap(\.environmentNames).filter { $0.hasPrefix("GATEHOUSE_") }
        // The shell that starts a server may have the client's variables.
        let ofTheClient = [ClientVariables.url, ClientVariables.key]
        for name in given.environment.keys.sorted()
        where name.hasPrefix("GATEHOUSE_") && !known.contains(name) && !ofTheClient.contains(name) {
            refuse(name: name, "is not a setting" + Spelling.hint(name, known: known))
        }
    }
}
