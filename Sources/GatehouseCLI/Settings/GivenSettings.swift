import Configuration
import Foundation
import GatehouseWire

/// The values that somebody gave, as text, before they are believed.
///
/// Not for printing: a secret among them is text like the others here. It cannot print itself.
package struct GivenSettings: Sendable, CustomStringConvertible, CustomReflectable {
    package struct Value: Sendable, CustomStringConvertible, CustomReflectable {
        let text: String
        /// The variable or the key in the file that it came from.
        package let origin: String
        /// Whether ``text`` names a file that holds the value.
        var namesFile = false

        package var description: String { "<value of \(origin)>" }
        package var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
    }

    package private(set) var values: [Setting: Value] = [:]
    /// What was wrong while they were read.
    package private(set) var problems: [SettingsProblem] = []
    /// Files that hold a secret: those that a setting names, and the YAML file if one stands in it.
    package private(set) var secretFiles: Set<String> = []
    /// Every variable of the environment by name, for what is set and not understood.
    package let environment: [String: String]

    package var description: String { "GivenSettings[\(values.count) values]" }
    package var customMirror: Mirror { Mirror(self, children: ["names": values.keys.map(\.rawValue).sorted()]) }

    /// The environment goes before the file, and a `GATEHOUSE_` name before a foreign one. Empty text counts as not
    /// set.
    ///
    /// - Parameter readFile: reads a file of one secret; what it throws becomes a problem.
    package init(
        environment: [String: String], file: ConfigurationFile? = nil,
        readFile: (String) throws -> String = Self.readSecret
    ) {
        self.environment = environment
        let variables = EnvironmentVariablesProvider(environmentVariables: environment, secretsSpecifier: .all)
        if let file {
            problems += file.problems
            if file.holdsSecret { secretFiles.insert(file.path) }
        }
        for setting in Setting.allCases {
            values[setting] = Self.value(of: setting, in: variables) ?? file?.value(of: setting)
        }
        readSecretFiles(readFile)
        refuseDoubles()
    }

    package subscript(setting: Setting) -> Value? { values[setting] }

    private static func value(of setting: Setting, in variables: EnvironmentVariablesProvider) -> Value? {
        for name in [setting.environmentName] + setting.foreignNames {
            if let text = text(named: name, in: variables) { return Value(text: text, origin: name) }
            guard setting.isSecret, let path = text(named: name + "_FILE", in: variables) else { continue }
            return Value(text: path, origin: name + "_FILE", namesFile: true)
        }
        return nil
    }

    private static func text(named name: String, in variables: EnvironmentVariablesProvider) -> String? {
        // Lost: nothing; a variable is text whatever it holds, so this provider never throws.
        let text = try? variables.environmentValue(forName: name)
        guard let text, !text.isEmpty else { return nil }
        return text
    }

    private mutating func readSecretFiles(_ readFile: (String) throws -> String) {
        for (setting, value) in values where value.namesFile {
            secretFiles.insert(value.text)
            do {
                values[setting] = Value(text: try readFile(value.text), origin: value.origin)
            } catch {
                values[setting] = nil
                problems.append(SettingsProblem(value.origin, "names a file that cannot be read as text (\(error))"))
            }
        }
    }

    /// A secret that is given in two ways by variables: nobody can know which is meant. The file tells its own.
    private mutating func refuseDoubles() {
        for setting in Setting.allCases where setting.isSecret {
            for name in [setting.environmentName] + setting.foreignNames
            where environment[name]?.isEmpty == false && environment[name + "_FILE"]?.isEmpty == false {
                problems.append(SettingsProblem(name, "is set together with \(name)_FILE: keep one of them"))
            }
        }
    }

    /// Text of at most 1 MiB, without the line feed at its end.
    package static func readSecret(_ path: String) throws -> String {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer {
            // Lost: that a descriptor which was only read from could not be closed.
            try? handle.close()
        }
        let data = try handle.read(upToCount: 1 << 20) ?? Data()
        guard let text = String(validating: data, as: UTF8.self) else { throw UnreadableText() }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

struct UnreadableText: Error, CustomStringConvertible {
    var description: String { "it is not UTF-8" }
}
