import GatehouseWire
import Synchronization

/// Deterministic (SplitMix64). Never for secrets.
final class SeededBytes: Sendable {
    private let state: Mutex<UInt64>

    init(seed: UInt64, number: Int) {
        let start = Self.mixed(seed &+ 0x9E37_79B9_7F4A_7C15) ^ Self.mixed(UInt64(bitPattern: Int64(number)))
        state = Mutex(Self.mixed(start))
    }

    func next(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count { withUnsafeBytes(of: word().littleEndian) { bytes.append(contentsOf: $0) } }
        return Array(bytes.prefix(count))
    }

    /// Excludes `limit`.
    func below(_ limit: Int) -> Int { Int(word() >> 1) % limit }

    private func word() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            return Self.mixed(state)
        }
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// Syllables, with the length of real names.
struct SeededName {
    let first: String
    let full: String

    private static let starts = ["Ba", "Chi", "De", "Fa", "Go", "Ha", "I", "Jo", "Ka", "Lu", "Ma", "No", "Ra", "Se"]
    private static let middles = ["la", "mi", "no", "ra", "ri", "sho", "ta", "ve"]
    private static let ends = ["n", "ne", "s", "ko", "ra", "ld", "mé", "lia"]

    init(_ bytes: SeededBytes) {
        func word() -> String {
            Self.starts[bytes.below(Self.starts.count)] + Self.middles[bytes.below(Self.middles.count)]
                + Self.ends[bytes.below(Self.ends.count)]
        }
        first = word()
        full = "\(first) \(word())"
    }
}
