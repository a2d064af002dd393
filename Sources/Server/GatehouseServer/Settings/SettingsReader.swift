import AccountDomain
import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

/// Converts text to values and collects all problems.
struct SettingsReader {
    let given: GivenSettings
    private(set) var problems: [SettingsProblem]

    init(_ given: GivenSettings) {
        self.given = given
        problems = given.problems
    }

    mutating func refuse(_ setting: Setting, _ expected: String) {
        refuse(name: given[setting]?.origin ?? setting.environmentName, expected)
    }

    /// Reports each problem once.
    mutating func refuse(name: String, _ expected: String) {
        let problem = SettingsProblem(name, expected)
        if !problems.contains(problem) { problems.append(problem) }
    }

    func text(_ setting: Setting) -> String? { given[setting]?.text ?? setting.defaultText }

    mutating func required(_ setting: Setting, _ expected: String) -> String? {
        let text = text(setting)
        if text == nil, !given.has(setting) { refuse(setting, "not set; \(expected)") }
        return text
    }

    /// Go's booleans, and `yes`, `no`, `on` and `off`.
    mutating func flag(_ setting: Setting) -> Bool {
        switch text(setting)?.lowercased() {
        case "1", "t", "true", "yes", "on": return true
        case "0", "f", "false", "no", "off", nil: return false
        default:
            refuse(setting, "expected true or false")
            return false
        }
    }

    mutating func number(_ setting: Setting) -> Int {
        guard case .number(let range, _) = setting.form else { return 0 }
        let number = text(setting).flatMap { Int($0) }
        if let number, range.contains(number) { return number }
        refuse(setting, "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
        return range.lowerBound
    }

    /// - Returns: nil without a value or default.
    mutating func duration(_ setting: Setting) -> Duration? {
        guard let text = text(setting) else { return nil }
        let takesZero = if case .durationOrZero = setting.form { true } else { false }
        guard let duration = Duration(go: text), duration > .zero || (takesZero && duration == .zero) else {
            refuse(setting, "expected a duration above zero such as 30s, 15m or 24h")
            return nil
        }
        return duration
    }

    /// Comma-separated, trimmed, without empty elements.
    func list(_ setting: Setting) -> [String] {
        (text(setting) ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
            !$0.isEmpty
        }
    }

    mutating func listenAddress(_ setting: Setting) -> ListenAddress? {
        guard let text = given[setting]?.text else { return nil }
        if let address = ListenAddress(text), address.port > 0 { return address }
        refuse(setting, "expected host:port, such as 127.0.0.1:9999 or [::1]:9999")
        return nil
    }

    /// An absolute http or https URL without a trailing slash.
    mutating func webAddress(_ setting: Setting) -> String? {
        guard let text = given[setting]?.text else { return nil }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme ?? ""), url.host?.isEmpty == false,
            url.query == nil, url.fragment == nil, url.user == nil
        else {
            refuse(setting, "expected a web address such as https://api.example.org/auth/v1, without ? and #")
            return nil
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    mutating func choice<Value>(_ setting: Setting, _ choices: KeyValuePairs<String, Value>) -> Value? {
        guard let text = text(setting) else { return nil }
        if let found = choices.first(where: { $0.key.lowercased() == text.lowercased() }) { return found.value }
        refuse(setting, "expected one of " + choices.map(\.key).joined(separator: ", "))
        return nil
    }

    /// Addresses only. `Forwarded` (RFC 7239) has its own grammar, which is not supported: every caller would be the
    /// proxy.
    mutating func addressHeader(_ setting: Setting) -> HTTPField.Name? {
        guard let text = text(setting) else { return nil }
        if let name = HTTPField.Name(text), name != HTTPField.Name("Forwarded") { return name }
        refuse(setting, "expected the name of a header of addresses alone, such as X-Forwarded-For; not Forwarded")
        return nil
    }

    static let notNetworks = "expected networks such as 10.0.0.0/8,fd00::/8, without bits after the prefix"

    mutating func networks(_ setting: Setting) -> [IPNetwork] {
        list(setting).compactMap { text in
            let network = IPNetwork(text)
            if network == nil { refuse(setting, Self.notNetworks) }
            return network
        }
    }
}
