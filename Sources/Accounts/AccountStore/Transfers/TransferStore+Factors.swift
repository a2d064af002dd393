package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Verified.
package struct TransferredFactor: Sendable {
    package let factor: Factor
    package let content: FactorContent

    package init(_ factor: Factor, _ content: FactorContent) { (self.factor, self.content) = (factor, content) }
}

package enum FactorContent: Sendable {
    case app(secret: [UInt8])
    /// An authenticator app's secret does not open with the configured server secrets. Only in exports.
    case unopened
    case securityKey(TransferredKey)
    case recoveryCodes([TransferredCode])
    /// Its number is the factor's.
    case phone
}

/// Works at another server with the same relying party ID.
package struct TransferredKey: Sendable {
    package let credentialID: [UInt8]
    /// The COSE_Key as the authenticator encoded it.
    package let publicKey: [UInt8]
    package let signCount: UInt32
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    /// As the browser reported them.
    package let transports: [String]

    package init(
        credentialID: [UInt8], publicKey: [UInt8], signCount: UInt32, isBackupEligible: Bool, isBackedUp: Bool,
        transports: [String]
    ) {
        (self.credentialID, self.publicKey, self.signCount) = (credentialID, publicKey, signCount)
        (self.isBackupEligible, self.isBackedUp, self.transports) = (isBackupEligible, isBackedUp, transports)
    }
}

package struct TransferredCode: Sendable {
    /// The code's first letters.
    package let selector: String
    package let hash: Secret
    package let usedAt: Instant?

    package init(selector: String, hash: Secret, usedAt: Instant?) {
        (self.selector, self.hash, self.usedAt) = (selector, hash, usedAt)
    }
}

/// May be left out of an export. Raw values are command options.
package enum TransferredKind: String, CaseIterable, Sendable {
    case totp, unreadableTOTP = "unreadable-totp", webAuthn = "webauthn", recoveryCodes = "recovery-codes", phone
    case passkeys
}

extension FactorContent {
    package var kind: TransferredKind {
        switch self {
        case .app: .totp
        case .unopened: .unreadableTOTP
        case .securityKey: .webAuthn
        case .recoveryCodes: .recoveryCodes
        case .phone: .phone
        }
    }
}

extension TransferStore {
    /// nil unless it is an authenticator app's.
    func sealed(_ transferred: TransferredFactor) throws -> [UInt8]? {
        guard case .app(let secret) = transferred.content else { return nil }
        return try accounts.factors.seal(secret, of: transferred.factor.id)
    }
}

extension Connection {
    func insert(_ transferred: TransferredFactor, sealed: [UInt8]?) throws {
        let factor = transferred.factor
        try insert(factor, sealedSecret: sealed)
        switch transferred.content {
        case .app, .unopened, .phone: break
        case .securityKey(let key):
            try run(
                """
                UPDATE factors SET credential_id = \(key.credentialID), public_key = \(key.publicKey),
                    sign_count = \(Int64(key.signCount)), aaguid = \(factor.authenticatorModel),
                    transports = \(AuthJSON.array(key.transports.map(AuthJSON.string)).text),
                    is_backup_eligible = \(key.isBackupEligible), is_backed_up = \(key.isBackedUp)
                WHERE id = \(factor.id)
                """)
        case .recoveryCodes(let codes):
            for code in codes {
                try run(
                    """
                    INSERT INTO recovery_codes (factor_id, selector, hash, used_at)
                    VALUES (\(factor.id), \(code.selector), \(code.hash.reveal()),
                        \(code.usedAt.map { SQLValue.instant($0.microseconds) } ?? .null))
                    """)
            }
        }
    }
}
