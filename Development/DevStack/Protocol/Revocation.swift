package import GatehouseWire

/// A call to a revocation endpoint that was answered with 200.
package struct Revocation: Equatable, Sendable {
    /// The `client_id` of the call.
    package let client: String
    /// When the call was answered.
    package let at: Instant
    /// nil for a token that was unknown or already invalid. The response was 200 nevertheless.
    package let subject: String?
    /// `access_token` or `refresh_token`; nil as above.
    package let kind: String?

    var json: AuthJSON {
        [
            "client_id": .string(client), "at": .string(at.description),
            "sub": subject.map(AuthJSON.string) ?? .null, "token_type": kind.map(AuthJSON.string) ?? .null,
        ]
    }
}
