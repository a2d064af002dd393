import GatehouseWire

extension RelyingParty {
    /// §7.2.
    ///
    /// - Parameter record: Of the response's credential.
    /// - Returns: The values to store (step 24), and whether the count did not increase (step 22).
    /// - Throws: Code ``CeremonyFailure/Code/refused``.
    package func verify(
        _ response: AuthenticationResponse, _ expectation: AuthenticationExpectation, of record: CredentialRecord
    ) throws(CeremonyFailure) -> AuthenticationVerdict {
        // Step 5: options.allowCredentials, if not empty, contains the credential.
        let isAllowed = expectation.allowedCredentials.isEmpty
        guard response.credentialID == record.id,
            isAllowed || expectation.allowedCredentials.contains(response.credentialID)
        else { throw CeremonyFailure(.allowedCredential, "another credential") }
        // Step 6: the owner's user handle.
        try checkUserHandle(response.userHandle, expectation)
        // Steps 10 to 14.
        try check(response.clientData, .get, expectation.challenge)
        let data = response.authenticatorData
        // Steps 15 to 18.
        try check(data, expectation.userVerification, requiresPresence: true)
        // Step 19 refuses a changed backup eligibility. We store the new one: password managers have changed it in
        // updates and between apps, and the signature proves the key.
        // Steps 20 and 21: the signature.
        try checkSignature(response, record)
        // Step 22.
        let counts = data.signCount != 0 || record.signCount != 0
        return AuthenticationVerdict(
            signCount: data.signCount, isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            isUserVerified: data.flags.contains(.userVerified),
            isCloned: counts && data.signCount <= record.signCount)
    }

    private func checkUserHandle(
        _ handle: [UInt8]?, _ expectation: AuthenticationExpectation
    ) throws(CeremonyFailure) {
        guard let handle else {
            guard !expectation.requiresUserHandle else { throw CeremonyFailure(.userHandle, "no user handle") }
            return
        }
        guard expectation.userHandle == nil || expectation.userHandle == handle else {
            throw CeremonyFailure(.userHandle, "another user's handle")
        }
    }

    private func checkSignature(
        _ response: AuthenticationResponse, _ record: CredentialRecord
    ) throws(CeremonyFailure) {
        let key: CredentialPublicKey
        do { key = try CredentialPublicKey(record.publicKey) } catch {
            throw CeremonyFailure(.signature, "the stored key: \(error)")
        }
        guard key.algorithm == record.algorithm else {
            throw CeremonyFailure(.signature, "the stored key is of another algorithm")
        }
        guard key.isValid(response.signature, for: response.authenticatorData.bytes + response.clientData.hash) else {
            throw CeremonyFailure(.signature, "a wrong signature")
        }
    }
}
