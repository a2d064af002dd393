package import GatehouseWire

package struct LinkingFacts: Equatable, Sendable {
    package enum Intent: Equatable, Sendable {
        case signIn
        case link(UserID)
        /// A signed-in user proves ownership of the ticket's account.
        case confirm(UserID)
        /// The identity's owner claims the ticket's address from an account that never proved it.
        case recover
    }

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
    /// Accounts that have, or would get, the identity's address. Empty for an unverified address.
    package var holders: [AddressHolder]
    /// The account that set the identity aside on its address's first proof. The identity's owner is unknown.
    package var formerOwner: Owner?
    /// For `link` only.
    package var askersEmail: String?

    package init(
        identity: ProviderIdentity, intent: Intent = .signIn, rules: ProviderRules = ProviderRules(),
        owner: Owner? = nil, holders: [AddressHolder] = [], formerOwner: Owner? = nil, askersEmail: String? = nil
    ) {
        self.identity = identity
        self.intent = intent
        self.rules = rules
        self.owner = owner
        self.holders = holders
        self.formerOwner = formerOwner
        self.askersEmail = askersEmail
    }
}

package enum LinkRemoval: String, CaseIterable, Sendable {
    case unlinked
    /// A mistake: the identity belongs to another person.
    case undone
}

package struct AddressHolder: Equatable, Sendable {
    package enum Claim: Equatable, Sendable {
        case proven
        /// Unproven, confirmed or not.
        case claimed
        /// An unconfirmed sign-up that never had a session.
        case abandoned
    }

    package let user: UserID
    package let claim: Claim
    /// Whether it is the account's own address, not only an identity's.
    package let isOwn: Bool
    package let isBanned: Bool
    /// Whether the account has another identity of the same provider, and so another user.
    package let hasOtherSubject: Bool
    package let hasSecondFactor: Bool
    package let isAdministrator: Bool
    /// How the owner removed this identity before.
    package let removal: LinkRemoval?

    package init(
        user: UserID, claim: Claim, isOwn: Bool = true, isBanned: Bool = false, hasOtherSubject: Bool = false,
        hasSecondFactor: Bool = false, isAdministrator: Bool = false, removal: LinkRemoval? = nil
    ) {
        self.user = user
        self.claim = claim
        self.isOwn = isOwn
        self.isBanned = isBanned
        self.hasOtherSubject = hasOtherSubject
        self.hasSecondFactor = hasSecondFactor
        self.isAdministrator = isAdministrator
        self.removal = removal
    }

    /// - Returns: nil without a claim to the identity's address.
    package init?(
        _ account: Account, for identity: ProviderIdentity, _ rules: ProviderRules = ProviderRules(),
        removal: LinkRemoval?, at now: Instant
    ) {
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
            }, hasSecondFactor: account.user.hasSecondFactor,
            isAdministrator: rules.administratorRoles.contains(account.user.role), removal: removal)
    }
}

extension Account {
    /// No confirmed address, provider identity or second factor, and never a session.
    package var isAbandoned: Bool {
        user.confirmedAt == nil && user.times.lastSignInAt == nil && !user.isAnonymous && user.factors == nil
            && !identities.contains(where: \.isOfProvider)
    }
}
