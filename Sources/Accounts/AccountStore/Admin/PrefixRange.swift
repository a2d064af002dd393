import GatehouseWire

/// Texts with a prefix, as a range in byte order.
struct PrefixRange: Equatable {
    /// The prefix, ASCII letters in lower case.
    let start: String
    /// The first text after the range; nil if none follows.
    let end: String?

    init(_ prefix: String) {
        start = prefix.withLowerASCII
        var scalars = start.unicodeScalars
        while let last = scalars.popLast() {
            guard let next = Self.successor(of: last) else { continue }
            scalars.append(next)
            end = String(scalars)
            return
        }
        end = nil
    }

    /// Skips the surrogates; nil after the last scalar.
    private static func successor(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        Unicode.Scalar(scalar.value == 0xD7FF ? 0xE000 : scalar.value + 1)
    }

    static func == (left: PrefixRange, right: PrefixRange) -> Bool {
        left.start == right.start && left.end == right.end
    }
}

extension String {
    /// Only `A` to `Z` change, as in both databases.
    var withLowerASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
