import Crypto
import GatehouseWire
import Testing

/// ES256 and RS256 (OpenID Connect Core 1.0 §3.1.3.6).
func halfHash(_ text: String) -> String {
    Base64URL.text(Array(SHA256.hash(data: Array(text.utf8)).prefix(16)))
}

/// Who can sign in, with their ID tokens' claims about the address.
struct Known: Sendable, CustomTestStringConvertible {
    let person: String
    let email: String?
    let isVerified: Bool
    var isRelay = false

    var testDescription: String { person }

    static let all = [
        Known(person: "verified", email: "verified@example.com", isVerified: true),
        Known(person: "hidden", email: "h1dd3n4ddr@privaterelay.appleid.com", isVerified: true, isRelay: true),
        Known(person: "no-address", email: nil, isVerified: false),
        Known(person: "unverified", email: "unverified@example.com", isVerified: false),
        Known(person: "slow", email: "slow@example.com", isVerified: true),
    ]
}
