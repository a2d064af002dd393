package import AccountDomain
package import AccountStore
package import GatehouseWire

/// Why a Supabase import skips data or imports it incompletely.
package enum Remark: String, CaseIterable, Sendable {
    // Accounts that are not imported.
    case singleSignOn, deleted, unreadable, emailTaken, phoneTaken, identityTaken, refused
    // Rows of a dump, in any table.
    case rowUnreadable
    // Accounts that are imported incompletely.
    case accountValue, secondFactor, recoveryCodes, passkey, unproven, phoneOnly, profileValue, changedSince,
        deletedSince
    // Accounts to report to the operator.
    case administrator
    // Sessions that are not imported.
    case sessionEnded, sessionExpired, sessionUnreadable, sessionTaken, sessionParted

    package var summary: String {
        switch self {
        case .singleSignOn: "accounts left out: they sign in through SAML, which this version does not have"
        case .deleted: "accounts left out: deleted"
        case .unreadable: "accounts left out: unreadable data"
        case .emailTaken: "accounts left out: the email address belongs to another account"
        case .phoneTaken: "accounts left out: the telephone number belongs to another account"
        case .identityTaken: "accounts left out: an identity belongs to another account"
        case .refused: "accounts left out: a constraint of the database refuses them"
        case .rowUnreadable: "rows of the dump left out: too long, or not as many values as columns"
        case .accountValue: "accounts without a value: too long, a hash of another form, or an address that is none"
        case .secondFactor:
            "accounts without one of their second factors: a security key, or an encrypted secret"
        case .recoveryCodes: "accounts without their recovery codes, which cannot be read: their users make new ones"
        case .passkey: "accounts without one of their passkeys: unreadable, or another account here has it"
        case .unproven:
            "addresses confirmed, but not proven by an email: the first code emailed to each sets its password and passkeys "
                + "aside. If the source confirmed addresses only by email, import with --addresses-are-proven"
        case .phoneOnly: "accounts that have only a telephone number: they sign in with external_phone_enabled"
        case .profileValue: "profiles with a value left out: too long, or of another form"
        case .changedSince: "accounts stay as they are here, although the source has changed since they came"
        case .administrator: "accounts may use the admin API here: their roles came with them"
        case .deletedSince: "accounts were deleted at the source since they came: they stay here without their sessions"
        case .sessionEnded: "sessions left out: they have no valid refresh token"
        case .sessionExpired: "sessions left out: expired by this server's limits or their own"
        case .sessionUnreadable: "sessions left out: their tokens are encrypted or unreadable"
        case .sessionTaken: "sessions left out: their id belongs to another session"
        case .sessionParted: "sessions go on by themselves here: refreshed here, and at the source later"
        }
    }

    /// Data is missing that should have been imported.
    package var isFailure: Bool {
        switch self {
        case .unreadable, .accountValue, .emailTaken, .phoneTaken, .identityTaken, .refused, .rowUnreadable,
            .sessionUnreadable,
            .sessionTaken:
            true
        default: false
        }
    }
}

/// A JSON object: the row `user` of auth.users; the arrays `identities`, `sessions`, `tokens` (each session's newest),
/// `claims`, `factors` (the verified ones) and `passkeys`; and the row `profile`. Missing tables' members are null or
/// absent.
package struct SupabaseAccount: Sendable {
    package struct Note: Equatable, Sendable {
        package let remark: Remark
        /// The session's id, or the problem; never a value.
        package let detail: String

        package init(remark: Remark, detail: String) {
            self.remark = remark
            self.detail = detail
        }
    }

    /// nil if the account is not imported.
    package private(set) var imported: ImportedAccount?
    /// A single note if the account is unreadable.
    package private(set) var notes: [Note] = []
    /// Deleted at the source; an earlier import may have added it.
    package private(set) var deleted: UserID?

    /// Problems become ``notes`` instead of errors.
    ///
    /// - Parameters:
    ///   - policy: Decides which sessions have ended.
    ///   - newID: For identities that the source lacks.
    package init(
        _ text: [UInt8], policy: SessionPolicy, at now: Instant, newID: @escaping () -> IdentityID
    ) {
        do throws(LineProblem) {
            try read(text, policy, now, newID)
        } catch {
            imported = nil
            notes = [Note(remark: .unreadable, detail: error.description)]
        }
    }

    private mutating func read(
        _ text: [UInt8], _ policy: SessionPolicy, _ now: Instant, _ newID: @escaping () -> IdentityID
    ) throws(LineProblem) {
        guard let whole = Self.object(text), var members = whole["user"]?.objectValue else {
            throw LineProblem("not a row")
        }
        let columns = LineColumns(members)
        if try columns.flag("is_sso_user") {
            notes = [Note(remark: .singleSignOn, detail: "")]
            return
        }
        if try columns.time("deleted_at") != nil {
            notes = [Note(remark: .deleted, detail: "")]
            deleted = try columns.text("id").flatMap { UserID($0) }
            return
        }
        members["identities"] = whole["identities"]
        let account = try account(members, now, newID)
        var imported = ImportedAccount(account)
        imported.hasAnsweredRecovery = try AccountLine.hasAnsweredRecovery(columns)
        if let row = whole["profile"]?.objectValue { take(SupabaseProfile(row), to: &imported) }
        if let rows = whole["sessions"], case .array(let list) = rows.isNull ? .array([]) : rows {
            let reading = SupabaseSessions(whole, of: account, policy: policy, now: now)
            imported.sessions = list.compactMap { row in
                switch reading.session(row) {
                case .comes(let session): return session
                case .stays(let remark, let detail):
                    notes.append(Note(remark: remark, detail: detail))
                    return nil
                }
            }
        }
        take(SupabaseFactors(whole["factors"], of: account.user.id, at: now), to: &imported)
        take(SupabasePasskeys(whole["passkeys"], of: account.user.id, at: now), to: &imported)
        if Self.isPhoneOnly(account) { notes.append(Note(remark: .phoneOnly, detail: "")) }
        self.imported = imported
    }

    private mutating func account(
        _ members: AuthJSONObject, _ now: Instant, _ newID: @escaping () -> IdentityID
    ) throws(LineProblem) -> Account {
        var dropped: [String] = []
        let account = try AccountLine.account(members, at: now, noting: { dropped.append($0) }, newID: newID)
        notes += dropped.map { Note(remark: .accountValue, detail: $0) }
        return account
    }

    private mutating func take(_ profile: SupabaseProfile, to imported: inout ImportedAccount) {
        imported.profile = profile.imported
        notes += profile.dropped.map { Note(remark: .profileValue, detail: $0) }
    }

    private mutating func take(_ factors: SupabaseFactors, to imported: inout ImportedAccount) {
        imported.factors = factors.imported
        if factors.isIncomplete { notes.append(Note(remark: .secondFactor, detail: "")) }
        if factors.hasRecoveryCodes { notes.append(Note(remark: .recoveryCodes, detail: "")) }
    }

    private mutating func take(_ passkeys: SupabasePasskeys, to imported: inout ImportedAccount) {
        imported.passkeys = passkeys.imported
        if passkeys.isIncomplete { notes.append(Note(remark: .passkey, detail: "")) }
    }

    private static func isPhoneOnly(_ account: Account) -> Bool {
        account.user.phone != nil && account.user.email == nil
            && account.identities.allSatisfy { $0.provider == "phone" }
    }

    private static func object(_ text: [UInt8]) -> AuthJSONObject? {
        // Ignored: databases return valid JSON.
        (try? JSONReader.read(text))?.objectValue
    }
}
