package import GatehouseWire

// These methods do not check permission.
extension Account {
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

    /// Updates the account for another sign-in with the identity.
    ///
    /// - Returns: Whether the identity got its first name now.
    package mutating func refresh(
        _ identity: ProviderIdentity, within room: TokenRoom, at now: Instant
    ) throws(JSONProblem) -> Bool {
        guard let index = index(of: identity) else { return false }
        let known = try JSONReader.read(identities[index].data).objectValue ?? [:]
        var data = identity.data
        // Apple sends the name only once.
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

    /// - Parameter mergesMetadata: Supabase Auth merges unless a signed-in user links manually.
    /// - Returns: The values needed to undo the link.
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
        user.isAnonymous = false
        user.times.updatedAt = now
        try recomputeProviders()
        return undo
    }

    /// Turns an unconfirmed sign-up into the identity's account. Its id and everything that administrators stored stay;
    /// the sign-up's data is set aside with its password.
    package mutating func takeOver(
        by identity: ProviderIdentity, id: IdentityID, within room: TokenRoom, at now: Instant
    ) throws(JSONProblem) {
        let entered = enteredMetadata
        if let hash = user.passwordHash {
            user.setAside.add(SetAside.Password(hash: hash, data: entered, at: now))
            user.passwordHash = nil
        }
        user.newEmail = nil
        user.dropPhone()
        let stored = try JSONReader.read(user.userMetadata).objectValue ?? [:]
        // The rest is an administrator's.
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

    mutating func recomputeProviders() throws(JSONProblem) {
        let members = try JSONReader.read(user.appMetadata).objectValue ?? [:]
        user.appMetadata = AuthJSON.object(AccountMetadata.providers(identities.map(\.provider), over: members)).text
    }

    private func index(of identity: ProviderIdentity) -> Int? {
        identities.firstIndex { $0.provider == identity.provider && $0.providerID == identity.subject }
    }

    /// - Returns: false, without changes, if the result would not fit into a token.
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
    /// Replaces `user_metadata` with the identity's data, or only its identifying members if more does not fit into a
    /// token.
    fileprivate mutating func takeMetadata(of identity: ProviderIdentity, within room: TokenRoom) {
        userMetadata = AuthJSON.object(identity.data).text
        if !room.fits(self) { userMetadata = AuthJSON.object(ProviderIdentity.facts(of: identity.data)).text }
    }

    /// A different address cancels a pending change of address, whose emails went to the previous one.
    mutating func takeProven(_ email: EmailAddress, at now: Instant) {
        if self.email != email.text { (times.emailProvenAt, newEmail) = (nil, nil) }
        self.email = email.text
        (formerEmail, times.formerEmailMovedAt) = (nil, nil)
        times.emailConfirmedAt = times.emailConfirmedAt ?? now
        times.emailProvenAt = times.emailProvenAt ?? now
    }

    mutating func dropAddress() {
        email = nil
        (times.emailConfirmedAt, times.emailProvenAt) = (nil, nil)
    }
}
