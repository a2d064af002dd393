package import GatehouseWire

/// `AuthenticationResponseJSON`, not verified. Callers find the credential by ``credentialID`` and, without a known
/// user, its owner by ``userHandle``.
package struct AuthenticationResponse: Sendable {
    package let credentialID: [UInt8]
    /// At most 64 bytes; nil if the authenticator stores none.
    package let userHandle: [UInt8]?
    let clientData: ClientData
    let authenticatorData: AuthenticatorData
    let signature: [UInt8]

    package init(_ credential: AuthJSON) throws(CeremonyFailure) {
        let members = try ResponseMembers(credential: credential)
        credentialID = try members.credentialID()
        let response = try members.response()
        clientData = try ClientData(response.bytes("clientDataJSON"))
        authenticatorData = try AuthenticatorData(response.bytes("authenticatorData"))
        signature = try response.bytes("signature", maximum: 1_024)
        userHandle = try response.optionalBytes("userHandle", maximum: ResponseMembers.maximumUserHandleLength)
    }
}
