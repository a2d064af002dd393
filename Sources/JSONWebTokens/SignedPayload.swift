package import GatehouseWire

/// What a key has signed. Only the signature was judged: neither the times nor any other claim.
package struct SignedPayload: Equatable, Sendable {
    package let members: JSONObject
    package let algorithm: SigningAlgorithm
    /// `typ`, lower case.
    package let type: String?

    /// What a token says without anybody having looked at its signature: for choosing whose keys to ask, and for
    /// nothing else. Nil when it has not the form of a token.
    package static func unverified(_ token: String) -> JSONObject? {
        // Lost: which part is malformed. The check that follows says it.
        guard let compact = try? CompactToken(token) else { return nil }
        // Lost: as above.
        return try? CompactToken.object(compact.payload, .payload)
    }
}
