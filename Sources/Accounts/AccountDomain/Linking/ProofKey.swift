import Crypto
package import GatehouseWire

/// A PKCE challenge (RFC 7636).
package struct ProofKey: Equatable, Sendable {
    /// RFC 7636 §4.2.
    package enum Method: String, CaseIterable, Sendable { case s256, plain }

    package let challenge: String
    package let method: Method

    /// - Parameters:
    ///   - challenge: 43 to 128 characters of `[A-Za-z0-9-._~]`.
    ///   - method: `s256` or `plain`, case-insensitive.
    package init?(challenge: String, method: String) {
        guard let method = Method(text: method.lowercased()), (43...128).contains(challenge.utf8.count),
            challenge.utf8.allSatisfy(\.isUnreserved)
        else { return nil }
        self.challenge = challenge
        self.method = method
    }

    /// Constant time for verifiers of the same length.
    package func isAnswered(by verifier: Secret) -> Bool {
        switch method {
        case .plain: verifier.matches(Secret(challenge))
        case .s256: Secret(Base64URL.text(TokenDigest.of(verifier))).matches(Secret(challenge))
        }
    }
}

package enum TokenDigest {
    /// SHA-256. Stored instead of a long random token.
    package static func of(_ token: Secret) -> [UInt8] { Array(SHA256.hash(data: Array(token.reveal().utf8))) }
}
