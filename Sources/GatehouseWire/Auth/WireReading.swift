public import Foundation

/// Why an answer of the Auth API could not be understood. The text names members and never repeats their values.
public struct WireProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// Such as `user.id: expected a UUID`.
    public let description: String

    /// - Parameter description: Names a member, without its value.
    public init(_ description: String) { self.description = description }
}

/// Reads the members of an answer as tolerantly as the wire contract asks (12.6): a null counts as absent,
/// unknown members are ignored, and a member of another type than expected counts only where it is required.
package struct WireMembers {
    private let members: JSONObject
    private let path: String

    package init(_ json: AnyJSON, path: String) throws(WireProblem) {
        guard let members = json.objectValue else { throw WireProblem("\(path): expected an object") }
        self.members = members
        self.path = path
    }

    package subscript(name: String) -> AnyJSON? {
        let value = members[name]
        return value == .null ? nil : value
    }

    package func required(_ name: String) throws(WireProblem) -> String {
        guard let value = self[name]?.stringValue else { throw WireProblem("\(path).\(name): expected a string") }
        return value
    }

    package func uuid(_ name: String) throws(WireProblem) -> UUID {
        guard let id = self[name]?.stringValue.flatMap(UUID.init(uuidString:)) else {
            throw WireProblem("\(path).\(name): expected a UUID")
        }
        return id
    }

    /// Empty text counts as absent: the API sends `""` for an address that is not there.
    package func text(_ name: String) -> String? {
        guard let value = self[name]?.stringValue, !value.isEmpty else { return nil }
        return value
    }

    package func object(_ name: String) -> JSONObject { self[name]?.objectValue ?? [:] }
    package func bool(_ name: String) -> Bool { self[name]?.boolValue ?? false }
    package func date(_ name: String) -> Date? { self[name]?.stringValue.flatMap(Date.init(wire:)) }

    package func requiredDate(_ name: String) throws(WireProblem) -> Date {
        guard let date = date(name) else { throw WireProblem("\(path).\(name): expected a timestamp") }
        return date
    }

    /// A number in any spelling: `3600`, `3600.0` or `"3600"`.
    package func number(_ name: String) -> Double? {
        switch self[name] {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .string(let value): Double(value)
        default: nil
        }
    }
}

extension Date {
    /// A timestamp of the wire: RFC 3339 with any offset and 0 to 9 digits of a second.
    package init?(wire text: String) {
        guard let instant = Instant(text) else { return nil }
        self.init(timeIntervalSince1970: Double(instant.microseconds) / 1_000_000)
    }

    /// UTC with `Z`, to the microsecond.
    package var wire: String {
        Instant(microseconds: Int64((timeIntervalSince1970 * 1_000_000).rounded())).description
    }
}
