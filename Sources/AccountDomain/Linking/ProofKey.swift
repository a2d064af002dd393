import Crypto
package import GatehouseWire

/// What whoever began a sign-in said beforehand of the secret that they show at its end (RFC 7636).
package struct ProofKey: Equatable, Sendable {
    package enum Method: String, CaseIterable, Sendable { case s256, plain }

    package let challenge: String
    package let method: Method

    /// - Parameters:
    ///   - challenge: 43 to 128 letters, digits and `-._~`.
    ///   - method: `s256` or `plain`, in any case of letters.
    package init?(challenge: String, method: String) {
        guard let method = Method(text: method.lowercased()), (43...128).contains(challenge.utf8.count),
            challenge.utf8.allSatisfy(Self.isUnreserved)
        else { return nil }
        self.challenge = challenge
        self.method = method
    }

    /// Whether the verifier is the secret. Takes the same time for every wrong one of a length.
    package func isAnswered(by verifier: Secret) -> Bool {
        switch method {
        case .plain: verifier.matches(Secret(challenge))
        case .s256: Secret(Base64URL.text(TokenDigest.of(verifier))).matches(Secret(challenge))
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}

/// What the database keeps of a token that is random and long: enough to find it, not enough to use it.
package enum TokenDigest {
    /// SHA-256, 32 bytes.
    package static func of(_ token: Secret) -> [UInt8] { Array(SHA256.hash(data: Array(token.reveal().utf8))) }
}
