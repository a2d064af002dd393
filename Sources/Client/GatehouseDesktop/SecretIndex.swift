import Gatehouse

/// A key's file, which locates its value's parts and contains no secret.
///
/// One line: the version, a word, and the location.
enum SecretIndex: Hashable, Sendable {
    case value(SecretParts)
    /// The value is deleted. The next change deletes leftover items.
    case leaving

    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        switch (words.first, words.count) {
        case ("1", 2) where words[1] == "leaving": self = .leaving
        case ("1", 5):
            guard let slot = SecretParts.Slot(rawValue: String(words[1])), let count = Int(words[3]),
                let bytes = Int(words[4]), (1...SecretParts.largestCount).contains(count), bytes >= 0
            else { return nil }
            self = .value(SecretParts(slot: slot, generation: String(words[2]), count: count, bytes: bytes))
        default: return nil
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .leaving: Array("1 leaving".utf8)
        case .value(let parts):
            Array("1 \(parts.slot.rawValue) \(parts.generation) \(parts.count) \(parts.bytes)".utf8)
        }
    }
}

/// Each write clears and uses the other slot.
struct SecretParts: Hashable, Sendable {
    enum Slot: String, Sendable {
        case a, b

        var other: Slot { self == .a ? .b : .a }
    }

    var slot: Slot
    /// Hexadecimal and unique, so that parts of two values never mix.
    var generation: String
    var count: Int
    /// The value's length.
    var bytes: Int

    /// 8,000 characters of Base64URL, which fit in one item.
    static let largestPart = 6_000
    /// 384,000 bytes. Each part takes one run of the tool.
    static let largestCount = 64

    /// - Returns: nil if too large.
    static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
        guard bytes.count <= largestPart * largestCount else { return nil }
        if bytes.isEmpty { return [[]] }
        return stride(from: 0, to: bytes.count, by: largestPart).map {
            Array(bytes[$0..<min($0 + largestPart, bytes.count)])
        }
    }

    /// Never empty: an empty item looks like a missing one.
    static func text(_ part: [UInt8]) -> [UInt8] { [UInt8(ascii: ".")] + Base64URL.encode(part) }

    /// - Returns: nil if ``text(_:)`` did not produce the text. Ignores the tool's line feed.
    static func part(_ text: [UInt8]) -> [UInt8]? {
        var text = text[...]
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        guard text.first == UInt8(ascii: ".") else { return nil }
        return Base64URL.decode(text.dropFirst())
    }
}
