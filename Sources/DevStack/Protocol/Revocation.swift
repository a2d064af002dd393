package import GatehouseWire

/// A call to a revocation endpoint that was answered with 200.
package struct Revocation: Equatable, Sendable {
    package let client: String
    package let at: Instant
    /// Nil for a token that nobody knows, or no longer: the answer was 200 all the same.
    package let subject: String?
    /// `access_token` or `refresh_token`, as the stand-in knows it; nil as above.
    package let kind: String?

    var json: AnyJSON {
        [
            "client_id": .string(client), "at": .string(at.description),
            "sub": subject.map(AnyJSON.string) ?? .null, "token_type": kind.map(AnyJSON.string) ?? .null,
        ]
    }
}
