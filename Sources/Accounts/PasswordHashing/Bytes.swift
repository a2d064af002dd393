import GatehouseWire

extension [UInt8] {
    /// The time depends only on the lengths.
    func matchesInConstantTime(_ other: some Collection<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Does not affect earlier copies.
    mutating func erase() {
        withUnsafeMutableBytes { PasswordHashing.erase($0) }
    }
}

extension StringProtocol {
    /// Without sign and leading zeros, as in the PHC string format.
    var plainDecimal: Int? {
        guard utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), !hasPrefix("0") || self == "0" else {
            return nil
        }
        return Int(self)
    }
}
