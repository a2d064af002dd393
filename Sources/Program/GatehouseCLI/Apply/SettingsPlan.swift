package import GatehouseServer
import GatehouseWire

/// A line of a plan, without secrets.
package struct PlanLine: Equatable, Sendable {
    package enum Sign: String, Sendable {
        case create = "+"
        case change = "~"
        case remove = "-"
    }

    package let sign: Sign
    package let text: String

    package init(_ sign: Sign, _ text: String) { (self.sign, self.text) = (sign, text) }
}

/// The changes of a settings file.
package struct SettingsPlan: Sendable {
    package let before: SettingsText
    package private(set) var after: SettingsText
    package private(set) var lines: [PlanLine] = []
    /// In the file but not in the document.
    package private(set) var unlisted: [String] = []

    private var changes: [(key: String, value: String?)] = []
    private var problems: [DocumentProblem] = []
    private let given: GivenSettings
    private let prunes: Bool

    /// - Parameter document: Its name, for problems.
    /// - Throws: ``DocumentProblems`` for a mask without a value, ``SettingsProblems``, ``YAMLProblem`` and
    ///   ``SettingsTextProblem`` for the file.
    package init(
        _ wanted: [WantedSetting], path: String, before: SettingsText, document: String, prunes: Bool
    ) throws {
        (self.before, self.after, self.prunes) = (before, before, prunes)
        given = try Self.given(before, path)
        for setting in wanted { plan(setting) }
        for (key, _) in before.entries where !wanted.contains(where: { $0.names.contains(key) }) {
            if prunes {
                changes.append((key, nil))
                lines.append(PlanLine(.remove, "settings \(key)"))
            } else {
                unlisted.append("settings \(key)")
            }
        }
        guard problems.isEmpty else { throw DocumentProblems(name: document, problems: problems) }
        after = try before.changing(changes)
    }

    /// Of the file alone.
    static func given(_ text: SettingsText, _ path: String) throws(SettingsProblems) -> GivenSettings {
        let file = text.entries.isEmpty ? nil : try ConfigurationFile(path: path, text: text.text)
        return GivenSettings(environment: [:], file: file)
    }

    private mutating func plan(_ wanted: WantedSetting) {
        let (key, setting) = (wanted.key, wanted.setting)
        let isSet = wanted.names.contains { before[$0]?.isEmpty == false }
        switch wanted.value {
        case .kept where !isSet:
            problems.append(
                DocumentProblem(wanted.line, "\(key) is masked, and the settings file has no value to keep"))
        case .kept: break
        case .text(let text, let isHidden):
            let old = (key == setting.key ? given[setting]?.text : before[key]) ?? ""
            guard old != text else { return }
            set(wanted, to: text)
            // The name of a secret's file is none.
            let isOpen = key != setting.key || [old, text].allSatisfy { GivenSettings.shown($0, of: setting) == $0 }
            let values =
                isHidden || !isOpen
                ? (isSet ? ": changed" : "") : isSet && !old.isEmpty ? ": \(old) -> \(text)" : ": \(text)"
            lines.append(
                text.isEmpty
                    ? PlanLine(.remove, "settings \(key)")
                    : PlanLine(isSet ? .change : .create, "settings \(key)\(values)"))
        case .entries(let entries): plan(entries, of: wanted)
        }
    }

    /// A secret replaces the name of its file, and the other way round.
    private mutating func set(_ wanted: WantedSetting, to text: String) {
        for name in wanted.names {
            let value = name == wanted.key && !text.isEmpty ? text : nil
            if value != nil || before[name] != nil { changes.append((name, value)) }
        }
    }

    private mutating func plan(_ entries: [WantedEntry], of wanted: WantedSetting) {
        let key = wanted.key
        // Ignored: quoting the text could reveal a secret.
        guard let old = given[wanted.setting].map({ (try? JSONReader.read($0.text))?.arrayValue }) ?? [] else {
            return problems.append(DocumentProblem(wanted.line, "\(key) in the settings file is no JSON array"))
        }
        var new: [AuthJSON] = []
        for entry in old {
            let name = entry["name"]?.stringValue ?? ""
            if let wanted = entries.first(where: { $0.name == name }) {
                new.append(kept(wanted, from: entry))
                if new.last != entry { lines.append(PlanLine(.change, "\(key) \(name): changed")) }
            } else if prunes {
                lines.append(PlanLine(.remove, "\(key) \(name)"))
            } else {
                new.append(entry)
                unlisted.append("\(key) \(name)")
            }
        }
        for entry in entries where !old.contains(where: { $0["name"]?.stringValue == entry.name }) {
            new.append(kept(entry, from: nil))
            lines.append(PlanLine(.create, "\(key) \(entry.name)"))
        }
        guard new != old else { return }
        set(wanted, to: new.isEmpty ? "" : "[\n" + new.map { "  " + $0.text }.joined(separator: ",\n") + "\n]\n")
    }

    /// Replaces masked members by the current ones.
    private mutating func kept(_ entry: WantedEntry, from old: AuthJSON?) -> AuthJSON {
        guard case .object(var members) = entry.value else { return entry.value }
        for (name, value) in members where value.stringValue == ShownSetting.mask {
            members[name] = old?[name]
            guard old?[name] == nil else { continue }
            problems.append(
                DocumentProblem(entry.line, "\(name) of \(entry.name) is masked, and has no value to keep"))
        }
        return .object(members)
    }
}
