package import GatehouseWire

// What becomes of an account when one of its decisions is carried out. Nothing here asks whether it may.
extension Account {
    /// The account of somebody who was not known before.
    ///
    /// - Parameter user: New: its id, audience, role and times are kept.
    package init(
        _ user: User, madeBy identity: ProviderIdentity, id: IdentityID, takesAddress: Bool, at now: Instant
    ) {
        var user = user
        user.userMetadata = AnyJSON.object(identity.data).text
        user.appMetadata = AnyJSON.object(AccountMetadata.providers([identity.provider])).text
        if takesAddress, let email = identity.provenEmail { user.takeProven(email, at: now) }
        self.init(user: user, identities: [Identity(id: id, user: user.id, identity, at: now)])
    }

    /// A later sign-in with an identity that the account has.
    ///
    /// - Returns: Whether the identity had no name before and has one now.
    package mutating func refresh(_ identity: ProviderIdentity, at now: Instant) throws(JSONProblem) -> Bool {
        guard let index = index(of: identity) else { return false }
        let known = try JSONReader.read(identities[index].data).objectValue ?? [:]
        var data = identity.data
        // Apple tells a name once: later tokens without one do not take it back.
        for member in ["name", "full_name"] where data[member] == nil { data[member] = known[member] }
        identities[index].data = AnyJSON.object(data).text
        identities[index].email = identity.email?.text
        identities[index].isEmailVerified = identity.isEmailVerified
        identities[index].lastSignInAt = now
        identities[index].updatedAt = now
        user.times.updatedAt = now
        try mergeMetadata(identity.data)
        if identities[index].vouches(for: user.email), let email = identity.email { user.takeProven(email, at: now) }
        return known["name"] == nil && data["name"] != nil
    }

    /// Adds an identity.
    ///
    /// - Parameter mergesMetadata: As the Auth API does unless a signed-in person links by hand.
    /// - Returns: What takes it back.
    package mutating func link(
        _ identity: ProviderIdentity, id: IdentityID, address: LinkingDecision.LinkedAddress, mergesMetadata: Bool,
        at now: Instant
    ) throws(JSONProblem) -> LinkUndo {
        var undo = LinkUndo(provenAt: user.times.emailProvenAt)
        if mergesMetadata {
            let before = try JSONReader.read(user.userMetadata).objectValue ?? [:]
            if try mergeMetadata(identity.data) {
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
        // Whoever has a way to sign in again is not anonymous.
        user.isAnonymous = false
        user.times.updatedAt = now
        try recomputeProviders()
        return undo
    }

    /// Makes the account of a sign-up that nobody finished the account of an identity (requirement D8): its id, and
    /// what administrators set, stay; everything that whoever signed up gave goes.
    package mutating func takeOver(
        by identity: ProviderIdentity, id: IdentityID, at now: Instant
    ) throws(JSONProblem) {
        user.passwordHash = nil
        (user.phone, user.newEmail, user.newPhone) = (nil, nil, nil)
        user.userMetadata = AnyJSON.object(identity.data).text
        user.times.updatedAt = now
        if let email = identity.provenEmail { user.takeProven(email, at: now) }
        identities = [Identity(id: id, user: user.id, identity, at: now)]
        try recomputeProviders()
    }

    /// `providers` in the order in which the identities came.
    mutating func recomputeProviders() throws(JSONProblem) {
        let members = try JSONReader.read(user.appMetadata).objectValue ?? [:]
        user.appMetadata = AnyJSON.object(AccountMetadata.providers(identities.map(\.provider), over: members)).text
    }

    private func index(of identity: ProviderIdentity) -> Int? {
        identities.firstIndex { $0.provider == identity.provider && $0.providerID == identity.subject }
    }

    /// - Returns: Whether it was merged; more than ``AccountMetadata/maximumBytes`` would be too long for a token.
    @discardableResult
    private mutating func mergeMetadata(_ data: JSONObject) throws(JSONProblem) -> Bool {
        var members = try JSONReader.read(user.userMetadata).objectValue ?? [:]
        members.merge(deletingNulls: data)
        let merged = AnyJSON.object(members).text
        guard merged.utf8.count <= AccountMetadata.maximumBytes else { return false }
        user.userMetadata = merged
        return true
    }
}

extension User {
    /// Gives the account an address that its person has proven to have.
    mutating func takeProven(_ email: EmailAddress, at now: Instant) {
        if self.email != email.text { times.emailProvenAt = nil }
        self.email = email.text
        times.emailConfirmedAt = times.emailConfirmedAt ?? now
        times.emailProvenAt = times.emailProvenAt ?? now
    }

    /// Leaves the account without an address.
    mutating func dropAddress() {
        email = nil
        (times.emailConfirmedAt, times.emailProvenAt) = (nil, nil)
    }
}
