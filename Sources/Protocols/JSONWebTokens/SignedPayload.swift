package import GatehouseWire

/// A payload with a valid signature. Times and other claims are not checked.
package struct SignedPayload: Equatable, Sendable {
    package let members: AuthJSONObject
    package let algorithm: SigningAlgorithm
    /// The `typ` in lower case.
    package let type: String?

    /// The payload of a token without verification, only for choosing the keys that verify it. nil if the token is
    /// malformed.
    package static func unverified(_ token: String) -> AuthJSONObject? {
        // Ignored: the verification that follows reports malformed parts.
        guard let compact = try? CompactToken(token) else { return nil }
        // Ignored: as above.
        return try? CompactToken.object(compact.payload, .payload)
    }
}
