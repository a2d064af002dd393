import GatehouseWire

/// The encoding of a point of edwards25519 (RFC 8032 §5.1.2): y in 255 bits, little-endian, and the sign of x.
enum Ed25519Point {
    static let length = 32

    /// The y of the eight points whose order divides 8. Anyone can forge signatures for such a key.
    private static let smallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F, 0x2A, 0x20,
            0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5, 0xDF,
            0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
    ]

    /// Whether the bytes are as long as a point, y is below 2^255 - 19 (§5.1.3), and the order is not small. Whether they are
    /// a point at all shows at the first signature.
    static func isUsable(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == length else { return false }
        let y = Array(bytes.dropLast()) + [bytes[length - 1] & 0x7F]
        let isReduced = y[31] != 0x7F || y[0] < 0xED || !y[1..<31].allSatisfy { $0 == 0xFF }
        return isReduced && !smallOrder.contains(y)
    }
}
