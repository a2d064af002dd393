package import AccountDomain
import GatehouseWire

extension AccountLine {
    /// For ``account(_:at:newID:)``, without a line feed. Contains the password hash, and a pending change of address,
    /// which imports omit.
    package static func text(_ account: Account) -> String {
        var writer = JSONWriter(capacity: 2_048)
        writer.beginObject()
        write(account, to: &writer)
        writer.text("email_change", account.user.newEmail)
        writer.text("phone_change", account.user.newPhone)
        writer.time("email_change_sent_at", account.user.times.emailChangeSentAt)
        writer.time("phone_change_sent_at", account.user.times.phoneChangeSentAt)
        writer.endObject()
        return writer.text
    }

    static func write(_ account: Account, to writer: inout JSONWriter) {
        let user = account.user
        writer.member("id", user.id.text)
        writer.member("aud", user.audience)
        writer.member("role", user.role)
        writer.text("email", user.email)
        writer.text("phone", user.phone)
        writer.text("encrypted_password", user.passwordHash?.reveal())
        writer.member("raw_app_meta_data", json: user.appMetadata)
        writer.member("raw_user_meta_data", json: user.userMetadata)
        writer.member("is_anonymous", user.isAnonymous)
        write(user.times, to: &writer)
        writer.name("identities")
        writer.beginArray()
        for identity in account.identities { write(identity, to: &writer) }
        writer.endArray()
    }

    private static func write(_ times: UserTimes, to writer: inout JSONWriter) {
        writer.member("created_at", times.createdAt)
        writer.member("updated_at", times.updatedAt)
        writer.time("email_confirmed_at", times.emailConfirmedAt)
        writer.time("phone_confirmed_at", times.phoneConfirmedAt)
        writer.time("last_sign_in_at", times.lastSignInAt)
        writer.time("invited_at", times.invitedAt)
        writer.time("confirmation_sent_at", times.confirmationSentAt)
        writer.time("recovery_sent_at", times.recoverySentAt)
        writer.time("reauthentication_sent_at", times.reauthenticationSentAt)
        writer.time("banned_until", times.bannedUntil)
        writer.time("deleted_at", times.deletedAt)
    }

    private static func write(_ identity: Identity, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", identity.id.text)
        writer.member("user_id", identity.user.text)
        writer.member("provider", identity.provider)
        writer.member("provider_id", identity.providerID)
        writer.member("identity_data", json: identity.data)
        writer.time("last_sign_in_at", identity.lastSignInAt)
        writer.member("created_at", identity.createdAt)
        writer.member("updated_at", identity.updatedAt)
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func text(_ name: StaticString, _ value: String?) {
        if let value { member(name, value) }
    }

    fileprivate mutating func time(_ name: StaticString, _ value: Instant?) {
        if let value { member(name, value) }
    }
}
