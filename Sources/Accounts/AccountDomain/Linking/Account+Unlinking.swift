package import GatehouseWire

/// The values that a link changed.
package struct LinkUndo: Equatable, Sendable {
    package static let period: Duration = .seconds(30 * 86_400)

    /// The overwritten members of `user_metadata`; null for new ones.
    package var metadata: AuthJSONObject = [:]
    package var profile = ProfileFill()
    /// The address after the link, and when it was proven before.
    package var email: String?
    package var provenAt: Instant?

    package init(provenAt: Instant? = nil) { self.provenAt = provenAt }

    package var json: AuthJSON {
        let members: [String: AuthJSON?] = [
            "metadata": .object(metadata), "email": email.map(AuthJSON.string),
            "proven_at": (provenAt?.microseconds).map(AuthJSON.integer),
            "first_name": profile.firstName.map(AuthJSON.string), "name": profile.name.map(AuthJSON.string),
            "avatar_url": profile.avatarURL.map(AuthJSON.string),
        ]
        return .object(AuthJSONObject(members.compactMapValues(\.self)))
    }

    package init(json: AuthJSON) {
        metadata = json["metadata"]?.objectValue ?? [:]
        email = json["email"]?.stringValue
        provenAt = json["proven_at"]?.intValue.map(Instant.init(microseconds:))
        profile = ProfileFill(
            firstName: json["first_name"]?.stringValue, name: json["name"]?.stringValue,
            avatarURL: json["avatar_url"]?.stringValue)
    }
}

extension Account {
    /// Removes an identity. If only a password remains, creates an email identity for it.
    ///
    /// - Returns: The email identity, if one was created.
    package mutating func unlink(
        _ id: IdentityID, address: UnlinkDecision.Address, newID: IdentityID, at now: Instant
    ) throws(JSONProblem) -> Identity? {
        let removed = identities.first { $0.id == id }
        identities.removeAll { $0.id == id }
        if let removed, !removed.isOfProvider, !passwordSignsIn(without: removed.provider) { user.passwordHash = nil }
        if removed?.provider == "phone" { user.dropPhone() }
        var made: Identity?
        if hasPasswordSignIn, removed?.provider != "email", !identities.contains(where: { $0.provider == "email" }) {
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

    /// Like ``unlink(_:address:newID:at:)``, and restores metadata that has not changed since the link, and whether the
    /// address is proven.
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
        user.userMetadata = AuthJSON.object(members).text
        let made = try unlink(id, address: address, newID: newID, at: now)
        if address == .keeps, user.email == undo.email,
            !identities.contains(where: { $0.vouches(for: user.email) })
        {
            user.times.emailProvenAt = undo.provenAt
        }
        return made
    }

    /// The account after its address moved to another one. Loses only the email identity; its password signs in with
    /// the former address.
    ///
    /// - Parameter isFree: Whether no other account has an address that could replace the moved one.
    package func withoutItsAddress(
        at now: Instant, isFree: (EmailAddress) throws -> Bool
    ) throws -> Account {
        var left = self
        left.identities.removeAll { $0.provider == "email" }
        left.user.newEmail = nil
        left.user.dropAddress()
        let candidates = left.provenAddresses(without: nil).filter { $0.text != user.email }
        if let next = try candidates.first(where: isFree) { left.user.takeProven(next, at: now) }
        (left.user.formerEmail, left.user.times.formerEmailMovedAt) = (user.email, now)
        left.user.times.updatedAt = now
        try left.recomputeProviders()
        return left
    }

    private func identity(for email: EmailAddress, id: IdentityID, at now: Instant) -> Identity {
        let data = AccountMetadata.emailIdentity(
            user: user.id, email: email, isVerified: user.times.emailProvenAt != nil, data: [:])
        return Identity(
            id: id, user: user.id, provider: "email", providerID: user.id.text, data: AuthJSON.object(data).text,
            email: email.text, at: now)
    }
}
