package import GatehouseWire

/// Types as in RFC 7519 §4.1. An absent or null claim is nil or an empty array.
package struct ClaimReader: Sendable {
    /// The end of the year 9999, to avoid overflow.
    private static let lastSecond = 253_402_300_799.0

    private let members: AuthJSONObject

    package init(members: AuthJSONObject) { self.members = members }

    private func claim(_ name: String) -> AuthJSON? {
        guard let claim = members[name], !claim.isNull else { return nil }
        return claim
    }

    /// - Throws: ``TokenRejection/malformedClaim(_:)`` for another type, like the methods below.
    package func text(_ name: String) throws(TokenRejection) -> String? {
        guard let claim = claim(name) else { return nil }
        guard let text = claim.stringValue else { throw .malformedClaim(name) }
        return text
    }

    package func integer(_ name: String) throws(TokenRejection) -> Int64? {
        switch claim(name) {
        case nil: return nil
        case .integer(let number): return number
        default: throw .malformedClaim(name)
        }
    }

    /// A string or an array of strings (RFC 7519 §4.1.3).
    package func texts(_ name: String) throws(TokenRejection) -> [String] {
        guard let claim = claim(name) else { return [] }
        if let text = claim.stringValue { return [text] }
        guard let elements = claim.arrayValue else { throw .malformedClaim(name) }
        let texts = elements.compactMap(\.stringValue)
        guard texts.count == elements.count else { throw .malformedClaim(name) }
        return texts
    }

    /// The newest `timestamp` of these methods in `amr`. Ignores all but whole seconds before the year 10000: a hook
    /// may have written the claim.
    func newestProof(by methods: [String]) -> Instant? {
        (members["amr"]?.arrayValue ?? []).filter { entry in
            entry["method"]?.stringValue.map { methods.contains($0) } ?? false
        }
        .compactMap { $0["timestamp"]?.intValue }
        .filter { abs(Double($0)) <= Self.lastSecond }.max().map { Instant(seconds: $0) }
    }

    /// NumericDate, possibly with a fraction (RFC 7519 §2), up to the year 9999.
    package func time(_ name: String) throws(TokenRejection) -> Instant? {
        switch claim(name) {
        case nil: return nil
        case .integer(let seconds) where abs(Double(seconds)) <= Self.lastSecond: return Instant(seconds: seconds)
        case .double(let seconds) where abs(seconds) <= Self.lastSecond:
            return Instant(microseconds: Int64((seconds * 1_000_000).rounded(.down)))
        default: throw .malformedClaim(name)
        }
    }
}
