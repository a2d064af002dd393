package import WebAuthn

/// What one ceremony does otherwise than the authenticator would, for tests of refusals. nil changes nothing.
package struct SoftChanges: Sendable {
    /// The client data's members.
    package var type: String?
    /// In bytes.
    package var challenge: [UInt8]?
    package var crossOrigin: Bool?
    package var topOrigin: String?
    /// Replaces the client data's bytes.
    package var clientData: [UInt8]?
    /// The RP ID whose hash is signed.
    package var relyingPartyID: String?
    package var flags: AuthenticatorData.Flags?
    package var signCount: UInt32?
    /// The encoded map of extension outputs; its flag must be in ``flags``.
    package var extensions: [UInt8] = []
    /// Replaces the key's COSE_Key in the attested data.
    package var publicKey: [UInt8]?
    package var credentialID: [UInt8]?
    /// The id in the response's JSON, where it is another than the authenticator's.
    package var reportedID: [UInt8]?
    /// Replaces format and encoded statement.
    package var statement: (format: String, encoded: [UInt8])?
    package var hasWrongSignature = false
    /// An empty handle leaves the member out.
    package var userHandle: [UInt8]?

    package init() {}
}
