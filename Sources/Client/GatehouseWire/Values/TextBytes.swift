import Foundation

/// In this package `==`, `!=`, `<`, `hasPrefix` and `hasSuffix` compare texts by UTF-8 bytes.
///
/// The standard library normalizes (UAX #15) in quadratic time: 80 kB can take seconds, uninterruptibly. It also
/// equates texts that other servers and the database distinguish.
///
/// Generic code still normalizes: `Set<String>`, dictionaries with `String` keys, `RawRepresentable`, `sorted()`.
/// There, use ``ExternalName`` for untrusted text.
extension String {
    @usableFromInline package static func == (left: String, right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        let isEqual = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                guard let first = left.baseAddress, let other = right.baseAddress else { return left.isEmpty }
                return memcmp(first, other, left.count) == 0
            }
        }
        return (isEqual ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }

    package static func != (left: String, right: String) -> Bool { !(left == right) }

    package static func < (left: String, right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }

    /// For `switch`.
    package static func ~= (pattern: String, text: String) -> Bool { pattern == text }

    package func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    package func hasSuffix(_ suffix: String) -> Bool { self[...].hasSuffix(suffix) }
}

extension StringProtocol {
    package static func == <Other: StringProtocol>(left: Self, right: Other) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    package static func != <Other: StringProtocol>(left: Self, right: Other) -> Bool {
        !left.utf8.elementsEqual(right.utf8)
    }

    package func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    package func hasSuffix(_ suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// Ignores combining marks after it.
    package func contains(ascii character: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: character)) }
}

// Not generic: overload resolution would be ambiguous.
extension Substring {
    package static func == (left: Substring, right: Substring) -> Bool { left.utf8.elementsEqual(right.utf8) }
    package static func == (left: Substring, right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
    package static func == (left: String, right: Substring) -> Bool { left.utf8.elementsEqual(right.utf8) }
    package static func != (left: Substring, right: Substring) -> Bool { !(left == right) }
    package static func != (left: Substring, right: String) -> Bool { !(left == right) }
    package static func != (left: String, right: Substring) -> Bool { !(left == right) }

    /// For `switch`.
    package static func ~= (pattern: String, text: Substring) -> Bool { text == pattern }
}

extension Substring {
    package func split(
        ascii separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        utf8.split(
            separator: UInt8(ascii: separator), maxSplits: maxSplits,
            omittingEmptySubsequences: omittingEmptySubsequences
        ).map(Substring.init)
    }
}

extension String {
    /// The first `length` code points; characters, as in `prefix`, are unbounded.
    package func cut(to length: Int) -> String {
        utf8.count <= length ? self : String(unicodeScalars.prefix(length))
    }

    package func split(
        ascii separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        self[...].split(
            ascii: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
    }
}

extension Optional where Wrapped == String {
    /// nil equals only nil.
    package static func == (left: String?, right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        default: false
        }
    }

    package static func != (left: String?, right: String?) -> Bool { !(left == right) }

    // With a literal, the library's generic operator would win.
    package static func == (left: String?, right: String) -> Bool { left.map { $0 == right } ?? false }
    package static func == (left: String, right: String?) -> Bool { right == left }
    package static func != (left: String?, right: String) -> Bool { !(left == right) }
    package static func != (left: String, right: String?) -> Bool { !(right == left) }

    /// For `switch`.
    package static func ~= (pattern: String, text: String?) -> Bool { text.map { $0 == pattern } ?? false }
}

extension Sequence<String> {
    @inlinable package func contains(_ text: String) -> Bool { contains { $0 == text } }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// `init(rawValue:)` would normalize, which a long text makes expensive.
    @inlinable package init?(text: String) {
        guard let found = Self.allCases.first(where: { $0.rawValue == text }) else { return nil }
        self = found
    }
}
