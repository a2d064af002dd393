import GatehouseWire
import Testing

@Suite("JSON round trips")
struct JSONRoundTripTests {
    @Test(
        "Every written value reads back as itself, and writes the same bytes",
        arguments: 0..<40 as Range<UInt64>)
    func roundTrip(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for _ in 0..<50 {
            let value = AuthJSON.random(&random, depth: 5)
            let read = try JSONReader.read(value.text)
            #expect(read == value)
            // `==` on text equates composed and decomposed letters.
            #expect(Array(read.text.utf8) == Array(value.text.utf8))
        }
    }

    @Test("Damaged text is refused or read, and a read value can be written", arguments: 0..<20 as Range<UInt64>)
    func damaged(_ seed: UInt64) {
        var random = SplitMix(seed: seed &+ 1_000)
        for _ in 0..<100 {
            var bytes = Array(AuthJSON.random(&random, depth: 4).text.utf8)
            for _ in 0...Int.random(in: 0..<3, using: &random) where !bytes.isEmpty {
                let position = bytes.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: position)
                default: bytes.insert(Array(#"{}[]",:\u0"#.utf8).randomElement(using: &random) ?? 0, at: position)
                }
            }
            guard let value = read(bytes) else { continue }
            #expect(read(Array(value.text.utf8)) == value)
        }
    }

    /// Named: a failure must not print a megabyte.
    private static let texts: [String: String] = [
        "numbers": "[0" + String(repeating: ",0", count: 1 << 19) + "]",
        "blanks": "[" + String(repeating: " ", count: 1 << 20) + "1]",
        "deep arrays": "[0" + String(repeating: "," + brackets, count: (1 << 20) / 199) + "]",
        "objects": "[{}" + String(repeating: #",{"a":{"b":null}}"#, count: 1 << 16) + "]",
        "members": #"{"":0"# + (0..<70_000).map { #","member\#($0)":\#($0)"# }.joined() + "}",
        "plain text": "\"" + String(repeating: "ä", count: 1 << 19) + "\"",
        "escapes": "\"" + String(repeating: #"\u00e4\n"#, count: 1 << 17) + "\"",
        "a fraction": "0." + String(repeating: "1", count: 1 << 20),
        "an exponent": "1e-" + String(repeating: "0", count: 1 << 20) + "1",
    ]

    @Test(
        "A megabyte is read in one pass, whatever its content", .timeLimit(.minutes(5)), arguments: texts.keys.sorted())
    func large(_ name: String) throws {
        let value = try JSONReader.read(try #require(Self.texts[name]))
        let isSame = try JSONReader.read(value.text) == value
        #expect(isSame)
    }

    private static let brackets = String(repeating: "[", count: 99) + String(repeating: "]", count: 99)

    private func read(_ bytes: [UInt8]) -> AuthJSON? {
        // Ignored: only the refusal matters here.
        try? JSONReader.read(bytes)
    }
}

extension AuthJSON {
    fileprivate static func random(_ random: inout SplitMix, depth: Int) -> AuthJSON {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case 3:
            let value = Double(bitPattern: random.next())
            return .double(value.isFinite ? value : 0.1)
        case 4: return .double(Double(Int.random(in: -1_000...1_000, using: &random)) / 8)
        case 5: return .string(text(&random))
        case 6, 7:
            let count = Int.random(in: 0..<5, using: &random)
            return .array((0..<count).map { _ in .random(&random, depth: depth - 1) })
        default:
            var members: AuthJSONObject = [:]
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                members[text(&random)] = .random(&random, depth: depth - 1)
            }
            return .object(members)
        }
    }

    /// Without U+0000, with many characters to escape.
    private static func text(_ random: inout SplitMix) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            let limit: UInt32 = random.isOneIn(2) ? 0x80 : random.isOneIn(2) ? 0x3000 : 0x11_0000
            if let scalar = Unicode.Scalar(UInt32.random(in: 1..<limit, using: &random)) { text.append(scalar) }
        }
        return String(text)
    }
}
