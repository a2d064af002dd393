import GatehouseWire

package enum CBORProblem: Error, Equatable, Sendable {
    case truncated
    /// After the item.
    case trailingBytes
    /// An indefinite length, a tag, a floating-point number, another simple value, or a reserved encoding.
    case unsupportedItem
    /// Beyond 64 bits with sign.
    case integerTooLarge
    case invalidText
    case unsupportedKey
    case duplicateKey
    case tooDeep
    case tooLong
}

/// CBOR (RFC 8949) as CTAP2 restricts it: definite lengths, no tags, no duplicate keys, no trailing bytes.
///
/// Accepts any order of keys and length of integers, which real authenticators vary. Signatures cover the bytes, so
/// another encoding changes no verdict.
package struct CBORReader {
    /// Bytes, longer than any ceremony response.
    package static let maximumLength = 65_536
    /// Nested maps and arrays. A compound attestation has five.
    package static let maximumDepth = 8

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) { (self.bytes, position) = (bytes, bytes.startIndex) }

    /// One item, which must use all bytes.
    package static func read(_ bytes: ArraySlice<UInt8>) throws(CBORProblem) -> CBORValue {
        let (value, rest) = try readPrefix(bytes)
        guard rest.isEmpty else { throw .trailingBytes }
        return value
    }

    /// - Returns: The first item and the bytes after it.
    package static func readPrefix(
        _ bytes: ArraySlice<UInt8>
    ) throws(CBORProblem) -> (value: CBORValue, rest: ArraySlice<UInt8>) {
        guard bytes.count <= maximumLength else { throw .tooLong }
        var reader = CBORReader(bytes)
        let value = try reader.item(depth: 0)
        return (value, bytes[reader.position...])
    }

    private mutating func item(depth: Int) throws(CBORProblem) -> CBORValue {
        let first = try byte()
        guard first >> 5 != 7 else {
            switch first {
            case 0xF4: return .bool(false)
            case 0xF5: return .bool(true)
            case 0xF6: return .null
            default: throw .unsupportedItem
            }
        }
        let argument = try argument(first & 0x1F)
        switch first >> 5 {
        case 0: return .integer(try signed(argument))
        case 1: return .integer(-1 - (try signed(argument)))
        case 2: return .bytes(Array(try take(argument)))
        case 3: return .text(try text(argument))
        case 4: return .array(try array(argument, depth: depth + 1))
        case 5: return .map(try map(argument, depth: depth + 1))
        default: throw .unsupportedItem
        }
    }

    private mutating func byte() throws(CBORProblem) -> UInt8 {
        guard position < bytes.endIndex else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func argument(_ information: UInt8) throws(CBORProblem) -> UInt64 {
        guard information >= 24 else { return UInt64(information) }
        // 28 to 30 are reserved, 31 is an indefinite length.
        guard information <= 27 else { throw .unsupportedItem }
        var value: UInt64 = 0
        for _ in 0..<(1 << (information - 24)) { value = value << 8 | UInt64(try byte()) }
        return value
    }

    private func signed(_ argument: UInt64) throws(CBORProblem) -> Int64 {
        guard let value = Int64(exactly: argument) else { throw .integerTooLarge }
        return value
    }

    private mutating func take(_ count: UInt64) throws(CBORProblem) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.endIndex - position) else { throw .truncated }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }

    private mutating func text(_ count: UInt64) throws(CBORProblem) -> ExternalName {
        guard let text = String(validating: try take(count), as: UTF8.self) else { throw .invalidText }
        return ExternalName(trusted: text)
    }

    /// - Throws: ``CBORProblem/truncated`` before reserving memory for elements that the bytes cannot hold.
    private func check(_ count: UInt64, bytesEach: Int, depth: Int) throws(CBORProblem) -> Int {
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        guard count <= UInt64((bytes.endIndex - position) / bytesEach) else { throw .truncated }
        return Int(count)
    }

    private mutating func array(_ count: UInt64, depth: Int) throws(CBORProblem) -> [CBORValue] {
        var elements: [CBORValue] = []
        for _ in 0..<(try check(count, bytesEach: 1, depth: depth)) { elements.append(try item(depth: depth)) }
        return elements
    }

    private mutating func map(_ count: UInt64, depth: Int) throws(CBORProblem) -> CBORMap {
        var map = CBORMap()
        for _ in 0..<(try check(count, bytesEach: 2, depth: depth)) {
            let key: CBORMap.Key
            switch try item(depth: depth) {
            case .integer(let label): key = .integer(label)
            case .text(let name): key = .text(name)
            default: throw .unsupportedKey
            }
            guard map.insert(try item(depth: depth), for: key) else { throw .duplicateKey }
        }
        return map
    }
}
