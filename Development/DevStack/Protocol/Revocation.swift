package import GatehouseWire

package struct Revocation: Equatable, Sendable {
    package let client: String
    package let at: Instant
    /// nil for an unknown or invalid token.
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
