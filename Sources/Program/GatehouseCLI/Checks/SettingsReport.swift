package import GatehouseServer
import GatehouseWire

/// The effective configuration with the origin of each value and without secrets.
package struct SettingsReport {
    private let given: GivenSettings

    /// - Parameter given: The settings with their origins.
    package init(_ given: GivenSettings) { self.given = given }

    /// A table with a row for each setting, then the settings that are not used.
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

    /// All settings as a Markdown table, for `Docs/configuration.md`.
    package static var documentation: String {
        var text = "| In the environment | The same | In YAML | Default | |\n|---|---|---|---|---|\n"
        for setting in Setting.allCases {
            let foreign = setting.foreignNames.map { "`\($0)`" }.joined(separator: ", ")
            let file = setting.isSecret ? " A secret: `\(setting.environmentName)_FILE` names a file with it." : ""
            let value = setting.defaultText.map { "`\($0)`" } ?? ""
            text += "| `\(setting.environmentName)` | \(foreign) | `\(setting.key)` | \(value) | "
            text += "\(setting.summary)\(file) |\n"
        }
        return text
    }
}
