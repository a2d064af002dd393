import Foundation
import FuzzTargets
import Testing

/// The corpus in Tests/Fuzz/Corpus and random mutations of it; the same in every run.
@Suite("Hostile input to every parser")
struct CorpusTests {
    /// Rounds per target. GATEHOUSE_FUZZ_ROUNDS sets another number.
    private static let rounds =
        ProcessInfo.processInfo.environment["GATEHOUSE_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 2_000

    @Test("The corpus of every target holds no finding", arguments: FuzzTarget.allCases)
    func corpus(_ target: FuzzTarget) throws {
        let inputs = try Corpus.inputs(of: target)
        #expect(inputs.count >= 5)
        for (name, input) in inputs { #expect(throws: Never.self, "\(name)") { try target.run(input) } }
    }

    @Test("Random mutations of it hold none either", arguments: FuzzTarget.allCases)
    func changes(_ target: FuzzTarget) throws {
        let inputs = try Corpus.inputs(of: target).map(\.bytes)
        var changes = Changes(seed: 1)
        for round in 0..<Self.rounds {
            let input = changes.change(of: inputs)
            do {
                try target.run(input)
            } catch {
                Issue.record(error, "round \(round): \(String(decoding: input, as: UTF8.self))")
            }
        }
    }
}

private enum Corpus {
    /// In the order of their names.
    static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Corpus/\(target.rawValue)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.map { ($0, Array(try Data(contentsOf: folder.appending(path: $0)))) }
    }
}

/// Random mutations, from a seed.
private struct Changes {
    private var state: UInt64
    private static let tokens = [
        "\u{0}", "\\u0000", "\"", "{", "[", "\\", "%", "%00", ".", "://", "@", "::", "a\u{301}\u{323}", "\n", "\\.",
        "?", "9",
    ]

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    private mutating func next(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(max(limit, 1)))
    }

    /// With one to eight mutations.
    mutating func change(of inputs: [[UInt8]]) -> [UInt8] {
        var bytes = inputs[next(below: inputs.count)]
        for _ in 0...next(below: 8) {
            let place = next(below: bytes.count + 1)
            let end = min(bytes.count, place + (1 << next(below: 8)))
            switch next(below: 6) {
            case 0 where place < bytes.count: bytes[place] = UInt8(next(below: 256))
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes.insert(contentsOf: Array(Self.tokens[next(below: Self.tokens.count)].utf8), at: place)
            case 4:
                let other = inputs[next(below: inputs.count)]
                bytes = Array(bytes[..<place]) + other.dropFirst(next(below: other.count + 1))
            default: bytes.insert(UInt8(next(below: 256)), at: place)
            }
        }
        return bytes
    }
}
