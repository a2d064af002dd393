import AccountDomain
import GatehouseWire

extension AccountLine {
    /// Without a list, one for the email address and one for the telephone number.
    func identities(of user: User) throws(LineProblem) -> [Identity] {
        guard let list = try columns.array("identities") else {
            return user.times.deletedAt == nil ? usualIdentities(of: user) : []
        }
        var identities: [Identity] = []
        for element in list {
            guard let members = element.objectValue else { throw LineProblem("identities has what is no object") }
            let identity = try identity(LineColumns(members), of: user)
            // A person at a provider is one identity, however often the line has it.
            if !identities.contains(where: { Self.areSame($0, identity) }) { identities.append(identity) }
        }
        return identities
    }

    private static func areSame(_ one: Identity, _ other: Identity) -> Bool {
        one.provider.utf8.elementsEqual(other.provider.utf8) && one.providerID.utf8.elementsEqual(other.providerID.utf8)
    }

    private func identity(_ columns: LineColumns, of user: User) throws(LineProblem) -> Identity {
        if let owner = try columns.text("user_id"), UserID(owner) != user.id {
            throw LineProblem("an identity has the user_id of another account")
        }
        let given = try columns.text("id")
        // Before 2023 Supabase stored the provider's user id in `id`, now a separate UUID. Old values are not unique.
        let named = try columns.text("provider_id")
        guard let providerID = named ?? given, let provider = try columns.text("provider")
        else { throw LineProblem("an identity lacks provider or provider_id") }
        let data = (try columns.object("identity_data") ?? [:]).filter { !$0.value.isNull }
        let createdAt = try columns.time("created_at") ?? user.times.createdAt
        var identity = Identity(
            id: named == nil ? newID() : given.flatMap(IdentityID.init) ?? newID(), user: user.id, provider: provider,
            providerID: providerID, data: AuthJSON.object(data).text,
            email: data["email"]?.stringValue.flatMap(EmailAddress.init)?.text,
            at: createdAt)
        identity.lastSignInAt = try columns.time("last_sign_in_at")
        identity.updatedAt = try columns.time("updated_at") ?? createdAt
        return identity
    }

    private func usualIdentities(of user: User) -> [Identity] {
        var identities: [Identity] = []
        if let email = user.email.flatMap(EmailAddress.init) {
            let data = AccountMetadata.emailIdentity(
                user: user.id, email: email, isVerified: user.times.emailConfirmedAt != nil, data: [:])
            identities.append(
                Identity(
                    id: newID(), user: user.id, provider: "email", providerID: user.id.text,
                    data: AuthJSON.object(data).text, email: email.text, at: user.times.createdAt))
        }
        if let phone = user.phone.flatMap(PhoneNumber.init) {
            let data = AccountMetadata.phoneIdentity(
                user: user.id, phone: phone, isVerified: user.times.phoneConfirmedAt != nil)
            identities.append(
                Identity(
                    id: newID(), user: user.id, provider: "phone", providerID: user.id.text,
                    data: AuthJSON.object(data).text, email: nil, at: user.times.createdAt))
        }
        return identities.map { identity in
            var identity = identity
            identity.lastSignInAt = user.times.lastSignInAt
            return identity
        }
    }
}
