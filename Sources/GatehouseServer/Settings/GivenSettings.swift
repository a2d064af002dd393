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
    /// Secrets whose file cannot be read: they are given, so none of them counts as missing.
    private(set) var unreadable: Set<Setting> = []
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

    /// What people may be shown of a value: nothing of a secret, and no password in a URL.
    package func shown(_ setting: Setting) -> String? {
        guard let text = values[setting]?.text else { return nil }
        if setting.isSecret { return "(secret)" }
        // A URL of a database may have a password inside.
        if setting.mayHoldPassword, text.contains("://") { return text.prefix { $0 != ":" } + "://(secret)" }
        return text
    }

    /// Whether there is a value, or a file that should hold it and cannot be read.
    func has(_ setting: Setting) -> Bool { values[setting] != nil || unreadable.contains(setting) }

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
                unreadable.insert(setting)
                problems.append(SettingsProblem(value.origin, "names a file that cannot be read: \(error)"))
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

    /// Text of at most 1 MiB, without blanks at its beginning and its end. A pipe will do as well as a file.
    package static func readSecret(_ path: String) throws(UnreadableFile) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw .system(errno) }
        guard information.st_mode & S_IFMT != S_IFDIR else { throw .folder }
        let data: Data
        do {
            data = try handle.read(upToCount: 1 << 20) ?? Data()
        } catch {
            // Lost: Foundation's words for a disk that fails.
            throw .system(EIO)
        }
        guard let text = String(validating: data, as: UTF8.self) else { throw .notText }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Why a file of the configuration cannot be read. Names no path: a secret may stand where a path belongs.
package enum UnreadableFile: Error, Equatable, CustomStringConvertible {
    case system(Int32)
    case folder
    case notText

    package var description: String {
        switch self {
        case .system(ENOENT), .system(ENOTDIR): "there is no such file"
        case .system(EACCES), .system(EPERM): "this user is not allowed to read it"
        case .system(let code): String(cString: strerror(code))
        case .folder: "it is a folder"
        case .notText: "it is not UTF-8 text"
        }
    }
}
