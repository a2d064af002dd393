import AccountDomain
import GatehouseWire

/// A search's text, by its form.
///
/// - A whole ID: of an account, a session or an identity, or a request that ended sessions.
/// - Eight or more of an account ID's first hexadecimal digits.
/// - At least four digits: a number's beginning or its end, in any notation.
/// - A single word: as well a provider's ID of a user, a request's ID, the beginning of an address, and of what follows
///   a separator in it.
/// - Words: the beginnings of names, in any order.
struct SearchText: Sendable {
    let text: String
    /// The address to begin with; nil for several words.
    let address: PrefixRange?
    let query: SearchQuery?

    init(_ text: String) {
        let bytes = text.utf8
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !isBlank($0) }.map(bytes.index(after:)) ?? bytes.endIndex
        self.text = start < end ? String(decoding: bytes[start..<end], as: UTF8.self) : ""
        address = self.text.utf8.contains(where: isBlank) || self.text.isEmpty ? nil : PrefixRange(self.text)
        query = SearchQuery(self.text)
    }

    var id: UserID? { UserID(text) }

    /// The first and the last ID that begin with the text.
    var ids: (first: UserID, last: UserID)? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        let isHexadecimal = digits.allSatisfy { $0.isDigit || (0x61...0x66).contains($0 | 0x20) }
        guard address != nil, (8..<32).contains(digits.count), isHexadecimal else { return nil }
        func padded(_ digit: UInt8) -> UserID? {
            let all = digits + Array(repeating: digit, count: 32 - digits.count)
            let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: all[$0], as: UTF8.self) }
            return UserID(parts.joined(separator: "-"))
        }
        guard let first = padded(UInt8(ascii: "0")), let last = padded(UInt8(ascii: "f")) else { return nil }
        return (first, last)
    }

    /// An ID that is compared as a whole.
    var handle: String? { address == nil ? nil : text }

    /// Of a number in any notation: its beginning, and what could be its end. Empty for another text.
    var numbers: (beginning: PrefixRange?, endings: [PrefixRange]) {
        var digits = Array(text.utf8)
        let hasPlus = digits.first == UInt8(ascii: "+")
        // As in +49 (0)151: only for calls inside the country.
        if let zero = digits.firstRange(of: Array("(0)".utf8)), zero.lowerBound > 0 { digits.removeSubrange(zero) }
        digits = digits.drop { $0 == UInt8(ascii: "+") }.filter { !" -()./".utf8.contains($0) }
        guard (4...17).contains(digits.count), digits.allSatisfy(\.isDigit) else { return (nil, []) }
        let withoutZeros = digits.drop { $0 == UInt8(ascii: "0") }
        let zeros = digits.count - withoutZeros.count
        let isBeginning = (zeros == 0 || zeros == 2 && !hasPlus) && withoutZeros.count >= 4
        let endings = zeros == 0 ? [digits] : [digits, Array(withoutZeros)]
        return (
            isBeginning ? PrefixRange(String(decoding: withoutZeros, as: UTF8.self)) : nil,
            hasPlus
                ? []
                : endings.filter { $0.count >= 4 }.map {
                    PrefixRange(SearchTerms.ending(String(decoding: $0, as: UTF8.self)))
                }
        )
    }
}

/// The prefixes to find among the terms.
struct SearchQuery: Sendable {
    /// Folded; the part of an address, or a name's words.
    let terms: [PrefixRange]
    /// The first two words as a pair.
    let pair: PrefixRange?

    private static let mostWords = 6

    /// nil for a text without letters and digits.
    init?(_ text: String) {
        if let part = SearchTerms.part(text) {
            (terms, pair) = ([PrefixRange(part)], nil)
            return
        }
        var words: [String] = []
        for word in SearchTerms.words(text) where words.count < Self.mostWords {
            if !words.contains(where: { $0 == word }) { words.append(word) }
        }
        if words.isEmpty { return nil }
        terms = words.map(PrefixRange.init)
        pair = words.count > 1 ? PrefixRange(SearchTerms.pair(words[0], words[1])) : nil
    }

    /// The range that a search walks; the others filter it.
    enum Driver: Sendable {
        case pair
        case term(Int)

        /// For a cursor.
        var number: UInt8 {
            switch self {
            case .pair: 255
            case .term(let index): UInt8(index)
            }
        }
    }

    func driver(_ number: UInt8) -> Driver? {
        if number == 255 { return pair.map { _ in .pair } }
        return terms.indices.contains(Int(number)) ? .term(Int(number)) : nil
    }

    func range(_ driver: Driver) -> PrefixRange {
        switch driver {
        case .pair: pair ?? terms[0]
        case .term(let index): terms[index]
        }
    }

    func others(_ driver: Driver) -> [PrefixRange] {
        switch driver {
        case .pair: Array(terms.dropFirst(2))
        case .term(let index): terms.indices.filter { $0 != index }.map { terms[$0] }
        }
    }
}
