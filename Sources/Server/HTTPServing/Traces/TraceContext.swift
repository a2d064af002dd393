package import GatehouseWire

/// A span's identity in the headers of [W3C Trace Context, level 1](https://www.w3.org/TR/trace-context-1/).
package struct TraceContext: Hashable, Sendable {
    package let trace: TraceID
    package let span: SpanID
    package let isSampled: Bool
    /// The other systems' `tracestate`, unchanged; nil without a valid one.
    package let state: String?

    init(trace: TraceID, span: SpanID, isSampled: Bool, state: String?) {
        (self.trace, self.span, self.isSampled, self.state) = (trace, span, isSampled, state)
    }

    /// Later versions may append to it.
    static let maximumBytes = 256
    private static let dash = UInt8(ascii: "-")

    /// - Returns: nil for a malformed `traceparent` (§3.2). A malformed `tracestate` is only dropped (§3.3).
    package init?(traceparent text: String, tracestate: [String] = []) {
        guard (55...Self.maximumBytes).contains(text.utf8.count) else { return nil }
        let bytes = Array(text.utf8)
        guard let version = Self.number(bytes[0..<2]), version != 0xFF,
            bytes.count == 55 || (version > 0 && bytes[55] == Self.dash),
            [2, 35, 52].allSatisfy({ bytes[$0] == Self.dash }),
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]), high | low != 0,
            let span = Self.number(bytes[36..<52]), span != 0, let flags = Self.number(bytes[53..<55])
        else { return nil }
        self.init(
            trace: TraceID(high: high, low: low), span: SpanID(number: span), isSampled: flags & 1 == 1,
            state: TraceState.checked(tracestate))
    }

    /// In lower case only.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            guard !(0x41...0x5A).contains(digit), let value = digit.hexadecimalValue else { return nil }
            number = number << 4 | UInt64(value)
        }
        return number
    }

    package var traceparent: String { "00-\(trace.text)-\(span.text)-\(isSampled ? "01" : "00")" }

    /// For a call to the operator's own services.
    package var headers: [String: String] {
        var headers = ["traceparent": traceparent]
        if let state { headers["tracestate"] = state }
        return headers
    }
}

package struct TraceID: Hashable, Sendable {
    let high, low: UInt64

    /// 32 lower-case hexadecimal digits.
    package var text: String { high.digits + low.digits }
}

package struct SpanID: Hashable, Sendable {
    let number: UInt64

    /// 16 lower-case hexadecimal digits.
    package var text: String { number.digits }
}

extension UInt64 {
    fileprivate var digits: String { withUnsafeBytes(of: bigEndian) { $0.hexadecimal } }
}

/// Level 1, §3.3.
enum TraceState {
    static let maximumBytes = 512
    private static let maximumMembers = 32

    /// - Parameter lines: Of repeated fields, in order.
    /// - Returns: One line; nil without members, for a malformed or repeated one, or beyond a limit.
    static func checked(_ lines: [String]) -> String? {
        guard lines.reduce(0, { $0 + $1.utf8.count + 1 }) <= maximumBytes + 1 else { return nil }
        let text = lines.joined(separator: ",")
        let members = text.utf8.split(separator: UInt8(ascii: ",")).map(trimmed).filter { !$0.isEmpty }
        guard (1...maximumMembers).contains(members.count), members.allSatisfy(isMember) else { return nil }
        let keys = Set<[UInt8]>(members.map { Array($0.prefix { $0 != UInt8(ascii: "=") }) })
        return keys.count == members.count ? text : nil
    }

    private static func trimmed(_ member: Substring.UTF8View) -> ArraySlice<UInt8> {
        var rest = ArraySlice(member)
        while let first = rest.first, [0x20, 0x09].contains(first) { rest.removeFirst() }
        while let last = rest.last, [0x20, 0x09].contains(last) { rest.removeLast() }
        return rest
    }

    private static func isMember(_ member: ArraySlice<UInt8>) -> Bool {
        guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return false }
        let value = member[(equals + 1)...]
        return isKey(member[..<equals]) && (1...256).contains(value.count) && value.last != 0x20
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }

    private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
        let parts = key.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { $0.allSatisfy { $0.isLowerAlphanumeric || "_-*/".utf8.contains($0) } }
        guard isPlain, let first = parts[0].first else { return false }
        switch parts.count {
        case 1: return !first.isDigit && first.isLetter && parts[0].count <= 256
        case 2:
            guard let system = parts[1].first else { return false }
            return first.isAlphanumeric && parts[0].count <= 241 && system.isLetter && parts[1].count <= 14
        default: return false
        }
    }
}
