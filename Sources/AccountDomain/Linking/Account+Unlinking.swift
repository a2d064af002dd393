package import GatehouseWire

/// What a link changed of an account, so that its owner can take it back.
package struct LinkUndo: Equatable, Sendable {
    /// For so long after the link.
    package static let period: Duration = .seconds(30 * 86_400)

    /// The members of `user_metadata` that were merged over, as they were; null for one that was not there.
    package var metadata: JSONObject = [:]
    /// What the profile took over.
    package var profile = ProfileFill()
    /// The account's address after the link, and when that was proven before it.
    package var email: String?
    package var provenAt: Instant?

    package init(provenAt: Instant? = nil) { self.provenAt = provenAt }

    package var json: AnyJSON {
        let members: [String: AnyJSON?] = [
            "metadata": .object(metadata), "email": email.map(AnyJSON.string),
            "proven_at": (provenAt?.microseconds).map(AnyJSON.integer),
            "first_name": profile.firstName.map(AnyJSON.string), "name": profile.name.map(AnyJSON.string),
            "avatar_url": profile.avatarURL.map(AnyJSON.string),
        ]
        return .object(JSONObject(members.compactMapValues(\.self)))
    }

    package init(json: AnyJSON) {
        metadata = json["metadata"]?.objectValue ?? [:]
        email = json["email"]?.stringValue
        provenAt = json["proven_at"]?.intValue.map(Instant.init(microseconds:))
        profile = ProfileFill(
            firstName: json["first_name"]?.stringValue, name: json["name"]?.stringValue,
            avatarURL: json["avatar_url"]?.stringValue)
    }
}

extension Account {
    /// Takes an identity off the account. A password that stays behind alone gets the identity that stands for it.
    ///
    /// - Parameters:
    ///   - address: What ``UnlinkDecision`` said.
    ///   - newID: For the identity of the address, if one has to be made.
    /// - Returns: The identity that was made.
    package mutating func unlink(
        _ id: IdentityID, address: UnlinkDecision.Address, newID: IdentityID, at now: Instant
    ) throws(JSONProblem) -> Identity? {
        let removed = identities.first { $0.id == id }
        identities.removeAll { $0.id == id }
        if removed?.provider == "email" { user.passwordHash = nil }
        if removed?.provider == "phone" { (user.phone, user.times.phoneConfirmedAt) = (nil, nil) }
        var made: Identity?
        if hasPasswordSignIn, !identities.contains(where: { $0.provider == "email" }) {
            made = user.email.flatMap(EmailAddress.init).map { identity(for: $0, id: newID, at: now) }
            if let made { identities.append(made) }
        }
        switch address {
        case .keeps: break
        case .becomes(let email): user.takeProven(email, at: now)
        case .goes: user.dropAddress()
        }
        user.times.updatedAt = now
        try recomputeProviders()
        return made
    }

    /// What ``unlink(_:address:newID:at:)`` does, and what the link changed besides as it was before: the metadata that
    /// nobody changed since, and whether the address is proven.
    package mutating func undo(
        _ undo: LinkUndo, of id: IdentityID, address: UnlinkDecision.Address, newID: IdentityID, at now: Instant
    ) throws(JSONProblem) -> Identity? {
        let linked = try (identities.first { $0.id == id }?.data).map { text throws(JSONProblem) in
            try JSONReader.read(text).objectValue ?? [:]
        }
        var members = try JSONReader.read(user.userMetadata).objectValue ?? [:]
        for (key, before) in undo.metadata where members[key] == linked?[key] {
            members[key] = before.isNull ? nil : before
        }
        user.userMetadata = AnyJSON.object(members).text
        let made = try unlink(id, address: address, newID: newID, at: now)
        if address == .keeps, user.email == undo.email,
            !identities.contains(where: { $0.vouches(for: user.email) })
        {
            user.times.emailProvenAt = undo.provenAt
        }
        return made
    }

    /// What is left of an account whose address turns out to be somebody else's (requirement D8): the identities of
    /// providers that are its person's own, without password and address.
    ///
    /// - Parameter isFree: Whether no other account has an address that would take the place of the one that goes.
    /// - Returns: nil when nobody can get in any more: then nothing is to be left.
    package func withoutItsAddress(
        at now: Instant, isFree: (EmailAddress) throws -> Bool
    ) throws -> Account? {
        var left = self
        left.identities.removeAll { $0.provider == "email" }
        guard left.identities.contains(where: \.isOfProvider) else { return nil }
        left.user.passwordHash = nil
        left.user.newEmail = nil
        left.user.dropAddress()
        let candidates = left.provenAddresses(without: nil).filter { $0.text != user.email }
        if let next = try candidates.first(where: isFree) { left.user.takeProven(next, at: now) }
        left.user.times.updatedAt = now
        try left.recomputeProviders()
        return left
    }

    private func identity(for email: EmailAddress, id: IdentityID, at now: Instant) -> Identity {
        let data = AccountMetadata.emailIdentity(
            user: user.id, email: email, isVerified: user.times.emailProvenAt != nil, data: [:])
        return Identity(
            id: id, user: user.id, provider: "email", providerID: user.id.text, data: AnyJSON.object(data).text,
            email: email.text, at: now)
    }
}
