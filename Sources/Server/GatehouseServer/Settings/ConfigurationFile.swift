import Foundation
import GatehouseWire

/// A YAML file of settings with the keys of ``Setting``.
package struct ConfigurationFile: Sendable {
    package let path: String
    private let places: [String: String]
    private let values: [String: String]
    package private(set) var problems: [SettingsProblem] = []

    package static let usualName = "gatehouse.yaml"

    /// - Throws: ``SettingsProblems`` if the file is unreadable or not a YAML mapping, with the line.
    package init(path: String) throws(SettingsProblems) {
        let text: String
        do throws(UnreadableFile) {
            text = try GivenSettings.readText(path)
        } catch {
            throw SettingsProblems([SettingsProblem(path, "cannot be read: \(error)")])
        }
        try self.init(path: path, text: text)
    }

    /// - Parameter places: Where other keys than the file's own come from, instead of `path`.
    /// - Throws: As ``init(path:)``, for a text that may not be written yet.
    package init(path: String, text: String, places: [String: String] = [:]) throws(SettingsProblems) {
        (self.path, self.places) = (path, places)
        let (keys, secrets) = (Setting.allCases.map(\.key), Setting.allCases.filter(\.isSecret).map(\.key))
        let known = Set(keys + secrets.map { $0 + "_file" })
        let entries: [(key: String, value: String)]
        do throws(YAMLProblem) {
            entries = try YAMLReader.entries(of: text)
        } catch {
            // An unknown key may be a misplaced secret.
            let key = error.key.flatMap { known.contains($0) ? $0 : nil }
            throw SettingsProblems([SettingsProblem(key.map { "\($0) in \(path)" } ?? path, error.description)])
        }
        values = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
        problems = entries.filter { !known.contains($0.key) }.map { entry in
            problem(entry.key, "is not a setting" + Spelling.hint(entry.key, known: keys))
        }
        problems += secrets.filter { value(named: $0) != nil && value(named: $0 + "_file") != nil }.map { key in
            problem(key, "is set together with \(key)_file: keep one of them")
        }
    }

    private func problem(_ key: String, _ expected: String) -> SettingsProblem {
        SettingsProblem("\(key) in \(places[key] ?? path)", expected)
    }

    func value(of setting: Setting) -> GivenSettings.Value? {
        value(named: setting.key)
            ?? (setting.isSecret ? value(named: setting.key + "_file", namesFile: true) : nil)
    }

    var holdsSecret: Bool {
        Setting.allCases.contains { setting in
            guard let text = value(named: setting.key)?.text else { return false }
            return setting.isSecret || (setting.form == .location && URLComponents(string: text)?.password != nil)
        }
    }

    private func value(named name: String, namesFile: Bool = false) -> GivenSettings.Value? {
        guard let text = values[name], !text.isEmpty else { return nil }
        return GivenSettings.Value(
            text: text, origin: "\(name) in \(places[name] ?? path)", namesFile: namesFile, isFromFile: true)
    }
}
