package import WebAuthn

/// A ceremony's deviations, for tests of refusals. nil changes nothing.
package struct SoftChanges: Sendable {
    package var type: String?
    /// Bytes.
    package var challenge: [UInt8]?
    package var crossOrigin: Bool?
    package var topOrigin: String?
    package var clientData: [UInt8]?
    /// Its hash is signed.
    package var relyingPartyID: String?
    package var flags: AuthenticatorData.Flags?
    package var signCount: UInt32?
    /// An encoded map; its flag must be in ``flags``.
    package var extensions: [UInt8] = []
    /// Replaces the COSE_Key in the attested data.
    package var publicKey: [UInt8]?
    package var credentialID: [UInt8]?
    package var reportedID: [UInt8]?
    /// Replaces format and encoded statement.
    package var statement: (format: String, encoded: [UInt8])?
    package var hasWrongSignature = false
    /// Empty omits the member.
    package var userHandle: [UInt8]?

    package init() {}
}
