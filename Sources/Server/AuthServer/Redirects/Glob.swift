import GatehouseWire

/// A glob for one part of a [redirect URL](https://supabase.com/docs/guides/auth/redirect-urls): `*` matches a run of
/// characters, `**` a run with delimiters, `?` one character, `[a-z]` and `[!a-z]` one of a class. `*`, `?` and `[!…]`
/// never match a delimiter: `. / ? # @ : \`.
struct Glob: Sendable {
    private enum Part: Sendable {
        case character(UInt8)
        case any
        case run(crossesDelimiters: Bool)
        case oneOf([ClosedRange<UInt8>], isNegated: Bool)
    }

    private let parts: [Part]

    /// nil for a class without `]`.
    init?(_ text: some Sequence<UInt8>) {
        var parts: [Part] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"):
                let crosses = rest.first == byte
                if crosses { rest.removeFirst() }
                parts.append(.run(crossesDelimiters: crosses))
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

    init(literal text: some Sequence<UInt8>) { parts = text.map(Part.character) }

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

    /// Takes time proportional to the product of both lengths.
    func matches(_ text: some Sequence<UInt8>) -> Bool {
        // `open[n]`: the text so far matches the first n parts.
        var open = [Bool](repeating: false, count: parts.count + 1)
        open[0] = true
        skipRuns(&open)
        for byte in text {
            var next = [Bool](repeating: false, count: parts.count + 1)
            var isStuck = true
            for position in parts.indices where open[position] {
                guard let step = step(at: position, byte) else { continue }
                next[position + step] = true
                isStuck = false
            }
            if isStuck { return false }
            skipRuns(&next)
            open = next
        }
        return open[parts.count]
    }

    /// The number of parts that this byte advances; nil for a mismatch.
    private func step(at position: Int, _ byte: UInt8) -> Int? {
        switch parts[position] {
        case .character(let wanted): byte == wanted ? 1 : nil
        case .any: Self.delimits(byte) ? nil : 1
        case .run(let crosses): crosses || !Self.delimits(byte) ? 0 : nil
        case .oneOf(let ranges, let isNegated):
            ranges.contains { $0.contains(byte) } != isNegated && !(isNegated && Self.delimits(byte)) ? 1 : nil
        }
    }

    private static func delimits(_ byte: UInt8) -> Bool { "./?#@:\\".utf8.contains(byte) }

    /// A run may match nothing.
    private func skipRuns(_ open: inout [Bool]) {
        for position in parts.indices where open[position] {
            if case .run = parts[position] { open[position + 1] = true }
        }
    }
}
