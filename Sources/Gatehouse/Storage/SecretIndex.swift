/// Says what of a key lies in the secret service, in a file beside it. Holds no secret.
///
/// One line: the version, a word, and for a value where its parts are.
enum SecretIndex: Hashable, Sendable {
    case value(SecretParts)
    /// The value is gone for every reader; items may be left, which the next change removes.
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

/// Where the parts of one value are. A value is written to the slot that is not in use, and what an earlier crash
/// left in that slot goes first: so nothing is left behind for long.
struct SecretParts: Hashable, Sendable {
    enum Slot: String, Sendable {
        case a, b

        var other: Slot { self == .a ? .b : .a }
    }

    var slot: Slot
    /// Another one for every write, as hexadecimal digits: parts of two values never mix.
    var generation: String
    var count: Int
    /// Of the value.
    var bytes: Int

    /// 6,000 bytes are 8,000 characters of base64url, which fit into one item of the secret service.
    static let largestPart = 6_000
    /// 384,000 bytes: each part is a program's run.
    static let largestCount = 64

    /// - Returns: nil for a value that is too large.
    static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
        guard bytes.count <= largestPart * largestCount else { return nil }
        if bytes.isEmpty { return [[]] }
        return stride(from: 0, to: bytes.count, by: largestPart).map {
            Array(bytes[$0..<min($0 + largestPart, bytes.count)])
        }
    }

    /// What an item holds: never empty, because "empty" and "nothing" look alike.
    static func text(_ part: [UInt8]) -> [UInt8] { [UInt8(ascii: ".")] + Base64URL.encode(part) }

    /// - Returns: nil for what ``text(_:)`` did not make. A line's end that a tool adds is no part of it.
    static func part(_ text: [UInt8]) -> [UInt8]? {
        var text = text[...]
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        guard text.first == UInt8(ascii: ".") else { return nil }
        return Base64URL.decode(text.dropFirst())
    }
}
