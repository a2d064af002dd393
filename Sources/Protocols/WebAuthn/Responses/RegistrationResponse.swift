package import GatehouseWire

/// `RegistrationResponseJSON`, not verified. Ignores `publicKey`, `publicKeyAlgorithm` and `authenticatorData`, which
/// repeat the attestation object.
package struct RegistrationResponse: Sendable {
    /// As the browser reported it. The record has the attested id.
    package let credentialID: [UInt8]
    package let transports: [String]
    let clientData: ClientData
    let attestation: AttestationObject

    package init(_ credential: AuthJSON) throws(CeremonyFailure) {
        let members = try ResponseMembers(credential: credential)
        credentialID = try members.credentialID()
        let response = try members.response()
        clientData = try ClientData(response.bytes("clientDataJSON"))
        attestation = try AttestationObject(response.bytes("attestationObject"))
        transports = try response.transports()
    }
}
