package import Foundation

/// Why a response of the Auth API could not be parsed. Contains names of members, never their values.
public struct WireProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// For example `user.id: expected a UUID`.
    public let description: String

    /// - Parameter description: Names a member without its value.
    public init(_ description: String) { self.description = description }
}

/// Reads the members of a response leniently: null counts as absent, unknown members are ignored, and a member of the
/// wrong type is an error only if it is required.
package struct WireMembers {
    private let members: AuthJSONObject
    private let path: String

    /// - Parameter path: The name of the object in problems, such as `user`.
    /// - Throws: ``WireProblem`` if the value is not an object.
    package init(_ json: AuthJSON, path: String) throws(WireProblem) {
        guard let members = json.objectValue else { throw WireProblem("\(path): expected an object") }
        self.members = members
        self.path = path
    }

    /// The value of a member; nil if it is absent or null.
    package subscript(name: String) -> AuthJSON? {
        let value = members[name]
        return value == .null ? nil : value
    }

    /// A string that must be present. It may be empty.
    ///
    /// - Throws: ``WireProblem`` if it is absent, null or not a string.
    package func required(_ name: String) throws(WireProblem) -> String {
        guard let value = self[name]?.stringValue else { throw WireProblem("\(path).\(name): expected a string") }
        return value
    }

    /// A UUID that must be present.
    ///
    /// - Throws: ``WireProblem`` if it is absent or not a UUID.
    package func uuid(_ name: String) throws(WireProblem) -> UUID {
        guard let id = self[name]?.stringValue.flatMap(UUID.init(uuidString:)) else {
            throw WireProblem("\(path).\(name): expected a UUID")
        }
        return id
    }

    /// A string. An empty one counts as absent, because the API sends `""` for a missing address.
    package func text(_ name: String) -> String? {
        guard let value = self[name]?.stringValue, !value.isEmpty else { return nil }
        return value
    }

    /// An object; empty if absent.
    package func object(_ name: String) -> AuthJSONObject { self[name]?.objectValue ?? [:] }
    /// A boolean; false if absent.
    package func bool(_ name: String) -> Bool { self[name]?.boolValue ?? false }
    /// A timestamp; nil if absent or malformed.
    package func date(_ name: String) -> Date? { self[name]?.stringValue.flatMap(Date.init(wire:)) }

    /// A timestamp that must be present.
    ///
    /// - Throws: ``WireProblem`` if it is absent or malformed.
    package func requiredDate(_ name: String) throws(WireProblem) -> Date {
        guard let date = date(name) else { throw WireProblem("\(path).\(name): expected a timestamp") }
        return date
    }

    /// The reasons of `weak_password`, which sessions and errors have.
    var weakPasswordReasons: [String] {
        self["weak_password"]?["reasons"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// Reads the elements of `{"name":[…]}`.
    ///
    /// - Throws: ``WireProblem`` if the member is not an array; errors of `read`.
    package static func list<Element>(
        _ name: String, of json: AuthJSON, _ read: (AuthJSON) throws(WireProblem) -> Element
    ) throws(WireProblem) -> [Element] {
        guard let list = json[name]?.arrayValue else { throw WireProblem("\(name): expected an array") }
        return try list.map(read)
    }

    /// A number in any form: `3600`, `3600.0` or `"3600"`; nil if absent or malformed.
    package func number(_ name: String) -> Double? {
        switch self[name] {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .string(let value): Double(value)
        default: nil
        }
    }

    /// A number in any form, with which ``Duration`` and ``Int`` can be computed; nil if absent or malformed.
    ///
    /// - Throws: ``WireProblem`` if it is outside the range, or no number.
    package func number(_ name: String, in range: ClosedRange<Double>) throws(WireProblem) -> Double? {
        guard let value = number(name) else { return nil }
        guard range.contains(value) else { throw WireProblem("\(path).\(name): out of range") }
        return value
    }

    /// Seconds of a lifetime: at most 136 years.
    package static var lifetimes: ClosedRange<Double> { 0...4_294_967_295 }
    /// Seconds since 1970, until the end of the year 9999.
    package static var times: ClosedRange<Double> { 0...253_402_300_799 }
}

extension Date {
    /// Parses an RFC 3339 timestamp with any offset and up to 9 fractional digits.
    package init?(wire text: String) {
        guard let instant = Instant(text) else { return nil }
        self.init(timeIntervalSince1970: Double(instant.microseconds) / 1_000_000)
    }

    /// Rounded to the microsecond.
    package var instant: Instant { Instant(microseconds: Int64((timeIntervalSince1970 * 1_000_000).rounded())) }

    /// The timestamp in UTC with `Z`, to the microsecond.
    package var wire: String { instant.description }
}
