import GatehouseWire

/// The settings of Supabase Auth for text messages, whose secrets do not print.
package struct TextMessageSettings: Sendable {
    package static let providerName = "sms_provider"

    package let provider: TextProvider
    /// By the names in patterns.
    let values: [String: Secret]

    /// The names of all settings, sorted.
    package static var names: [String] {
        ([providerName] + TextProvider.all.flatMap { $0.settings.map(\.name) }).sorted()
    }

    /// The names of the settings that are secret.
    package static var secretNames: [String] {
        TextProvider.all.flatMap { $0.settings.filter { $0.form == .secret }.map(\.name) }.sorted()
    }

    /// Reads the chosen provider's settings.
    ///
    /// - Parameter value: Returns a setting's value by name, such as `sms_twilio_auth_token`. Empty is absent.
    /// - Returns: nil without `sms_provider`.
    /// - Throws: ``TextSettingsProblems`` with every problem.
    package init?(_ value: (String) -> String?) throws(TextSettingsProblems) {
        func given(_ name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
        guard let chosen = given(Self.providerName) else { return nil }
        guard let provider = TextProvider.all.first(where: { $0.name == chosen }) else {
            let known = TextProvider.all.map(\.name).joined(separator: ", ")
            throw TextSettingsProblems([.init(setting: Self.providerName, text: "expected one of \(known)")])
        }
        var (values, problems) = ([String: Secret](), [TextSettingsProblem]())
        for setting in provider.settings {
            guard let text = given(setting.name) else {
                if !setting.isOptional {
                    problems.append(.init(setting: setting.name, text: "is missing: \(provider.title) needs it"))
                }
                continue
            }
            if let problem = setting.form.problem(text) {
                problems.append(.init(setting: setting.name, text: problem))
            }
            let (key, value) = setting.form == .sender ? Self.sender(text, setting.key) : (setting.key, text)
            values[key] = Secret(value)
        }
        guard problems.isEmpty else { throw TextSettingsProblems(problems) }
        (self.provider, self.values) = (provider, values)
    }

    /// Twilio's setting is the SID of a messaging service or, as in Supabase Auth, a sender's number or name.
    private static func sender(_ text: String, _ key: String) -> (key: String, text: String) {
        guard key == "message_service_sid" else { return (key, text) }
        if text.hasPrefix("MG"), text.utf8.count == 34, text.isPlainWord { return ("messaging_service", text) }
        let prefix = "whatsapp:"
        return ("from", text.hasPrefix(prefix) ? String(text.dropFirst(prefix.utf8.count)) : text)
    }
}

extension TextProviderSetting.Form {
    /// nil for a text that is valid.
    fileprivate func problem(_ text: String) -> String? {
        switch self {
        case .word: text.isPlainWord ? nil : "expected 1 to 64 letters, digits, - and _"
        case .secret:
            text.utf8.count <= 256 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                ? nil : "expected at most 256 printable characters without spaces"
        case .sender:
            text.utf8.count <= 64 && !text.unicodeScalars.contains(where: \.isDeceptive)
                ? nil : "expected a phone number or a name, at most 64 bytes"
        }
    }
}

/// A setting and the rest of a sentence about it, which quotes no value.
package struct TextSettingsProblem: Equatable, Sendable {
    package let setting: String
    package let text: String
}

package struct TextSettingsProblems: Error, Equatable, Sendable {
    package let problems: [TextSettingsProblem]

    init(_ problems: [TextSettingsProblem]) { self.problems = problems }
}
