package import GatehouseWire

/// A way to get into an account.
package enum SignInMethod: Hashable, Sendable {
    /// With an address that is confirmed.
    case password
    case identity(IdentityID, provider: String)

    /// `password`, or the provider's name.
    package var name: String {
        switch self {
        case .password: "password"
        case .identity(_, let provider): provider
        }
    }
}

extension Account {
    /// The ways to get in, oldest first, the password before all.
    package var signInMethods: [SignInMethod] {
        let identities = identities.filter(\.isOfProvider).map { SignInMethod.identity($0.id, provider: $0.provider) }
        return (hasPasswordSignIn ? [.password] : []) + identities
    }

    package var hasPasswordSignIn: Bool {
        user.passwordHash != nil && user.email != nil && user.times.emailConfirmedAt != nil
    }
}

/// Whether a person may take a sign-in method off their account: never the last one.
package enum UnlinkDecision: Equatable, Sendable {
    package enum Address: Equatable, Sendable {
        case keeps
        /// None of what is left has the account's address, but this one.
        case becomes(EmailAddress)
        /// Nothing that is left has an address that its provider vouches for.
        case goes
    }

    package enum Refusal: Equatable, Sendable {
        case lastMethod
        case notFound
        /// Every address of what is left belongs to another account.
        case addressConflict
    }

    case remove(Address)
    case refuse(Refusal)

    /// - Parameter isFree: Whether no other account has an address. Asked only where the answer matters.
    package init(
        _ account: Account, removing id: IdentityID, isFree: (EmailAddress) throws -> Bool
    ) rethrows {
        let removed = account.identities.first { $0.id == id }
        let left = account.methods(without: removed)
        // As the Auth API: whoever has one identity learns that first, whatever they ask for.
        if left.isEmpty || account.identities.count <= 1 && removed == nil {
            self = .refuse(.lastMethod)
        } else if let removed {
            self = try Self.remove(removed, from: account, keepsPassword: left.contains(.password), isFree: isFree)
        } else {
            self = .refuse(.notFound)
        }
    }

    private static func remove(
        _ removed: Identity, from account: Account, keepsPassword: Bool, isFree: (EmailAddress) throws -> Bool
    ) rethrows -> UnlinkDecision {
        let left = account.identities.filter { $0.id != removed.id }
        guard let email = account.user.email else { return .remove(.keeps) }
        let stillHas = left.contains { $0.provider == "email" || $0.vouches(for: email) }
        if keepsPassword || stillHas { return .remove(.keeps) }
        let candidates = account.provenAddresses(without: removed.id)
        if let next = try candidates.first(where: isFree) { return .remove(.becomes(next)) }
        return candidates.isEmpty ? .remove(.goes) : .refuse(.addressConflict)
    }
}

extension Account {
    /// What is left of ``signInMethods``: the password goes with the identity of the address.
    func methods(without removed: Identity?) -> [SignInMethod] {
        guard let removed else { return signInMethods }
        return signInMethods.filter { method in
            switch method {
            case .password: removed.provider != "email"
            case .identity(let id, _): id != removed.id
            }
        }
    }

    /// The addresses that providers vouch for, oldest identity first.
    func provenAddresses(without removed: IdentityID?) -> [EmailAddress] {
        identities.filter { $0.id != removed && $0.isEmailVerified }.compactMap { $0.email.flatMap(EmailAddress.init) }
    }
}
