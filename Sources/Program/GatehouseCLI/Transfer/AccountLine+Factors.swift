import AccountDomain
package import AccountStore
import GatehouseWire

extension AccountLine {
    /// For ``imported(_:at:newID:)``, without a line feed. Contains the password hash and authenticator apps' secrets.
    ///
    /// Has the column names of Supabase's `auth.mfa_factors` and `auth.webauthn_credentials`.
    package static func text(_ exported: ExportedAccount) -> String {
        var writer = JSONWriter(capacity: 2_048)
        writer.beginObject()
        write(exported.account, to: &writer)
        if let provenAt = exported.account.user.times.emailProvenAt { writer.member("email_proven_at", provenAt) }
        if let provenAt = exported.account.user.times.phoneProvenAt { writer.member("phone_proven_at", provenAt) }
        writer.member("former_email", ifPresent: exported.account.user.formerEmail)
        if let movedAt = exported.account.user.times.formerEmailMovedAt {
            writer.member("former_email_moved_at", movedAt)
        }
        write(exported.account.user.setAside.passwords, to: &writer)
        if exported.account.user.setAside.isContested { writer.member("password_is_contested", true) }
        write(exported.removals, to: &writer)
        if !exported.factors.isEmpty {
            writer.name("factors")
            writer.beginArray()
            for factor in exported.factors { write(factor, to: &writer) }
            writer.endArray()
        }
        if !exported.passkeys.isEmpty {
            writer.name("passkeys")
            writer.beginArray()
            for passkey in exported.passkeys { write(passkey, to: &writer) }
            writer.endArray()
        }
        writer.endObject()
        return writer.text
    }

    private static func write(_ transferred: TransferredFactor, to writer: inout JSONWriter) {
        let factor = transferred.factor
        writer.beginObject()
        writer.member("id", factor.id.text)
        writer.member("user_id", factor.user.text)
        writer.member("friendly_name", factor.name)
        writer.member("factor_type", factor.kind.rawValue)
        writer.member("status", "verified")
        writer.member("created_at", factor.createdAt)
        writer.member("updated_at", factor.updatedAt)
        switch transferred.content {
        case .app(let secret): writer.member("secret", Base32.text(secret))
        case .unopened: break
        case .phone: writer.member("phone", ifPresent: factor.phone)
        case .securityKey(let key):
            writer.member("credential_id", hexadecimal(key.credentialID))
            writer.member("public_key", hexadecimal(key.publicKey))
            writer.member("sign_count", Int64(key.signCount))
            writer.member("aaguid", ifPresent: factor.authenticatorModel)
            writer.member("backup_eligible", key.isBackupEligible)
            writer.member("backed_up", key.isBackedUp)
            write(key.transports, to: &writer)
        case .recoveryCodes(let codes):
            writer.name("codes")
            writer.beginArray()
            for code in codes {
                writer.beginObject()
                writer.member("selector", code.selector)
                writer.member("hash", code.hash.reveal())
                if let usedAt = code.usedAt { writer.member("used_at", usedAt) }
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }

    /// Passkeys have their own member; identities are removals by the first proof.
    private static func write(_ passwords: [SetAside.Password], to writer: inout JSONWriter) {
        guard !passwords.isEmpty else { return }
        writer.name("set_aside_passwords")
        writer.beginArray()
        for password in passwords {
            writer.beginObject()
            writer.member("encrypted_password", password.hash.reveal())
            writer.member("data", json: AuthJSON.object(password.data).text)
            writer.member("set_aside_at", password.at)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func write(_ passkey: Passkey, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", passkey.id.text)
        writer.member("user_id", passkey.user.text)
        writer.member("credential_id", hexadecimal(passkey.credentialID))
        writer.member("public_key", hexadecimal(passkey.publicKey))
        writer.member("attestation_type", passkey.attestation)
        writer.member("aaguid", Identifier<Passkey>(bytes: passkey.model).text)
        writer.member("sign_count", Int64(passkey.signCount))
        writer.member("backup_eligible", passkey.isBackupEligible)
        writer.member("backed_up", passkey.isBackedUp)
        write(passkey.transports, to: &writer)
        writer.member("friendly_name", passkey.name)
        writer.member("created_at", passkey.createdAt)
        writer.member("updated_at", passkey.updatedAt)
        if let lastUsedAt = passkey.lastUsedAt { writer.member("last_used_at", lastUsedAt) }
        if let setAsideAt = passkey.setAsideAt { writer.member("set_aside_at", setAsideAt) }
        writer.endObject()
    }

    private static func write(_ transports: [String], to writer: inout JSONWriter) {
        writer.member("transports", json: AuthJSON.array(transports.map(AuthJSON.string)).text)
    }

    /// PostgreSQL's form of `bytea`.
    private static func hexadecimal(_ bytes: [UInt8]) -> String { "\\x" + bytes.hexadecimal }
}
