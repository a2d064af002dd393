import AccountDomain
import GatehouseWire

// The User and Identity objects of the Auth API. Empty members are omitted, except `email` and `phone`, which are
// written as empty strings.
extension JSONWriter {
    /// - Parameter showsIdentities: false writes `"identities": null`, as the list of all users does.
    mutating func user(_ account: Account, showsIdentities: Bool = true) {
        let user = account.user
        let times = user.times
        beginObject()
        member("id", user.id.text)
        member("aud", user.audience)
        member("role", user.role)
        member("email", user.email ?? "")
        member("email_confirmed_at", ifPresent: times.emailConfirmedAt)
        member("invited_at", ifPresent: times.invitedAt)
        member("phone", user.phone ?? "")
        member("phone_confirmed_at", ifPresent: times.phoneConfirmedAt)
        member("confirmation_sent_at", ifPresent: times.confirmationSentAt)
        member("confirmed_at", ifPresent: user.confirmedAt)
        member("recovery_sent_at", ifPresent: times.recoverySentAt)
        member("new_email", ifPresent: user.newEmail)
        member("email_change_sent_at", ifPresent: times.emailChangeSentAt)
        member("new_phone", ifPresent: user.newPhone)
        member("phone_change_sent_at", ifPresent: times.phoneChangeSentAt)
        member("reauthentication_sent_at", ifPresent: times.reauthenticationSentAt)
        member("last_sign_in_at", ifPresent: times.lastSignInAt)
        member("app_metadata", json: user.appMetadata)
        member("user_metadata", json: user.userMetadata)
        name("identities")
        if showsIdentities {
            beginArray()
            for identity in account.identities { self.identity(identity) }
            endArray()
        } else {
            null()
        }
        member("created_at", times.createdAt)
        member("updated_at", times.updatedAt)
        member("banned_until", ifPresent: times.bannedUntil)
        member("deleted_at", ifPresent: times.deletedAt)
        member("is_anonymous", user.isAnonymous)
        endObject()
    }

    /// `id` holds the provider's id and `identity_id` ours. The names look swapped, but clients depend on them.
    private mutating func identity(_ identity: Identity) {
        beginObject()
        member("identity_id", identity.id.text)
        member("id", identity.providerID)
        member("user_id", identity.user.text)
        member("identity_data", json: identity.data)
        member("provider", identity.provider)
        member("last_sign_in_at", ifPresent: identity.lastSignInAt)
        member("created_at", identity.createdAt)
        member("updated_at", identity.updatedAt)
        member("email", ifPresent: identity.email)
        endObject()
    }

    private mutating func member(_ name: StaticString, ifPresent value: Instant?) {
        if let value { member(name, value) }
    }

    private mutating func member(_ name: StaticString, ifPresent value: String?) {
        if let value, !value.isEmpty { member(name, value) }
    }
}
