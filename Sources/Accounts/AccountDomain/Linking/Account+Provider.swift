package import GatehouseWire

// The effects of linking decisions on an account. These methods do not check permission.
extension Account {
    /// Creates the account of a new user.
    ///
    /// - Parameter user: Supplies id, audience, role and times.
    package init(
        _ user: User, madeBy identity: ProviderIdentity, id: IdentityID, takesAddress: Bool, within room: TokenRoom,
        at now: Instant
    ) {
        var user = user
        user.appMetadata = AuthJSON.object(AccountMetadata.providers([identity.provider])).text
        user.takeMetadata(of: identity, within: room)
        if takesAddress, let email = identity.provenEmail { user.takeProven(email, at: now) }
        self.init(user: user, identities: [Identity(id: id, user: user.id, identity, at: now)])
    }

    /// Updates the account for another sign-in with one of its identities.
    ///
    /// - Returns: Whether the identity got its first name with this sign-in.
    /// - Throws: ``JSONProblem`` if the stored data of the identity or the `user_metadata` is not JSON.
    package mutating func refresh(
        _ identity: ProviderIdentity, within room: TokenRoom, at now: Instant
    ) throws(JSONProblem) -> Bool {
        guard let index = index(of: identity) else { return false }
        let known = try JSONReader.read(identities[index].data).objectValue ?? [:]
        var data = identity.data
        // Apple sends the name only once. Later tokens without a name do not remove it.
        for member in ["name", "full_name"] where data[member] == nil { data[member] = known[member] }
        identities[index].data = AuthJSON.object(data).text
        identities[index].email = identity.email?.text
        identities[index].isEmailVerified = identity.isEmailVerified
        identities[index].lastSignInAt = now
        identities[index].updatedAt = now
        user.times.updatedAt = now
        try mergeMetadata(identity.data, within: room)
        if identities[index].vouches(for: user.email), let email = identity.email { user.takeProven(email, at: now) }
        return known["name"] == nil && data["name"] != nil
    }

    /// Adds an identity.
    ///
    /// - Parameter mergesMetadata: Merges the identity's data into `user_metadata`. Supabase Auth does so unless a
    ///   signed-in user links manually.
    /// - Returns: The values needed to undo the link.
    /// - Throws: ``JSONProblem`` if the stored `user_metadata` or `app_metadata` is not JSON.
    package mutating func link(
        _ identity: ProviderIdentity, id: IdentityID, address: LinkingDecision.LinkedAddress, mergesMetadata: Bool,
        within room: TokenRoom, at now: Instant
    ) throws(JSONProblem) -> LinkUndo {
        var undo = LinkUndo(provenAt: user.times.emailProvenAt)
        if mergesMetadata {
            let before = try JSONReader.read(user.userMetadata).objectValue ?? [:]
            if try mergeMetadata(identity.data, within: room) {
                undo.metadata = identity.data.reduce(into: [:]) { $0[$1.key] = before[$1.key] ?? .null }
            }
        }
        identities.append(Identity(id: id, user: user.id, identity, at: now))
        switch address {
        case .keeps: break
        case .proves, .takes, .takesFrom:
            if let email = identity.provenEmail { user.takeProven(email, at: now) }
        }
        undo.email = user.email
        // An account with a sign-in method is not anonymous.
        user.isAnonymous = false
        user.times.updatedAt = now
        try recomputeProviders()
        return undo
    }

    /// Turns an unconfirmed sign-up into the account of an identity. Its id and everything that administrators stored
    /// stay. What the sign-up entered is set aside with its password.
    ///
    /// - Throws: ``JSONProblem`` if the stored metadata is not JSON.
    package mutating func takeOver(
        by identity: ProviderIdentity, id: IdentityID, within room: TokenRoom, at now: Instant
    ) throws(JSONProblem) {
        let entered = enteredMetadata
        if let hash = user.passwordHash {
            user.setAside.add(SetAside.Password(hash: hash, data: entered, at: now))
            user.passwordHash = nil
        }
        (user.phone, user.newEmail, user.newPhone) = (nil, nil, nil)
        let stored = try JSONReader.read(user.userMetadata).objectValue ?? [:]
        // An administrator's members are those that the sign-up did not enter.
        let given = stored.filter { name, value in
            entered[name] != value && !AccountMetadata.serverMembers.contains(ExternalName(trusted: name))
        }
        user.userMetadata = AuthJSON.object(given).text
        user.times.updatedAt = now
        if let email = identity.provenEmail { user.takeProven(email, at: now) }
        identities = [Identity(id: id, user: user.id, identity, at: now)]
        try recomputeProviders()
        try mergeMetadata(identity.data.filter { given[$0.key] == nil }, within: room)
    }

    /// Sets `providers` in the order of the identities.
    mutating func recomputeProviders() throws(JSONProblem) {
        let members = try JSONReader.read(user.appMetadata).objectValue ?? [:]
        user.appMetadata = AuthJSON.object(AccountMetadata.providers(identities.map(\.provider), over: members)).text
    }

    private func index(of identity: ProviderIdentity) -> Int? {
        identities.firstIndex { $0.provider == identity.provider && $0.providerID == identity.subject }
    }

    /// - Returns: Whether the data was merged. It is not if the result would exceed the room in a token.
    @discardableResult
    private mutating func mergeMetadata(_ data: AuthJSONObject, within room: TokenRoom) throws(JSONProblem) -> Bool {
        var members = try JSONReader.read(user.userMetadata).objectValue ?? [:]
        members.merge(deletingNulls: data)
        var merged = user
        merged.userMetadata = AuthJSON.object(members).text
        guard room.admits(merged, after: user) else { return false }
        user = merged
        return true
    }
}

extension User {
    /// Replaces `user_metadata` with the identity's data, or with its identifying members if more does not fit into a token.
    fileprivate mutating func takeMetadata(of identity: ProviderIdentity, within room: TokenRoom) {
        userMetadata = AuthJSON.object(identity.data).text
        if !room.fits(self) { userMetadata = AuthJSON.object(ProviderIdentity.facts(of: identity.data)).text }
    }

    /// Sets an email address whose ownership is proven. Another one ends a change of address that waits: its mails asked
    /// the address before, or none.
    mutating func takeProven(_ email: EmailAddress, at now: Instant) {
        if self.email != email.text { (times.emailProvenAt, newEmail) = (nil, nil) }
        self.email = email.text
        (formerEmail, times.formerEmailMovedAt) = (nil, nil)
        times.emailConfirmedAt = times.emailConfirmedAt ?? now
        times.emailProvenAt = times.emailProvenAt ?? now
    }

    /// Removes the email address.
    mutating func dropAddress() {
        email = nil
        (times.emailConfirmedAt, times.emailProvenAt) = (nil, nil)
    }
}
