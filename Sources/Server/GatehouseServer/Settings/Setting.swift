import GatehouseWire

/// A row of `Setting+Table.swift`, which drives the environment, the YAML file, the refusal of unknown names,
/// `check-config` and the test of `Docs/configuration.md`.
package struct Setting: Hashable, Sendable {
    /// In the YAML file.
    package let key: String
    /// Supabase Auth's variables; the first one set is used.
    package let foreignNames: [String]
    let form: Form
    /// One line of Markdown.
    package let summary: String
    /// Such as `hook_<name>_uri`. Settings with the same key share a row.
    package let documentedKey: String

    enum ForeignNames {
        case none
        /// `GOTRUE_` and the key in capitals.
        case gotrue
        case named([String])
    }

    /// With the default value.
    enum Form: Hashable {
        case text(String? = nil)
        case flag(Bool)
        case number(ClosedRange<Int>, Int?)
        /// A Go duration above zero.
        case duration(String? = nil)
        case durationOrZero(String)
        /// A file path, or a URL that may contain a password.
        case location
        /// Never printed. Can come from a file, named by the suffix `_FILE` (`_file` in YAML).
        case secret
    }

    init(
        _ key: String, _ foreignNames: ForeignNames, _ form: Form, _ summary: String, documentedKey: String? = nil
    ) {
        (self.key, self.form, self.summary) = (key, form, summary)
        self.documentedKey = documentedKey ?? key
        self.foreignNames =
            switch foreignNames {
            case .none: []
            case .gotrue: ["GOTRUE_" + key.uppercased()]
            case .named(let names): names
            }
    }
}

extension Setting {
    package var environmentName: String { "GATEHOUSE_" + key.uppercased() }

    /// In order of precedence.
    package var variables: [String] { [environmentName] + foreignNames }

    /// ``variables``, and those that name a file with a secret.
    package var environmentNames: [String] { isSecret ? variables + variables.map { $0 + "_FILE" } : variables }

    package var isSecret: Bool { form == .secret }

    package var defaultText: String? {
        switch form {
        case .text(let text), .duration(let text): text
        case .durationOrZero(let text): text
        case .flag(let isOn): "\(isOn)"
        case .number(_, let number): number.map { "\($0)" }
        case .location, .secret: nil
        }
    }
}
