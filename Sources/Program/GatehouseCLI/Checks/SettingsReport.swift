package import GatehouseServer
import GatehouseWire

/// Each value with its origin, without secrets.
package struct SettingsReport {
    private let given: GivenSettings

    package init(_ given: GivenSettings) { self.given = given }

    package var text: String {
        var table = TextTable(["SETTING", "VALUE", "FROM"])
        for setting in Setting.allCases {
            let value = given[setting]
            table.add([
                setting.key, given.shown(setting) ?? setting.defaultText ?? "-",
                value?.origin ?? (setting.defaultText == nil ? "-" : "default"),
            ])
        }
        var text = table.text
        let unused = UnusedSettings(given)
        if !unused.names.isEmpty { text += "\nNot used: " + unused.names.joined(separator: ", ") + "\n" }
        if !unused.missingFeatures.isEmpty {
            text += "\nOff or not in this build:\n" + unused.missingFeatures.map { "  \($0)\n" }.joined()
        }
        return text
    }

    /// All settings as a Markdown list, for `Docs/configuration.md`.
    package static var documentation: String {
        var rows: [String] = []
        for row in Setting.allCases.map(row) where !rows.contains(row) { rows.append(row) }
        return rows.joined(separator: "\n") + "\n"
    }

    /// A dagger means Supabase Auth's usual name: `GOTRUE_` and the key in capitals.
    private static func row(_ setting: Setting) -> String {
        let usual = "GOTRUE_" + setting.key.uppercased()
        let dagger = setting.foreignNames.contains(usual) ? " †" : ""
        let others = setting.foreignNames.filter { $0 != usual }.map { "`\($0)`" }.joined(separator: ", ")
        let owner = others.hasPrefix("`OTEL_") ? "OpenTelemetry" : "Supabase Auth"
        let notes = [
            setting.summary, others.isEmpty ? nil : "In \(owner): \(others).", setting.isSecret ? "Secret." : nil,
        ]
        let value = setting.defaultText.map { " (`\($0)`)" } ?? ""
        return "* `\(setting.documentedKey)`\(dagger)\(value): \(notes.compactMap(\.self).joined(separator: " "))"
    }
}
