import GatehouseWire

/// A pattern of the redirect list (wire contract 1.6). `.` and `/` separate: `*` is a run of anything else, `**` a run
/// of anything at all, `?` one character that separates nothing, `[a-z]` and `[!a-z]` one of a class.
struct Glob: Sendable {
    private enum Part: Sendable {
        case character(UInt8)
        case any
        case run(crossesSeparators: Bool)
        case oneOf([ClosedRange<UInt8>], isNegated: Bool)
    }

    private let parts: [Part]

    /// The most patterns that one entry's braces may stand for.
    private static let mostAlternatives = 64

    /// The patterns of one entry: `{a,b}` stands for two. An entry that cannot be read matches nothing.
    static func alternatives(_ entry: String) -> [Glob] {
        var open = [Array(entry.utf8)]
        var done: [Glob] = []
        while let text = open.popLast() {
            guard open.count + done.count <= mostAlternatives else { return [] }
            guard let start = text.firstIndex(of: UInt8(ascii: "{")) else {
                guard let glob = Glob(text) else { return [] }
                done.append(glob)
                continue
            }
            guard let end = text[start...].firstIndex(of: UInt8(ascii: "}")) else { return [] }
            let choices = text[(start + 1)..<end].split(
                separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            open += choices.map { Array(text[..<start]) + $0 + text[(end + 1)...] }
        }
        return done
    }

    private init?(_ text: [UInt8]) {
        var parts: [Part] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"):
                let crosses = rest.first == byte
                if crosses { rest.removeFirst() }
                parts.append(.run(crossesSeparators: crosses))
            case UInt8(ascii: "?"): parts.append(.any)
            case UInt8(ascii: "["):
                guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
                parts.append(Self.oneOf(rest[..<end]))
                rest = rest[(end + 1)...]
            default: parts.append(.character(byte))
            }
        }
        self.parts = parts
    }

    private static func oneOf(_ text: ArraySlice<UInt8>) -> Part {
        let isNegated = text.first == UInt8(ascii: "!")
        var rest = isNegated ? text.dropFirst() : text
        var ranges: [ClosedRange<UInt8>] = []
        while let low = rest.popFirst() {
            if rest.first == UInt8(ascii: "-"), let high = rest.dropFirst().first, high >= low {
                ranges.append(low...high)
                rest = rest.dropFirst(2)
            } else {
                ranges.append(low...low)
            }
        }
        return .oneOf(ranges, isNegated: isNegated)
    }

    /// In time that grows with the product of both lengths, whatever the pattern.
    func matches(_ text: String) -> Bool {
        // The parts before which a match of the text so far can stand.
        var positions = Self.skippingRuns([0], parts)
        for byte in text.utf8 {
            var next: Set<Int> = []
            for position in positions where position < parts.count {
                switch parts[position] {
                case .character(let wanted): if byte == wanted { next.insert(position + 1) }
                case .any: if !Self.separates(byte) { next.insert(position + 1) }
                case .run(let crosses): if crosses || !Self.separates(byte) { next.insert(position) }
                case .oneOf(let ranges, let isNegated):
                    if ranges.contains(where: { $0.contains(byte) }) != isNegated { next.insert(position + 1) }
                }
            }
            positions = Self.skippingRuns(next, parts)
            if positions.isEmpty { return false }
        }
        return positions.contains(parts.count)
    }

    private static func separates(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/") }

    private static func skippingRuns(_ positions: Set<Int>, _ parts: [Part]) -> Set<Int> {
        var all = positions
        for start in positions {
            var position = start
            while position < parts.count, case .run = parts[position] {
                position += 1
                all.insert(position)
            }
        }
        return all
    }
}
