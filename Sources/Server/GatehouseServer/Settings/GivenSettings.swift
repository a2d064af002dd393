import Foundation
import GatehouseWire

/// Unvalidated text. Contains secrets, so it never prints its content.
package struct GivenSettings: Sendable, CustomStringConvertible, CustomReflectable {
    package struct Value: Sendable, CustomStringConvertible, CustomReflectable {
        package let text: String
        /// The environment variable, or the key in the file.
        package let origin: String
        var namesFile = false
        package var isFromFile = false

        package var description: String { "<value of \(origin)>" }
        package var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
    }

    package private(set) var values: [Setting: Value] = [:]
    package private(set) var problems: [SettingsProblem] = []
    /// Named by settings, or the YAML file if it contains a secret.
    package private(set) var secretFiles: Set<String> = []
    /// Secrets with an unreadable file, which are not missing.
    private(set) var unreadable: Set<Setting> = []
    /// All variables, to find unknown names.
    package let environment: [String: String]

    package var description: String { "GivenSettings[\(values.count) values]" }
    package var customMirror: Mirror { Mirror(self, children: ["names": values.keys.map(\.key).sorted()]) }

    /// The environment precedes the file, and a `GATEHOUSE_` name a foreign one. An empty value means unset.
    ///
    /// - Parameter readFile: Its errors become problems.
    package init(
        environment: [String: String], file: ConfigurationFile? = nil,
        readFile: (String) throws -> String = Self.readSecret
    ) {
        self.environment = environment
        if let file {
            problems += file.problems
            if file.holdsSecret { secretFiles.insert(file.path) }
        }
        for setting in Setting.allCases {
            values[setting] = Self.value(of: setting, in: environment) ?? file?.value(of: setting)
        }
        readSecretFiles(readFile)
        refuseDoubles()
    }

    package subscript(setting: Setting) -> Value? { values[setting] }

    package func shown(_ setting: Setting) -> String? { values[setting].map { Self.shown($0.text, of: setting) } }

    /// Omits secrets, passwords in URLs, and queries of hooks.
    package static func shown(_ text: String, of setting: Setting) -> String {
        if setting.isSecret { return "(secret)" }
        if HookSettings.all.contains(where: { $0.uri == setting }) { return EndpointStatus.withoutQuery(text) }
        // A database URL may contain a password.
        if setting.form == .location, text.contains("://") { return text.prefix { $0 != ":" } + "://(secret)" }
        return text
    }

    /// A value, or an unreadable file.
    func has(_ setting: Setting) -> Bool { values[setting] != nil || unreadable.contains(setting) }

    private static func value(of setting: Setting, in environment: [String: String]) -> Value? {
        for name in setting.variables {
            if let text = environment[name], !text.isEmpty { return Value(text: text, origin: name) }
            guard setting.isSecret, let path = environment[name + "_FILE"], !path.isEmpty else { continue }
            return Value(text: path, origin: name + "_FILE", namesFile: true)
        }
        return nil
    }

    private mutating func readSecretFiles(_ readFile: (String) throws -> String) {
        for (setting, value) in values where value.namesFile {
            secretFiles.insert(value.text)
            do {
                values[setting] = Value(
                    text: try readFile(value.text), origin: value.origin, isFromFile: value.isFromFile)
            } catch {
                values[setting] = nil
                unreadable.insert(setting)
                problems.append(SettingsProblem(value.origin, "names a file that cannot be read: \(error)"))
            }
        }
    }

    /// Reports a secret that variables set in two ways. The file reports its own duplicates.
    private mutating func refuseDoubles() {
        for setting in Setting.allCases where setting.isSecret {
            for name in setting.variables
            where environment[name]?.isEmpty == false && environment[name + "_FILE"]?.isEmpty == false {
                problems.append(SettingsProblem(name, "is set together with \(name)_FILE: keep one of them"))
            }
        }
    }

    /// At most 1 MiB, trimmed.
    ///
    /// - Throws: ``UnreadableFile``, also beyond the limit or if not UTF-8.
    package static func readSecret(_ path: String) throws(UnreadableFile) -> String {
        try readText(path).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Files and pipes of at most 1 MiB.
    package static func readText(_ path: String) throws(UnreadableFile) -> String {
        let bytes = try readBytes(path, atMost: 1 << 20, waitsForPipe: true)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        return text
    }

    /// - Parameter waitsForPipe: If false, a pipe is not read.
    static func readBytes(
        _ path: String, atMost longest: Int, waitsForPipe: Bool
    ) throws(UnreadableFile) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (waitsForPipe ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw .system(errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue { throw .folder }
        let data: Data
        do {
            data = try handle.read(upToCount: longest + 1) ?? Data()
        } catch {
            // Ignored: Foundation's description of a disk error does not help.
            throw .system(EIO)
        }
        guard data.count <= longest else { throw .tooLong }
        return Array(data)
    }
}

/// Omits the path, which may be a misplaced secret.
package enum UnreadableFile: Error, Equatable, CustomStringConvertible {
    case system(Int32)
    case folder
    case notText
    case tooLong

    package var description: String {
        switch self {
        case .system(ENOENT), .system(ENOTDIR): "there is no such file"
        case .system(EACCES), .system(EPERM): "this user is not allowed to read it"
        case .system(let code): String(cString: strerror(code))
        case .folder: "it is a folder"
        case .notText: "it is not UTF-8 text"
        case .tooLong: "it is longer than 1 MiB"
        }
    }
}
