import GatehouseWire

extension [UInt8] {
    /// Compares in a time that depends on the lengths alone.
    func matchesInConstantTime(_ other: some Collection<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Overwrites the bytes with zeros. Copies made earlier stay as they are.
    mutating func erase() {
        withUnsafeMutableBytes { PasswordHashing.erase($0) }
    }
}

extension StringProtocol {
    /// A decimal number without sign and without leading zeros, as the PHC string format writes them.
    var plainDecimal: Int? {
        guard utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), !hasPrefix("0") || self == "0" else {
            return nil
        }
        return Int(self)
    }
}
