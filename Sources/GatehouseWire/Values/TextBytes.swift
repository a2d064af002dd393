import Foundation

/// In this package `==`, `!=`, `<`, `hasPrefix` and `hasSuffix` compare texts by their UTF-8 bytes.
///
/// The standard library compares texts in a normal form (UAX #15). That orders the combining marks after a letter,
/// which costs time that grows with the square of their number: one text of 80 kB takes seconds, and a time limit
/// cannot interrupt it. It also calls texts equal that other servers and the database keep apart. These declarations
/// stand in front of the library's wherever both sides are texts.
///
/// Generic code still compares in the normal form: `Set<String>`, a dictionary with `String` keys, `RawRepresentable`,
/// `sorted()`. What comes from outside goes there as an ``ExternalName``. `Scripts/check-text` finds such places.
extension String {
    package static func == (left: String, right: String) -> Bool {
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

    /// Whether the ASCII character is in the text, whatever marks follow it.
    package func contains(ascii character: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: character)) }
}

// Not generic: the library's own would be as good a choice.
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
    /// The parts between the bytes that are this ASCII character.
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
    /// At most this many code points from the front. `prefix` counts characters, which have no longest length.
    package func cut(to length: Int) -> String { String(unicodeScalars.prefix(length)) }

    /// The parts between the bytes that are this ASCII character.
    package func split(
        ascii separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        self[...].split(
            ascii: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
    }
}

extension Optional where Wrapped == String {
    package static func == (left: String?, right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        default: false
        }
    }

    package static func != (left: String?, right: String?) -> Bool { !(left == right) }

    // Against a literal the library's generic operator would come before the two above.
    package static func == (left: String?, right: String) -> Bool { left.map { $0 == right } ?? false }
    package static func == (left: String, right: String?) -> Bool { right == left }
    package static func != (left: String?, right: String) -> Bool { !(left == right) }
    package static func != (left: String, right: String?) -> Bool { !(right == left) }

    /// For `switch`.
    package static func ~= (pattern: String, text: String?) -> Bool { text.map { $0 == pattern } ?? false }
}

extension Sequence<String> {
    package func contains(_ text: String) -> Bool { contains { $0 == text } }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The case with this raw value; `init(rawValue:)` compares in the normal form.
    package init?(text: String) {
        guard let found = Self.allCases.first(where: { $0.rawValue == text }) else { return nil }
        self = found
    }
}
