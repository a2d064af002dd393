import GatehouseWire

extension RelyingParty {
    /// §7.1. The caller stores the record, unless any user has registered its id (step 26).
    ///
    /// - Returns: The credential record (step 27) with the attested id.
    /// - Throws: Code ``CeremonyFailure/Code/refused``, or ``CeremonyFailure/Code/malformed`` for an unreadable key.
    package func verify(
        _ response: RegistrationResponse, _ expectation: RegistrationExpectation
    ) throws(CeremonyFailure) -> CredentialRecord {
        let data = response.attestation.authenticatorData
        // Steps 7 to 11.
        try check(response.clientData, .create, expectation.challenge)
        // Steps 14 to 17.
        try check(data, expectation.userVerification, requiresPresence: !expectation.isConditional)
        // Steps 18 and 19.
        guard expectation.backup == .allowed || !data.flags.contains(.backupEligible) else {
            throw CeremonyFailure(.backupEligibility, "a credential for several devices")
        }
        guard let credential = data.credential else { throw CeremonyFailure(.form, "no attested credential data") }
        // Step 20.
        let key = try Self.key(credential.publicKey)
        guard expectation.algorithms.contains(key.algorithm) else {
            throw CeremonyFailure(.algorithm, "an algorithm that was not offered")
        }
        // Step 21.
        guard let format = response.attestation.format else {
            throw CeremonyFailure(.attestationFormat, "an unknown format")
        }
        // Step 22. Steps 23 and 24, the trust anchors, concern requested attestations only.
        try AttestationStatement(format: format, value: response.attestation.statement)
            .verify(key: key, signed: data.bytes + response.clientData.hash)
        // Step 25.
        guard (1...CredentialRecord.maximumIDLength).contains(credential.id.count) else {
            throw CeremonyFailure(.credentialIDLength, "an empty credential id, or one above 1,023 bytes")
        }
        return CredentialRecord(
            id: credential.id, publicKey: credential.publicKey, algorithm: key.algorithm, aaguid: credential.aaguid,
            signCount: data.signCount, isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp), isUserVerified: data.flags.contains(.userVerified),
            transports: response.transports, attestation: format)
    }

    private static func key(_ bytes: [UInt8]) throws(CeremonyFailure) -> CredentialPublicKey {
        do { return try CredentialPublicKey(bytes) } catch { throw CeremonyFailure(.algorithm, "public key: \(error)") }
    }
}
