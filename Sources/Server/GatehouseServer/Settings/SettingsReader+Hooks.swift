package import AccountDomain
package import AuthServer
import GatehouseWire
package import IdentityProviders

package struct HookConfiguration: Sendable {
    package var hooks: [HookName: Hook] = [:]
    package var webhooks: [WebhookEndpoint] = []
    package var rule = OutgoingAddressRule()

    package init() {}
}

extension SettingsReader {
    mutating func hookConfiguration() -> HookConfiguration {
        var read = HookConfiguration()
        read.rule = OutgoingAddressRule(
            allowsLoopback: flag(.hookLoopback), allowedNetworks: networks(.hookNetworks))
        for settings in HookSettings.all {
            if let hook = hook(settings, read.rule) { read.hooks[settings.name] = hook }
        }
        read.webhooks = webhookEndpoints(read.rule)
        return read
    }

    /// nil for a disabled hook, whose other settings still need a valid form.
    private mutating func hook(_ settings: HookSettings, _ rule: OutgoingAddressRule) -> Hook? {
        let isOn = flag(settings.enabled)
        let continues = settings.onFailure.flatMap { choice($0, ["refuse": false, "continue": true]) } ?? false
        let secrets = given[settings.secrets].flatMap { WebhookSecret.list(Secret($0.text)) }
        if secrets == nil, given[settings.secrets] != nil { refuse(settings.secrets, Self.notSecrets) }
        guard isOn else { return nil }
        guard let url = required(settings.uri, "expected the address of the hook") else { return nil }
        if url.hasPrefix("pg-functions:") {
            refuse(settings.uri, "expected https://: hooks in PostgreSQL are not in this build")
        } else if let problem = Self.problem(url, rule) {
            refuse(settings.uri, problem)
        }
        if !given.has(settings.secrets) { refuse(settings.secrets, "not set; \(Self.notSecrets)") }
        return secrets.map { Hook(url: url, secrets: $0, continuesOnFailure: continues) }
    }

    static let notSecrets = "expected v1,whsec_ and the Base64 of 24 to 64 bytes, with | between several"

    /// nil if the address may be called.
    static func problem(_ text: String, _ rule: OutgoingAddressRule) -> String? {
        guard let url = ProviderURL(text) else { return "expected a web address without #" }
        do throws(OutgoingAddressRule.Refusal) {
            try rule.check(url)
            return nil
        } catch {
            return switch error {
            case .notHTTPS: "expected https; http is for this machine, with \(Setting.hookLoopback.environmentName)"
            case .notPublic, .noAddress:
                "is not public: see \(Setting.hookLoopback.environmentName) and \(Setting.hookNetworks.environmentName)"
            }
        }
    }

    /// Never quotes the JSON, which contains a secret.
    private mutating func webhookEndpoints(_ rule: OutgoingAddressRule) -> [WebhookEndpoint] {
        guard let text = given[.webhooks]?.text else { return [] }
        // Ignored: quoting the text could reveal a secret.
        guard let elements = (try? JSONReader.read(text))?.arrayValue else {
            refuse(.webhooks, "expected a JSON array of objects")
            return []
        }
        var names: Set<ExternalName> = []
        return elements.enumerated().compactMap { index, element in
            do throws(WebhookProblem) {
                let endpoint = try WebhookEndpoint(element, rule)
                guard names.insert(ExternalName(trusted: endpoint.name)).inserted else {
                    throw WebhookProblem("name is another webhook's already")
                }
                return endpoint
            } catch {
                refuse(.webhooks, "entry \(index + 1): \(error.text)")
                return nil
            }
        }
    }
}

private struct WebhookProblem: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

extension WebhookEndpoint {
    private static let members: Set<String> = ["name", "url", "secrets", "events"]

    fileprivate init(_ element: AuthJSON, _ rule: OutgoingAddressRule) throws(WebhookProblem) {
        guard let members = element.objectValue else { throw WebhookProblem("expected an object") }
        if let name = members.keys.sorted().first(where: { !Self.members.contains($0) }) {
            throw WebhookProblem(name + " is not a member of it" + Spelling.hint(name, known: Self.members.sorted()))
        }
        let name = members["name"]?.stringValue ?? ""
        guard WebhookEndpoint.isName(name) else {
            throw WebhookProblem("name expected 1 to 64 lower-case letters, digits, - and _")
        }
        guard let url = members["url"]?.stringValue else { throw WebhookProblem("url is missing") }
        if let problem = SettingsReader.problem(url, rule) { throw WebhookProblem("url " + problem) }
        guard let secrets = (members["secrets"]?.stringValue).flatMap({ WebhookSecret.list(Secret($0)) }) else {
            throw WebhookProblem("secrets " + SettingsReader.notSecrets)
        }
        var kinds = Set(AccountEventKind.allCases)
        if let given = members["events"] {
            let texts = given.arrayValue?.map { $0.stringValue ?? "" } ?? [""]
            kinds = []
            for text in texts {
                let named = AccountEventKind.named(text)
                if named.isEmpty { throw WebhookProblem("events expected an array of " + AccountEventKind.list) }
                kinds.formUnion(named)
            }
        }
        self.init(name: name, url: url, secrets: secrets, kinds: kinds)
    }
}
