package import AccountDomain
package import AccountStore
package import GatehouseWire
import PasswordHashing
import WebAuthn

extension AccountLine {
    /// Parses ``text(_:)-(ExportedAccount)``.
    ///
    /// - Throws: ``LineProblem``, also for a factor, passkey or removed identity that cannot be restored: the account
    ///   would be less protected than before.
    package static func imported(
        _ line: [UInt8], at now: Instant, noting note: @escaping (String) -> Void = { _ in },
        newID: @escaping () -> IdentityID
    ) throws(LineProblem) -> ImportedAccount {
        let members = try members(line)
        var account = try account(members, at: now, noting: note, newID: newID)
        let (columns, user) = (LineColumns(members), account.user)
        if user.email != nil, user.times.emailConfirmedAt != nil {
            account.user.times.emailProvenAt = try columns.time("email_proven_at")
        }
        if user.phone != nil, user.times.phoneConfirmedAt != nil {
            account.user.times.phoneProvenAt = try columns.time("phone_proven_at")
        }
        account.user.formerEmail = try columns.text("former_email").flatMap(EmailAddress.init)?.text
        account.user.times.formerEmailMovedAt = try columns.time("former_email_moved_at")
        account.user.setAside.passwords = try setAsidePasswords(columns, at: now)
        account.user.setAside.isContested = try columns.flag("password_is_contested")
        var imported = ImportedAccount(account)
        imported.hasAnsweredRecovery = try hasAnsweredRecovery(columns)
        imported.removals = try removals(columns, at: now)
        imported.factors = try LineFactors(user: user.id, now: now).factors(columns)
        let rows = try columns.array("passkeys") ?? []
        guard rows.allSatisfy({ $0["user_id"].flatMap(\.stringValue).map { UserID($0) == user.id } ?? true }) else {
            throw LineProblem("a passkey has the user_id of another account")
        }
        let passkeys = SupabasePasskeys(.array(rows), of: user.id, at: now)
        if passkeys.isIncomplete { throw LineProblem("a passkey is unreadable") }
        imported.passkeys = passkeys.imported
        return imported
    }
}

extension AccountLine {
    /// A Supabase account's row shows that an emailed sign-in or reset was answered: it was sent, and its token was
    /// used. Expired tokens stay in the row.
    static func hasAnsweredRecovery(_ columns: LineColumns) throws(LineProblem) -> Bool {
        guard let sentAt = try columns.time("recovery_sent_at"), columns.has("recovery_token"),
            try columns.text("recovery_token") == nil, let signedInAt = try columns.time("last_sign_in_at")
        else { return false }
        return signedInAt > sentAt
    }

    private static func setAsidePasswords(
        _ columns: LineColumns, at now: Instant
    ) throws(LineProblem) -> [SetAside.Password] {
        var passwords: [SetAside.Password] = []
        // Two more than may compete: the account's former password, and that of the email that proved the address.
        for element in (try columns.array("set_aside_passwords") ?? []).prefix(SetAside.mostPasswords + 2) {
            let row = LineColumns(element.objectValue ?? [:])
            guard let text = try row.text("encrypted_password"), StoredHash(text)?.isAffordable == true else {
                throw LineProblem("a set-aside password has no readable hash")
            }
            passwords.append(
                SetAside.Password(
                    hash: Secret(text), data: try row.object("data") ?? [:], at: try row.time("set_aside_at") ?? now))
        }
        return passwords
    }
}

struct LineFactors {
    let user: UserID
    let now: Instant

    /// Skips unverified factors, which protect nothing.
    func factors(_ columns: LineColumns) throws(LineProblem) -> [TransferredFactor] {
        var factors: [TransferredFactor] = []
        for element in try columns.array("factors") ?? [] {
            guard let members = element.objectValue else { throw LineProblem("factors has what is no object") }
            let row = LineColumns(members)
            switch try row.text("status") {
            case "verified": factors.append(try factor(row))
            case "unverified": break
            default: throw LineProblem("the status of a factor is neither verified nor unverified")
            }
        }
        if !factors.isEmpty, factors.allSatisfy({ $0.factor.kind == .recoveryCodes }) {
            throw LineProblem("recovery codes without another second factor")
        }
        return factors
    }

    private func factor(_ row: LineColumns) throws(LineProblem) -> TransferredFactor {
        guard let id = try row.text("id").flatMap({ FactorID($0) }) else {
            throw LineProblem("the id of a factor is not a UUID")
        }
        if let owner = try row.text("user_id"), UserID(owner) != user {
            throw LineProblem("a factor has the user_id of another account")
        }
        guard let kind = try row.text("factor_type").flatMap({ Factor.Kind(text: $0) }) else {
            throw LineProblem("a factor is neither totp, webauthn, phone nor recovery_code")
        }
        let name = (try row.text("friendly_name") ?? "").cut(to: Factor.longestName)
        var factor = Factor(
            id: id, user: user, kind: kind, isVerified: true, name: name, at: try row.time("created_at") ?? now)
        factor.updatedAt = try row.time("updated_at") ?? factor.createdAt
        switch kind {
        case .totp: return TransferredFactor(factor, .app(secret: try secret(row)))
        case .phone:
            guard let phone = try row.text("phone").flatMap({ PhoneNumber($0) }) else {
                throw LineProblem("a phone factor has no number")
            }
            factor.phone = phone.text
            return TransferredFactor(factor, .phone)
        case .webAuthn:
            factor.authenticatorModel = try row.text("aaguid").flatMap { Identifier<Factor>($0)?.text }
            return TransferredFactor(factor, .securityKey(try key(row)))
        case .recoveryCodes: return TransferredFactor(factor, .recoveryCodes(try codes(row)))
        }
    }

    private func secret(_ row: LineColumns) throws(LineProblem) -> [UInt8] {
        guard let secret = try row.text("secret").flatMap({ Base32.decode($0.utf8) }),
            SupabaseFactors.secretBytes.contains(secret.count)
        else { throw LineProblem("an authenticator app has no readable secret") }
        return secret
    }

    private func key(_ row: LineColumns) throws(LineProblem) -> TransferredKey {
        guard let credentialID = try row.bytes("credential_id"), (1...1_023).contains(credentialID.count),
            let signCount = UInt32(exactly: try row.number("sign_count") ?? 0),
            // Ignored: a malformed part makes the whole key unreadable.
            let publicKey = try row.bytes("public_key"), (try? CredentialPublicKey(publicKey)) != nil
        else { throw LineProblem("a security key has no readable key") }
        let isEligible = try row.flag("backup_eligible")
        let isBackedUp = try row.flag("backed_up")
        return TransferredKey(
            credentialID: credentialID, publicKey: publicKey, signCount: signCount, isBackupEligible: isEligible,
            isBackedUp: isEligible && isBackedUp,
            transports: try row.array("transports")?.compactMap(\.stringValue) ?? [])
    }

    private func codes(_ row: LineColumns) throws(LineProblem) -> [TransferredCode] {
        var codes: [TransferredCode] = []
        for element in try row.array("codes") ?? [] {
            let code = LineColumns(element.objectValue ?? [:])
            guard let selector = try code.text("selector"), selector.utf8.count == 2,
                selector.utf8.allSatisfy(\.isLowerAlphanumeric), let hash = try code.text("hash"),
                StoredHash(hash)?.isAffordable == true
            else { throw LineProblem("a recovery code has no readable hash") }
            codes.append(TransferredCode(selector: selector, hash: Secret(hash), usedAt: try code.time("used_at")))
        }
        return codes
    }
}
