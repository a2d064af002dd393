import GatehouseWire

/// A setting: a row of the table in `Setting+Table.swift`. Everything that names settings reads that table: the
/// environment, the YAML file, the refusal of unknown names, `check-config` and the test of `Docs/configuration.md`.
package struct Setting: Hashable, Sendable {
    /// The key in the YAML file.
    package let key: String
    /// Equivalent variables of Supabase Auth. The first one that is set counts.
    package let foreignNames: [String]
    let form: Form
    /// A one-line description in Markdown.
    package let summary: String
    /// The key on the page, such as `hook_<name>_uri`: settings with the same one share a row.
    package let documentedKey: String

    enum ForeignNames {
        case none
        /// `GOTRUE_` followed by the key in capitals.
        case gotrue
        case named([String])
    }

    /// The form of the text, with the default value.
    enum Form: Hashable {
        case text(String? = nil)
        case flag(Bool)
        case number(ClosedRange<Int>, Int?)
        /// A Go duration above zero.
        case duration(String? = nil)
        case durationOrZero(String)
        /// The path of a file, or a URL that may contain a password.
        case location
        /// Text that is never printed and can come from a file, named by the setting with the suffix `_FILE` (`_file`
        /// in YAML).
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
    /// `GATEHOUSE_` followed by the key in capitals.
    package var environmentName: String { "GATEHOUSE_" + key.uppercased() }

    /// The environment variables with the value, the first one that counts first.
    package var variables: [String] { [environmentName] + foreignNames }

    /// All environment variables that are read: ``variables``, and those that name a file with a secret.
    package var environmentNames: [String] { isSecret ? variables + variables.map { $0 + "_FILE" } : variables }

    package var isSecret: Bool { form == .secret }

    /// The default value as text; nil without one.
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
