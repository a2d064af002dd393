package import GatehouseWire

/// A discoverable WebAuthn credential. Neither passkeys nor second factors can be used as the other.
package struct Passkey: Sendable {
    package var id: PasskeyID
    package var user: UserID
    /// Chosen by the authenticator, 1 to 1,023 bytes, unique among all users.
    package var credentialID: [UInt8]
    /// The COSE_Key as the authenticator encoded it.
    package var publicKey: [UInt8]
    /// The IANA "COSE Algorithms" number.
    package var algorithm: Int64
    /// The AAGUID; zeros without one.
    package var model: [UInt8]
    /// Of the last sign-in; 0 if the authenticator does not count.
    package var signCount: UInt32
    /// As of the last sign-in.
    package var isBackupEligible: Bool
    package var isBackedUp: Bool
    /// As the browser reported them.
    package var transports: [String]
    /// The attestation statement's format.
    package var attestation: String
    package var name: String
    package var createdAt: Instant
    package var updatedAt: Instant
    package var lastUsedAt: Instant?
    /// When the first proof of the account's address set it aside. It then signs in only together with an emailed code.
    package var setAsideAt: Instant?

    package init(
        id: PasskeyID, user: UserID, credentialID: [UInt8], publicKey: [UInt8], algorithm: Int64, model: [UInt8],
        signCount: UInt32, isBackupEligible: Bool, isBackedUp: Bool, transports: [String], attestation: String,
        name: String, at now: Instant
    ) {
        (self.id, self.user, self.credentialID, self.publicKey) = (id, user, credentialID, publicKey)
        (self.algorithm, self.model, self.signCount) = (algorithm, model, signCount)
        (self.isBackupEligible, self.isBackedUp) = (isBackupEligible, isBackedUp)
        (self.transports, self.attestation, self.name) = (transports, attestation, name)
        (createdAt, updatedAt) = (now, now)
    }

    /// Bytes.
    package static let longestName = 120
}

package typealias PasskeyID = Identifier<Passkey>

extension Account {
    /// Whether the user can sign in without passkeys.
    ///
    /// - Parameter mailsCodes: Whether the server emails codes to confirmed addresses.
    package func hasWayIn(mailsCodes: Bool) -> Bool {
        !signInMethods.isEmpty || (mailsCodes && user.email != nil && user.times.emailConfirmedAt != nil)
    }
}
