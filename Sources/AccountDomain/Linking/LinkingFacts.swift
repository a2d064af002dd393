package import GatehouseWire

/// All that the decision about an identity depends on.
package struct LinkingFacts: Equatable, Sendable {
    package enum Intent: Equatable, Sendable {
        case signIn
        /// Somebody who is signed in adds the identity to their account.
        case link(UserID)
        /// Somebody who is signed in proves with a ticket that they are the identity's person too.
        case confirm(UserID)
        /// The identity's person, with a ticket, takes their address from an account that never proved it.
        case recover
    }

    /// The account that has the identity.
    package struct Owner: Equatable, Sendable {
        package let user: UserID
        package let isBanned: Bool

        package init(user: UserID, isBanned: Bool = false) {
            self.user = user
            self.isBanned = isBanned
        }
    }

    package var identity: ProviderIdentity
    package var intent: Intent
    package var rules: ProviderRules
    package var owner: Owner?
    /// Those who have the identity's address, or would have; none are asked for when it is not verified.
    package var holders: [AddressHolder]
    /// The own address of the account that asks; unused for other intents than `link`.
    package var askersEmail: String?

    package init(
        identity: ProviderIdentity, intent: Intent = .signIn, rules: ProviderRules = ProviderRules(),
        owner: Owner? = nil, holders: [AddressHolder] = [], askersEmail: String? = nil
    ) {
        self.identity = identity
        self.intent = intent
        self.rules = rules
        self.owner = owner
        self.holders = holders
        self.askersEmail = askersEmail
    }
}

/// The owner of an account took an identity off it.
package enum LinkRemoval: String, CaseIterable, Sendable {
    /// This method shall not open the account any more.
    case unlinked
    /// The link was wrong from the beginning: this is another person.
    case undone
}

/// An account that has an address, seen from an identity with the same address.
package struct AddressHolder: Equatable, Sendable {
    package enum Claim: Equatable, Sendable {
        /// Its person has proven to have the address.
        case proven
        /// Confirmed or not, nobody has proven it.
        case claimed
        /// Signed up with it, never confirmed it, and nobody has ever been signed in.
        case abandoned
    }

    package let user: UserID
    package let claim: Claim
    /// Whether it is the account's own address, not only that of one of its identities.
    package let isOwn: Bool
    package let isBanned: Bool
    /// Whether it has another identity of the same provider: then the provider says that they are two people.
    package let hasOtherSubject: Bool
    /// Whether the identity was linked to this account before.
    package let removal: LinkRemoval?

    package init(
        user: UserID, claim: Claim, isOwn: Bool = true, isBanned: Bool = false, hasOtherSubject: Bool = false,
        removal: LinkRemoval? = nil
    ) {
        self.user = user
        self.claim = claim
        self.isOwn = isOwn
        self.isBanned = isBanned
        self.hasOtherSubject = hasOtherSubject
        self.removal = removal
    }

    /// - Returns: nil when the account has no claim on the identity's address.
    package init?(_ account: Account, for identity: ProviderIdentity, removal: LinkRemoval?, at now: Instant) {
        guard let email = identity.provenEmail?.text, account.user.times.deletedAt == nil else { return nil }
        let isOwn = account.user.email == email
        let isVouched = account.identities.contains { $0.vouches(for: email) }
        guard isOwn || isVouched else { return nil }
        let claim: Claim =
            if isVouched || account.user.times.emailProvenAt != nil {
                .proven
            } else if account.isAbandoned {
                .abandoned
            } else {
                .claimed
            }
        self.init(
            user: account.user.id, claim: claim, isOwn: isOwn, isBanned: account.user.isBanned(at: now),
            hasOtherSubject: account.identities.contains {
                $0.provider == identity.provider && $0.providerID != identity.subject
            }, removal: removal)
    }
}

extension Account {
    /// Whether the account is only a sign-up that nobody finished: no address confirmed, no identity of a provider,
    /// never a session.
    package var isAbandoned: Bool {
        user.confirmedAt == nil && user.times.lastSignInAt == nil && !user.isAnonymous
            && !identities.contains(where: \.isOfProvider)
    }
}
