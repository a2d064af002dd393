import Crypto
import GatehouseWire

/// A simulated provider.
package enum SimulatedProvider: String, CaseIterable, Sendable {
    case google
    case apple
    case github
    case discord
    case x

    /// Those that ``StandInOAuth`` simulates.
    package static let withoutOpenID: [SimulatedProvider] = [.github, .discord, .x]

    /// The display name.
    var name: String { ProviderTitle.text(of: rawValue) }

    var path: String { "/dev/" + rawValue }
}

extension SimulatedProvider {
    /// Constant, and different for each provider.
    func subject(for key: String) -> String {
        let digest = Array(SHA256.hash(data: Array("\(rawValue) subject \(key)".utf8)))
        let digits = digest.map { String($0 % 10) }
        switch self {
        case .apple:
            let middle = digest.prefix(16).hexadecimal
            return "00" + digits[16..<20].joined() + "." + middle + "." + digits[20..<24].joined()
        case .google: return "1" + digits.prefix(20).joined()
        case .github, .discord, .x: return "1" + digits.prefix(16).joined()
        }
    }
}
