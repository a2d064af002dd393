import GatehouseWire

/// The texts that begin with a prefix, as a range of texts that are compared byte by byte.
struct PrefixRange: Equatable {
    /// The prefix with ASCII letters in lower case.
    let start: String
    /// The first text after those with the prefix; nil if no text comes after them.
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

    /// The next scalar in the order of UTF-8, which leaves out the surrogates; nil after the last one.
    private static func successor(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        Unicode.Scalar(scalar.value == 0xD7FF ? 0xE000 : scalar.value + 1)
    }

    static func == (left: PrefixRange, right: PrefixRange) -> Bool {
        left.start == right.start && left.end == right.end
    }
}

extension String {
    /// The text with `A` to `Z` in lower case, as both databases make it.
    var withLowerASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
