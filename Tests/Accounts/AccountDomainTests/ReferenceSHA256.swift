/// FIPS 180-4, to forge a token's checksum as an attacker would.
enum ReferenceSHA256 {
    /// The first 64 primes.
    private static let primes = (2...311).filter { number in
        !(2..<number).contains { number % $0 == 0 }
    }.map(Double.init)

    private static func fraction(_ value: Double) -> UInt32 {
        UInt32((value - value.rounded(.down)) * 4_294_967_296)
    }

    private static let constants = primes.map { fraction(cubeRoot($0)) }
    private static let start = primes.prefix(8).map { fraction($0.squareRoot()) }

    private static func cubeRoot(_ value: Double) -> Double {
        var root = value / 2
        for _ in 0..<60 { root -= (root * root * root - value) / (3 * root * root) }
        return root
    }

    private static func rotated(_ value: UInt32, _ count: UInt32) -> UInt32 { value >> count | value << (32 - count) }

    static func hash(_ message: [UInt8]) -> [UInt8] {
        let bits = UInt64(message.count) * 8
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        padded += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
        var state = Array(start)
        for block in stride(from: 0, to: padded.count, by: 64) { mix(padded[block..<(block + 64)], into: &state) }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { position in
            block[position..<(position + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (late, early) = (words[index - 2], words[index - 15])
            let first = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
            let second = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var now = state
        for index in 0..<64 {
            let choice = now[4] & now[5] ^ ~now[4] & now[6]
            let majority = now[0] & now[1] ^ now[0] & now[2] ^ now[1] & now[2]
            let high = rotated(now[4], 6) ^ rotated(now[4], 11) ^ rotated(now[4], 25)
            let low = rotated(now[0], 2) ^ rotated(now[0], 13) ^ rotated(now[0], 22)
            let one = now[7] &+ high &+ choice &+ constants[index] &+ words[index]
            now = [one &+ low &+ majority] + now[0..<3] + [now[3] &+ one] + now[4..<7]
        }
        for index in 0..<8 { state[index] &+= now[index] }
    }
}
