package import GatehouseWire

/// `RegistrationResponseJSON`: what `navigator.credentials.create` answers, read but not verified.
///
/// Members that the relying party does not use are ignored: `publicKey`, `publicKeyAlgorithm` and `authenticatorData`
/// repeat what the attestation object has.
package struct RegistrationResponse: Sendable {
    /// As reported by the browser. The record contains the authenticator's attested id.
    package let credentialID: [UInt8]
    package let transports: [String]
    let clientData: ClientData
    let attestation: AttestationObject

    /// - Throws: ``CeremonyFailure`` with the code ``CeremonyFailure/Code/malformed``.
    package init(_ credential: AuthJSON) throws(CeremonyFailure) {
        let members = try ResponseMembers(credential: credential)
        credentialID = try members.credentialID()
        let response = try members.response()
        clientData = try ClientData(response.bytes("clientDataJSON"))
        attestation = try AttestationObject(response.bytes("attestationObject"))
        transports = try response.transports()
    }
}
