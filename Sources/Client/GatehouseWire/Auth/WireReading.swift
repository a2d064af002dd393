package import Foundation

/// An unreadable response. Names members, never their values.
public struct WireProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// For example `user.id: expected a UUID`.
    public let description: String

    /// Creates a problem. `description` must not contain values.
    public init(_ description: String) { self.description = description }
}

/// Lenient: null is absent, unknown members are ignored, wrong types matter only in required members.
package struct WireMembers {
    private let members: AuthJSONObject
    private let path: String

    /// - Parameter path: The object's name in problems.
    package init(_ json: AuthJSON, path: String) throws(WireProblem) {
        guard let members = json.objectValue else { throw WireProblem("\(path): expected an object") }
        self.members = members
        self.path = path
    }

    /// nil if absent or null.
    package subscript(name: String) -> AuthJSON? {
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

    /// nil if empty: the API sends `""` for a missing address.
    package func text(_ name: String) -> String? {
        guard let value = self[name]?.stringValue, !value.isEmpty else { return nil }
        return value
    }

    package func object(_ name: String) -> AuthJSONObject { self[name]?.objectValue ?? [:] }
    /// false if absent.
    package func bool(_ name: String) -> Bool { self[name]?.boolValue ?? false }
    /// nil if absent or malformed.
    package func date(_ name: String) -> Date? { self[name]?.stringValue.flatMap(Date.init(wire:)) }

    package func requiredDate(_ name: String) throws(WireProblem) -> Date {
        guard let date = date(name) else { throw WireProblem("\(path).\(name): expected a timestamp") }
        return date
    }

    var weakPasswordReasons: [String] {
        self["weak_password"]?["reasons"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// Reads `{"name":[…]}`.
    package static func list<Element>(
        _ name: String, of json: AuthJSON, _ read: (AuthJSON) throws(WireProblem) -> Element
    ) throws(WireProblem) -> [Element] {
        guard let list = json[name]?.arrayValue else { throw WireProblem("\(name): expected an array") }
        return try list.map(read)
    }

    /// Reads `3600`, `3600.0` or `"3600"`.
    package func number(_ name: String) -> Double? {
        switch self[name] {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .string(let value): Double(value)
        default: nil
        }
    }

    /// Limits a number, for safe use as ``Duration`` or ``Int``.
    package func number(_ name: String, in range: ClosedRange<Double>) throws(WireProblem) -> Double? {
        guard let value = number(name) else { return nil }
        guard range.contains(value) else { throw WireProblem("\(path).\(name): out of range") }
        return value
    }

    /// In seconds: at most 136 years.
    package static var lifetimes: ClosedRange<Double> { 0...4_294_967_295 }
    /// In seconds since 1970, to the year 9999.
    package static var times: ClosedRange<Double> { 0...253_402_300_799 }
}

extension Date {
    /// RFC 3339 with any offset, up to 9 fractional digits.
    package init?(wire text: String) {
        guard let instant = Instant(text) else { return nil }
        self.init(timeIntervalSince1970: Double(instant.microseconds) / 1_000_000)
    }

    package var instant: Instant { Instant(microseconds: Int64((timeIntervalSince1970 * 1_000_000).rounded())) }

    package var wire: String { instant.description }
}
