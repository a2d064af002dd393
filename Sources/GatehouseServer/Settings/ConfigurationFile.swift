import Configuration
import Foundation
import GatehouseWire

/// A YAML file of settings: one per line, with the names of ``Setting``. A list may be a YAML list.
package struct ConfigurationFile: Sendable {
    package let path: String
    private let provider: FileProvider<YAMLSnapshot>
    package private(set) var problems: [SettingsProblem] = []

    /// The file that is read if none is named.
    package static let usualName = "gatehouse.yaml"

    /// - Throws: ``SettingsProblems`` if the file cannot be read or is not a YAML mapping, with the line of the error.
    package init(path: String) async throws(SettingsProblems) {
        self.path = path
        let text: String
        do throws(UnreadableFile) {
            text = try GivenSettings.readSecret(path)
        } catch {
            throw SettingsProblems([SettingsProblem(path, "cannot be read: \(error)")])
        }
        do {
            let location = InMemoryProvider(values: ["filePath": ConfigValue(.string(path), isSecret: false)])
            provider = try await FileProvider<YAMLSnapshot>(
                parsingOptions: .init(secretsSpecifier: .all), config: ConfigReader(provider: location))
        } catch {
            throw SettingsProblems([SettingsProblem(path, Self.problem(error))])
        }
        problems = Self.keys(in: text).compactMap { key in
            let setting = Setting(rawValue: key) ?? Setting(rawValue: String(key.dropLast(5)))
            if let setting, key == setting.rawValue || (setting.isSecret && key == setting.rawValue + "_file") {
                return nil
            }
            return SettingsProblem("\(key) in \(path)", "is not a setting" + Spelling.hint(key, known: Self.known))
        }
        problems += Setting.allCases.filter(\.isSecret).compactMap { setting in
            let (name, fileName) = (setting.rawValue, setting.rawValue + "_file")
            guard value(named: name) != nil, value(named: fileName) != nil else { return nil }
            return SettingsProblem("\(name) in \(path)", "is set together with \(fileName): keep one of them")
        }
    }

    /// The position of a YAML error, without the file's content.
    ///
    /// The error's type is private to its package. Its text contains `in line 3, column 5` or begins with `3:5: error`.
    private static func problem(_ error: any Error) -> String {
        let text = "\(error)"
        if let mark = text.firstMatch(of: /^(\d+):(\d+): error/) {
            return "is not valid YAML: see line \(mark.1), column \(mark.2)"
        }
        if let mark = text.firstMatch(of: /in line (\d+), column (\d+)/) {
            return "has a key twice: see the lines from \(mark.1) on"
        }
        return "is not a list of settings: expected lines such as port: 9999"
    }

    private static let known = Setting.allCases.map(\.rawValue)

    /// The provider does not list its keys, which are needed to report misspelt ones.
    private static func keys(in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            guard let first = line.first, !first.isWhitespace, !"#-%.{}[]".contains(first),
                let colon = line.firstIndex(of: ":")
            else { return nil }
            return line[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: " \"'"))
        }
    }

    func value(of setting: Setting) -> GivenSettings.Value? {
        value(named: setting.rawValue)
            ?? (setting.isSecret ? value(named: setting.rawValue + "_file", namesFile: true) : nil)
    }

    /// Whether the file contains a secret.
    var holdsSecret: Bool {
        Setting.allCases.contains { setting in
            guard let text = value(named: setting.rawValue)?.text else { return false }
            return setting.isSecret || (setting.mayHoldPassword && URLComponents(string: text)?.password != nil)
        }
    }

    private func value(named name: String, namesFile: Bool = false) -> GivenSettings.Value? {
        let single = text(name, .string) { if case .string(let text) = $0 { text } else { nil } }
        let list = text(name, .stringArray) {
            if case .stringArray(let texts) = $0 { texts.joined(separator: ",") } else { nil }
        }
        guard let given = single ?? list, !given.isEmpty else { return nil }
        return GivenSettings.Value(text: given, origin: "\(name) in \(path)", namesFile: namesFile)
    }

    private func text(_ name: String, _ type: ConfigType, _ read: (ConfigContent) -> String?) -> String? {
        // Lost: a type mismatch; the caller then asks for the other type.
        let found = try? provider.value(forKey: AbsoluteConfigKey([name]), type: type)
        return found?.value.flatMap { read($0.content) }
    }
}
