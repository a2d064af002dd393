package import AccountDomain
package import GatehouseWire
import PasswordHashing

/// Contains column names, never values.
package struct LineProblem: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// JSON with the column names of Supabase's `auth.users` and `auth.identities`, which our export also uses
/// ([Users](https://supabase.com/docs/guides/auth/users)).
package struct AccountLine {
    let columns: LineColumns
    let now: Instant
    let note: (String) -> Void
    let newID: () -> IdentityID

    /// - Parameters:
    ///   - now: The default of `created_at`.
    ///   - note: Called with column and reason for each dropped value: metadata that is too long, an unusable password
    ///     hash, an invalid address.
    ///   - newID: For identities that the line lacks.
    /// - Throws: ``LineProblem`` for a line that is not a JSON object, and for a column with an invalid value.
    package static func account(
        _ line: [UInt8], at now: Instant, noting note: @escaping (String) -> Void = { _ in },
        newID: @escaping () -> IdentityID
    ) throws(LineProblem) -> Account {
        try account(members(line), at: now, noting: note, newID: newID)
    }

    static func members(_ line: [UInt8]) throws(LineProblem) -> AuthJSONObject {
        do throws(JSONProblem) {
            guard let object = try JSONReader.read(line).objectValue else { throw .malformed("not an object") }
            return object
        } catch {
            if case .malformed(let reason) = error { throw LineProblem("not a JSON object: \(reason)") }
            throw LineProblem("not a JSON object")
        }
    }

    static func account(
        _ members: AuthJSONObject, at now: Instant, noting note: @escaping (String) -> Void,
        newID: @escaping () -> IdentityID
    ) throws(LineProblem) -> Account {
        try AccountLine(columns: LineColumns(members), now: now, note: note, newID: newID).account()
    }

    /// A pending change of address ends with its session, and sessions are not exported.
    private func account() throws(LineProblem) -> Account {
        guard let id = UserID(try columns.text("id") ?? "") else { throw LineProblem("id is not a UUID") }
        if try columns.flag("is_sso_user") { throw LineProblem("single sign-on accounts are not in this version") }
        var user = User(
            id: id, audience: try columns.text("aud") ?? "authenticated",
            role: try columns.text("role") ?? "authenticated", times: try times())
        let isDeleted = user.times.deletedAt != nil
        user.email = try email(isDeleted: isDeleted)
        user.phone = try phone(isDeleted: isDeleted)
        user.passwordHash = try passwordHash()
        user.isAnonymous = try columns.flag("is_anonymous")
        user.userMetadata = bounded("raw_user_meta_data", try columns.object("raw_user_meta_data") ?? [:])
        var identities = try identities(of: user)
        if user.email == nil, try columns.text("email") != nil {
            identities.removeAll { $0.provider == "email" }
            guard user.phone != nil || identities.contains(where: \.isOfProvider) else {
                throw LineProblem("email is not an address")
            }
            note("email is not an address")
            user.times.emailConfirmedAt = nil
        }
        user.appMetadata = bounded("raw_app_meta_data", try appMetadata(identities))
        return Account(user: user, identities: identities)
    }

    private func times() throws(LineProblem) -> UserTimes {
        var times = UserTimes(createdAt: try columns.time("created_at") ?? now)
        times.updatedAt = try columns.time("updated_at") ?? times.createdAt
        times.emailConfirmedAt = try columns.time("email_confirmed_at")
        times.phoneConfirmedAt = try columns.time("phone_confirmed_at")
        times.lastSignInAt = try columns.time("last_sign_in_at")
        times.invitedAt = try columns.time("invited_at")
        times.confirmationSentAt = try columns.time("confirmation_sent_at")
        times.recoverySentAt = try columns.time("recovery_sent_at")
        times.reauthenticationSentAt = try columns.time("reauthentication_sent_at")
        times.bannedUntil = try columns.time("banned_until")
        times.deletedAt = try columns.time("deleted_at")
        return times
    }

    /// A deleted account keeps its digest instead of an address. nil also for text that is no address.
    private func email(isDeleted: Bool) throws(LineProblem) -> String? {
        guard let text = try columns.text("email") else { return nil }
        if isDeleted { return text.lowercased() }
        return EmailAddress(text)?.text
    }

    private func phone(isDeleted: Bool) throws(LineProblem) -> String? {
        guard let text = try columns.text("phone") else { return nil }
        if isDeleted { return text }
        guard let phone = PhoneNumber(text) else { throw LineProblem("phone is not a telephone number") }
        return phone.text
    }

    private func passwordHash() throws(LineProblem) -> Secret? {
        guard let text = try columns.text("encrypted_password") else { return nil }
        guard let hash = StoredHash(text) else {
            note(
                "encrypted_password is no bcrypt, Argon2 or Firebase scrypt hash within our limits; the password must be "
                    + "reset")
            return nil
        }
        guard hash.isAffordable else {
            note(
                "encrypted_password costs too much to check (\(StoredHash.importLimits)); the password must be reset")
            return nil
        }
        return Secret(text)
    }

    /// Removes the largest members of overlong metadata.
    private func bounded(_ column: String, _ members: AuthJSONObject) -> String {
        var members = members.filter { !$0.value.isNull }
        var excess = AuthJSON.object(members).text.utf8.count - AccountMetadata.maximumBytes
        guard excess > 0 else { return AuthJSON.object(members).text }
        // With the comma.
        let sizes = members.map { (name: $0.key, bytes: AuthJSON.object([$0.key: $0.value]).text.utf8.count - 1) }
        for member in sizes.sorted(by: { $0.bytes == $1.bytes ? $0.name < $1.name : $0.bytes > $1.bytes }) {
            guard excess > 0 else { break }
            members[member.name] = nil
            excess -= member.bytes
        }
        note("\(column) has more than \(AccountMetadata.maximumBytes) bytes; its largest members are left out")
        return AuthJSON.object(members).text
    }

    /// Derives missing providers from the identities.
    private func appMetadata(_ identities: [Identity]) throws(LineProblem) -> AuthJSONObject {
        let given = try columns.object("raw_app_meta_data") ?? [:]
        return AccountMetadata.providers(identities.map(\.provider)).merging(given) { $1 }
    }
}
