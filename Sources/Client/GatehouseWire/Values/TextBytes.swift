import Foundation

/// In this package `==`, `!=`, `<`, `hasPrefix` and `hasSuffix` compare texts by their UTF-8 bytes.
///
/// The standard library compares texts in a normal form (UAX #15), which sorts the combining marks after a letter in
/// quadratic time: one text of 80 kB takes seconds, and a time limit cannot interrupt it. It also considers texts equal
/// that other servers and the database distinguish. These declarations take precedence over the library's if both sides
/// are texts.
///
/// Generic code still compares in the normal form: `Set<String>`, dictionaries with `String` keys, `RawRepresentable`,
/// `sorted()`. Use ``ExternalName`` there for external text. `Scripts/checks/check-text` finds such places.
extension String {
    /// Compares the UTF-8 bytes.
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

    /// Orders by the UTF-8 bytes.
    package static func < (left: String, right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }

    /// For `switch`.
    package static func ~= (pattern: String, text: String) -> Bool { pattern == text }

    /// Compares the UTF-8 bytes.
    package func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Compares the UTF-8 bytes.
    package func hasSuffix(_ suffix: String) -> Bool { self[...].hasSuffix(suffix) }
}

extension StringProtocol {
    /// Compares the UTF-8 bytes.
    package static func == <Other: StringProtocol>(left: Self, right: Other) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    package static func != <Other: StringProtocol>(left: Self, right: Other) -> Bool {
        !left.utf8.elementsEqual(right.utf8)
    }

    /// Compares the UTF-8 bytes.
    package func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Compares the UTF-8 bytes.
    package func hasSuffix(_ suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// Whether the text contains the ASCII character, whatever combining marks follow it.
    package func contains(ascii character: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: character)) }
}

// Not generic, because overload resolution would be ambiguous with the library's generic operators.
extension Substring {
    /// Compares the UTF-8 bytes.
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
    /// The parts between occurrences of the ASCII character's byte.
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
    /// The first `length` code points. `prefix` counts characters, whose length is unbounded.
    package func cut(to length: Int) -> String {
        utf8.count <= length ? self : String(unicodeScalars.prefix(length))
    }

    /// The parts between occurrences of the ASCII character's byte.
    package func split(
        ascii separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        self[...].split(
            ascii: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
    }
}

extension Optional where Wrapped == String {
    /// Compares the UTF-8 bytes. nil equals only nil.
    package static func == (left: String?, right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        default: false
        }
    }

    package static func != (left: String?, right: String?) -> Bool { !(left == right) }

    // With a literal the library's generic operator would take precedence over the two above.
    package static func == (left: String?, right: String) -> Bool { left.map { $0 == right } ?? false }
    package static func == (left: String, right: String?) -> Bool { right == left }
    package static func != (left: String?, right: String) -> Bool { !(left == right) }
    package static func != (left: String, right: String?) -> Bool { !(right == left) }

    /// For `switch`.
    package static func ~= (pattern: String, text: String?) -> Bool { text.map { $0 == pattern } ?? false }
}

extension Sequence<String> {
    /// Whether a text with the same UTF-8 bytes is in the sequence.
    @inlinable package func contains(_ text: String) -> Bool { contains { $0 == text } }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The case with this raw value. `init(rawValue:)` alone would compare in the normal form.
    @inlinable package init?(text: String) {
        guard let found = Self(rawValue: text), found.rawValue == text else { return nil }
        self = found
    }
}
