import GatehouseWire

/// §4, "credential record".
package struct CredentialRecord: Equatable, Sendable {
    /// 1 to 1,023 bytes.
    package let id: [UInt8]
    /// COSE_Key.
    package let publicKey: [UInt8]
    package let algorithm: COSEAlgorithm
    /// 16 bytes, all zero without a model.
    package let aaguid: [UInt8]
    /// 0 if the authenticator does not count.
    package var signCount: UInt32
    /// May be on several devices. Some password managers change it.
    package var isBackupEligible: Bool
    package var isBackedUp: Bool
    package var isUserVerified: Bool
    /// From the browser, at most ``maximumTransports``, including unknown names.
    package let transports: [String]
    package let attestation: AttestationFormat

    package static let maximumIDLength = 1_023
    package static let maximumTransports = 8

    /// - Parameter publicKey: ``RelyingParty/verify(_:_:of:)`` parses it again.
    package init(
        id: [UInt8], publicKey: [UInt8], algorithm: COSEAlgorithm, aaguid: [UInt8], signCount: UInt32,
        isBackupEligible: Bool, isBackedUp: Bool, isUserVerified: Bool = false, transports: [String] = [],
        attestation: AttestationFormat = .none
    ) {
        (self.id, self.publicKey, self.algorithm, self.aaguid) = (id, publicKey, algorithm, aaguid)
        (self.signCount, self.isBackupEligible, self.isBackedUp) = (signCount, isBackupEligible, isBackedUp)
        (self.isUserVerified, self.transports, self.attestation) = (isUserVerified, transports, attestation)
    }

    package static func == (left: CredentialRecord, right: CredentialRecord) -> Bool {
        left.id == right.id && left.publicKey == right.publicKey && left.algorithm == right.algorithm
            && left.aaguid == right.aaguid && left.signCount == right.signCount
            && left.isBackupEligible == right.isBackupEligible && left.isBackedUp == right.isBackedUp
            && left.isUserVerified == right.isUserVerified && left.attestation == right.attestation
            && left.transports.elementsEqual(right.transports, by: { $0.utf8.elementsEqual($1.utf8) })
    }
}

/// For the caller to store.
package struct AuthenticationVerdict: Equatable, Sendable {
    /// The response's.
    package let signCount: UInt32
    /// Not every authenticator keeps it.
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package let isUserVerified: Bool
    /// The count did not increase although one of the two is nonzero (§7.2 step 22): the key may have a copy. Callers
    /// refuse the sign-in and record it.
    package let isCloned: Bool
}
