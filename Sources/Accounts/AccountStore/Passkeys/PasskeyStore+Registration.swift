package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// A verified registration.
package struct NewPasskey: Sendable {
    package let credentialID: [UInt8]
    package let publicKey: [UInt8]
    package let algorithm: Int64
    package let model: [UInt8]
    package let signCount: UInt32
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package let transports: [String]
    package let attestation: String

    package init(
        credentialID: [UInt8], publicKey: [UInt8], algorithm: Int64, model: [UInt8], signCount: UInt32,
        isBackupEligible: Bool, isBackedUp: Bool, transports: [String], attestation: String
    ) {
        (self.credentialID, self.publicKey, self.algorithm) = (credentialID, publicKey, algorithm)
        (self.model, self.signCount, self.transports) = (model, signCount, transports)
        (self.isBackupEligible, self.isBackedUp) = (isBackupEligible, isBackedUp)
        self.attestation = attestation
    }

    func passkey(_ id: PasskeyID, of user: UserID, at now: Instant) -> Passkey {
        Passkey(
            id: id, user: user, credentialID: credentialID, publicKey: publicKey, algorithm: algorithm, model: model,
            signCount: signCount, isBackupEligible: isBackupEligible, isBackedUp: isBackedUp, transports: transports,
            attestation: attestation, name: AuthenticatorModels.passkeyName(model), at: now)
    }
}

/// Only `registered` has changed anything.
package enum PasskeyRegistration: Sendable {
    case registered(Passkey)
    case tooMany
    /// On any account.
    case credentialExists
    case levelTooLow
    case challengeUsed
    case gone
    case sessionEnded
}

extension PasskeyStore {
    /// - Parameter limit: Passkeys per user.
    package func register(
        _ new: NewPasskey, answering challenge: PasskeyChallenge, of user: UserID, by session: SessionID?, limit: Int,
        from device: Device, at now: Instant
    ) async throws -> PasskeyRegistration {
        let id: PasskeyID = accounts.newID()
        return try await database.write { db in
            let changer = try accounts.changer(user, by: session, at: now, in: db)
            guard case .good(let account) = changer else { return changer.isGone ? .gone : .sessionEnded }
            guard try !db.isTooLow(user, session) else { return .levelTooLow }
            guard try db.passkeyCount(of: user) < limit else { return .tooMany }
            let passkey = new.passkey(id, of: user, at: now)
            guard try db.isFree(passkey) else { return .credentialExists }
            guard try db.use(challenge, at: now) else { return .challengeUsed }
            try db.insert(passkey)
            try accounts.mails.notify(.passkeyCreated, account.user, passkey: passkey, from: device, at: now, in: db)
            try accounts.record([.passkey(.passkeyCreated, passkey, of: account.user)], at: now, in: db)
            return .registered(passkey)
        }
    }

    static func credentialLookup(_ credentialID: [UInt8]) -> SQL {
        "SELECT id FROM passkeys WHERE credential_id = \(credentialID)"
    }
}

extension Connection {
    /// Whether no account has the credential. A concurrent registration of the same one fails with a conflict, and is
    /// retried.
    func isFree(_ passkey: Passkey) throws -> Bool {
        try row(PasskeyStore.credentialLookup(passkey.credentialID)) { $0.text() } == nil
    }

    func insert(_ passkey: Passkey) throws {
        let transports = AuthJSON.array(passkey.transports.map(AuthJSON.string)).text
        try run(
            """
            INSERT INTO passkeys (
                id, user_id, credential_id, public_key, algorithm, model, sign_count, is_backup_eligible, is_backed_up,
                transports, attestation, friendly_name, created_at, updated_at, last_used_at, set_aside_at)
            VALUES (
                \(passkey.id), \(passkey.user), \(passkey.credentialID), \(passkey.publicKey), \(passkey.algorithm),
                \(passkey.model), \(Int64(passkey.signCount)), \(passkey.isBackupEligible), \(passkey.isBackedUp),
                \(transports), \(passkey.attestation), \(passkey.name), \(passkey.createdAt), \(passkey.updatedAt),
                \(passkey.lastUsedAt), \(passkey.setAsideAt))
            """)
    }
}
