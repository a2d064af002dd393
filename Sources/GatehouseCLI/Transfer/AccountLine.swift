package import AccountDomain
package import GatehouseWire
import PasswordHashing

/// Why a line cannot be imported. Contains column names, never values.
package struct LineProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The column and the problem.
    package let description: String

    /// - Parameter description: Names a column without its value.
    package init(_ description: String) { self.description = description }
}

/// An account as a line of JSON with the column names of Supabase's tables `auth.users` and `auth.identities`, which
/// our export uses too ([Users](https://supabase.com/docs/guides/auth/users)).
package struct AccountLine {
    let columns: LineColumns
    let now: Instant
    let newID: () -> IdentityID

    /// - Parameters:
    ///   - now: The default of `created_at`.
    ///   - newID: Generates ids for identities that the line lacks.
    /// - Throws: ``LineProblem`` for a line that is not a JSON object, and for a column with an invalid value.
    package static func account(
        _ line: [UInt8], at now: Instant, newID: @escaping () -> IdentityID
    ) throws(LineProblem) -> Account {
        try account(members(line), at: now, newID: newID)
    }

    static func members(_ line: [UInt8]) throws(LineProblem) -> JSONObject {
        do throws(JSONProblem) {
            guard let object = try JSONReader.read(line).objectValue else { throw .malformed("not an object") }
            return object
        } catch {
            if case .malformed(let reason) = error { throw LineProblem("not a JSON object: \(reason)") }
            throw LineProblem("not a JSON object")
        }
    }

    /// Reads an account from a parsed object.
    static func account(
        _ members: JSONObject, at now: Instant, newID: @escaping () -> IdentityID
    ) throws(LineProblem) -> Account {
        try AccountLine(columns: LineColumns(members), now: now, newID: newID).account()
    }

    /// Leaves out a change of address that waits: its session, which it ends with, stays behind.
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
        user.userMetadata = try metadata("raw_user_meta_data").text
        let identities = try identities(of: user)
        user.appMetadata = try appMetadata(identities).text
        guard max(user.userMetadata.utf8.count, user.appMetadata.utf8.count) <= AccountMetadata.maximumBytes else {
            throw LineProblem("metadata of more than \(AccountMetadata.maximumBytes) bytes")
        }
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

    /// A deleted account has a digest instead of an address, which is kept.
    private func email(isDeleted: Bool) throws(LineProblem) -> String? {
        guard let text = try columns.text("email") else { return nil }
        if isDeleted { return text.lowercased() }
        guard let email = EmailAddress(text) else { throw LineProblem("email is not an address") }
        return email.text
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
            throw LineProblem("encrypted_password is no bcrypt, Argon2 or Firebase scrypt hash within our limits")
        }
        guard hash.isAffordable else {
            throw LineProblem("encrypted_password costs too much to check: \(StoredHash.importLimits)")
        }
        return Secret(text)
    }

    private func metadata(_ name: String) throws(LineProblem) -> AnyJSON {
        .object((try columns.object(name) ?? [:]).filter { !$0.value.isNull })
    }

    /// Derives the providers from the identities if the line has none.
    private func appMetadata(_ identities: [Identity]) throws(LineProblem) -> AnyJSON {
        let given = try columns.object("raw_app_meta_data") ?? [:]
        let made = AccountMetadata.providers(identities.map(\.provider))
        return .object(made.merging(given) { $1 }.filter { !$0.value.isNull })
    }
}
