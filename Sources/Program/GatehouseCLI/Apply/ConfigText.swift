package import AccountDomain
import Foundation
package import GatehouseServer
import GatehouseWire

/// A document for `gatehouse apply`, without secrets.
package enum ConfigText {
    /// Empty without entries.
    package static func settings(_ file: SettingsText) -> String {
        let lines = file.entries.map { key, value in
            if value.isEmpty { return "  \(key): ''\n" }
            guard let setting = Setting.allCases.first(where: { $0.key == key }) else {
                // The name of a secret's file. Any other key may be a misplaced secret.
                let isFile = Setting.allCases.contains { $0.isSecret && "\($0.key)_file" == key }
                return "  \(key): \(scalar(isFile ? value : ShownSetting.mask))\n"
            }
            // Ignored: an unreadable list is masked as a whole.
            if EntrySettings.all.contains(setting), let entries = (try? JSONReader.read(value))?.arrayValue {
                return "  \(key):" + yaml(.array(entries.map(masked)), indent: "    ") + "\n"
            }
            return "  \(key): \(scalar(GivenSettings.shown(value, of: setting) == value ? value : ShownSetting.mask))\n"
        }
        return lines.isEmpty ? "" : "settings:\n" + lines.joined()
    }

    /// As comments: apply rotates keys, and does not create given ones.
    package static func signingKeys(_ keys: [SigningKeyList.Entry]) -> String {
        let rows = keys.map { "#   \($0.id), \($0.algorithm), created \($0.createdAt), \($0.state)\n" }
        return "# signing_keys:\n#   rotate_after: 2160h\n"
            + (rows.isEmpty ? "" : "# Signing keys in the database, newest first:\n" + rows.joined())
    }

    package static func administrators(_ users: [User]) -> String {
        guard !users.isEmpty else { return "administrators: []\n" }
        return "administrators:\n" + users.map { "  - \(scalar($0.email ?? $0.id.text))\n" }.joined()
    }

    private static func scalar(_ text: String, isJSON: Bool = false) -> String {
        YAMLText.scalar(text.replacing("${", with: "$${"), isJSON: isJSON)
    }

    private static func masked(_ entry: AuthJSON) -> AuthJSON {
        guard case .object(var members) = entry else { return .string(ShownSetting.mask) }
        for (name, value) in members where !EntrySettings.shownMembers.contains(name) || mayHaveKey(value) {
            members[name] = .string(ShownSetting.mask)
        }
        return .object(members)
    }

    /// In an address's query or user.
    private static func mayHaveKey(_ value: AuthJSON) -> Bool {
        switch value {
        case .string(let text):
            text.contains("://") && (text.contains("?") || URLComponents(string: text)?.user != nil)
        case .array(let elements): elements.contains(where: mayHaveKey)
        case .object(let members): members.values.contains(where: mayHaveKey)
        default: false
        }
    }

    /// After a key's colon or a list's dash.
    private static func yaml(_ value: AuthJSON, indent: String) -> String {
        switch value {
        case .array(let elements) where !elements.isEmpty:
            return elements.map { element in
                let text = yaml(element, indent: indent + "  ")
                // An element's first member is in the dash's line.
                return "\n\(indent)-" + (text.hasPrefix("\n") ? " " + text.dropFirst(indent.count + 3) : text)
            }.joined()
        case .object(let members) where !members.isEmpty:
            return members.sorted { $0.key < $1.key }.map { name, value in
                "\n\(indent)\(YAMLText.scalar(name)):" + yaml(value, indent: indent + "  ")
            }.joined()
        case .string(let text): return " " + scalar(text, isJSON: true)
        default: return " " + value.text
        }
    }
}
