import Crypto
import GatehouseWire

/// Whom a stand-in stands in for.
package enum Company: String, Sendable {
    case apple
    case google

    /// As people know it.
    var name: String {
        switch self {
        case .apple: "Apple"
        case .google: "Google"
        }
    }

    /// Where its stand-in is mounted.
    var path: String { "/dev/" + rawValue }
}

extension Company {
    /// The same person has the same subject after every start, and another one at the other company.
    ///
    /// - Parameter key: What tells this person from all others.
    func subject(for key: String) -> String {
        let digest = Array(SHA256.hash(data: Array("\(rawValue) subject \(key)".utf8)))
        let digits = digest.map { String($0 % 10) }
        switch self {
        case .apple:
            let middle = digest.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return "00" + digits[16..<20].joined() + "." + middle + "." + digits[20..<24].joined()
        case .google: return "1" + digits.prefix(20).joined()
        }
    }
}
