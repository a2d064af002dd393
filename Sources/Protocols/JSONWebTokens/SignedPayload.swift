package import GatehouseWire

/// The signature is valid. Claims, including times, are unchecked.
package struct SignedPayload: Equatable, Sendable {
    package let members: AuthJSONObject
    package let algorithm: SigningAlgorithm
    /// Lower case.
    package let type: String?

    /// Unverified, only for choosing the keys. nil if malformed.
    package static func unverified(_ token: String) -> AuthJSONObject? {
        // Ignored: the verification that follows reports malformed parts.
        guard let compact = try? CompactToken(token) else { return nil }
        // Ignored: as above.
        return try? CompactToken.object(compact.payload, .payload)
    }
}
