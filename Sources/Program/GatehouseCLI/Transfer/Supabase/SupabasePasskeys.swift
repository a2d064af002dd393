import AccountDomain
import GatehouseWire
import WebAuthn

/// Passkeys from `auth.webauthn_credentials`. They work here if the relying party ID is the same.
struct SupabasePasskeys {
    let imported: [Passkey]
    /// One is unreadable, or has an unknown algorithm.
    let isIncomplete: Bool

    init(_ rows: AuthJSON?, of user: UserID, at now: Instant) {
        let rows = rows?.arrayValue ?? []
        imported = rows.compactMap { row in
            // Ignored: ``isIncomplete`` reports an unreadable row.
            row.objectValue.flatMap { try? Self.passkey(LineColumns($0), of: user, at: now) }
        }
        isIncomplete = imported.count < rows.count
    }

    private static func passkey(_ row: LineColumns, of user: UserID, at now: Instant) throws -> Passkey? {
        guard let id = try row.text("id").flatMap({ PasskeyID($0) }), let credentialID = try row.bytes("credential_id"),
            (1...1_023).contains(credentialID.count), let publicKey = try row.bytes("public_key"),
            let signCount = UInt32(exactly: try row.number("sign_count") ?? 0)
        else { return nil }
        let (isEligible, isBackedUp) = (try row.flag("backup_eligible"), try row.flag("backed_up"))
        let model = try row.text("aaguid").flatMap { Identifier<Passkey>($0)?.bytes } ?? Array(repeating: 0, count: 16)
        let name = (try row.text("friendly_name") ?? AuthenticatorModels.passkeyName(model)).cut(
            to: Passkey.longestName)
        let format = try row.text("attestation_type").flatMap { ExternalName($0) }.flatMap(AttestationFormat.init)
        var passkey = Passkey(
            id: id, user: user, credentialID: credentialID, publicKey: publicKey,
            algorithm: try CredentialPublicKey(publicKey).algorithm.rawValue, model: model, signCount: signCount,
            isBackupEligible: isEligible, isBackedUp: isEligible && isBackedUp,
            transports: try row.array("transports")?.compactMap(\.stringValue) ?? [],
            attestation: (format ?? .none).rawValue, name: name, at: try row.time("created_at") ?? now)
        passkey.updatedAt = try row.time("updated_at") ?? passkey.createdAt
        passkey.lastUsedAt = try row.time("last_used_at")
        passkey.setAsideAt = try row.time("set_aside_at")
        return passkey
    }
}
