package import GatehouseWire

package enum SignInMethod: Hashable, Sendable {
    /// With a confirmed address.
    case password
    /// Codes to a confirmed number.
    case phone
    case identity(IdentityID, provider: String)

    /// `password`, `phone`, or the provider's name.
    package var name: String {
        switch self {
        case .password: "password"
        case .phone: "phone"
        case .identity(_, let provider): provider
        }
    }
}

extension Account {
    /// Password first, then the number and identities, oldest first.
    package var signInMethods: [SignInMethod] {
        let identities = identities.filter(\.isOfProvider).map { SignInMethod.identity($0.id, provider: $0.provider) }
        let hasPhone = user.phone != nil && user.times.phoneConfirmedAt != nil
        return (hasPasswordSignIn ? [.password] : []) + (hasPhone ? [.phone] : []) + identities
    }

    package var hasPasswordSignIn: Bool {
        passwordSignsIn(without: nil)
    }

    /// - Parameter provider: Of the removed identity.
    func passwordSignsIn(without provider: String?) -> Bool {
        guard user.passwordHash != nil else { return false }
        let byEmail = user.formerEmail != nil || (user.email != nil && user.times.emailConfirmedAt != nil)
        let byPhone = user.phone != nil && user.times.phoneConfirmedAt != nil
        return (byEmail && provider != "email") || (byPhone && provider != "phone")
    }
}

package enum UnlinkDecision: Equatable, Sendable {
    /// The effect on the account's email address.
    package enum Address: Equatable, Sendable {
        case keeps
        /// The remaining identities have only other addresses; this one becomes the account's.
        case becomes(EmailAddress)
        /// No remaining identity has a verified address.
        case goes
    }

    package enum Refusal: Equatable, Sendable {
        case lastMethod
        case notFound
        /// Other accounts have every address of the remaining identities.
        case addressConflict
    }

    case remove(Address)
    case refuse(Refusal)

    /// - Parameter isFree: Whether no other account has the address. Called only if the result matters.
    package init(
        _ account: Account, removing id: IdentityID, hasPasskey: Bool = false, isFree: (EmailAddress) throws -> Bool
    ) rethrows {
        let removed = account.identities.first { $0.id == id }
        let left = account.methods(without: removed)
        // As in Supabase Auth, an account with a single identity gets this refusal first, for any id.
        if left.isEmpty && !hasPasskey || account.identities.count <= 1 && removed == nil {
            self = .refuse(.lastMethod)
        } else if let removed {
            self = try Self.remove(
                removed, from: account, keepsAddress: left.contains(.password) && removed.provider != "email",
                isFree: isFree)
        } else {
            self = .refuse(.notFound)
        }
    }

    private static func remove(
        _ removed: Identity, from account: Account, keepsAddress: Bool, isFree: (EmailAddress) throws -> Bool
    ) rethrows -> UnlinkDecision {
        let left = account.identities.filter { $0.id != removed.id }
        guard let email = account.user.email else { return .remove(.keeps) }
        let stillHas = left.contains { $0.provider == "email" || $0.vouches(for: email) }
        if keepsAddress || stillHas { return .remove(.keeps) }
        let candidates = account.provenAddresses(without: removed.id)
        if let next = try candidates.first(where: isFree) { return .remove(.becomes(next)) }
        return candidates.isEmpty ? .remove(.goes) : .refuse(.addressConflict)
    }
}

extension Account {
    /// The password goes with the last address that it signs in with.
    func methods(without removed: Identity?) -> [SignInMethod] {
        guard let removed else { return signInMethods }
        return signInMethods.filter { method in
            switch method {
            case .password: passwordSignsIn(without: removed.provider)
            case .phone: removed.provider != "phone"
            case .identity(let id, _): id != removed.id
            }
        }
    }

    /// Oldest identity first.
    func provenAddresses(without removed: IdentityID?) -> [EmailAddress] {
        identities.filter { $0.id != removed && $0.isEmailVerified }.compactMap { $0.email.flatMap(EmailAddress.init) }
    }
}
