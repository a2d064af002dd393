import GatehouseWire

/// A pure function of ``LinkingFacts``, with its rules in `Docs/reference/linking-rules.md`.
///
/// An address can be *confirmed* (usable for sign-in) and *proven* (its user demonstrated ownership). Only addresses
/// proven on both sides are linked without confirmation, and never to an account with a second factor or an
/// administrator's role.
package struct LinkingDecision: Equatable, Sendable {
    package enum Action: Equatable, Sendable {
        case signIn(UserID)
        /// Creates an account, without the address if another one has it or the provider did not verify it.
        case create(takesAddress: Bool)
        /// Takes over an unconfirmed sign-up; only its id and the administrators' fields stay.
        case takeOver(UserID)
        case link(UserID, LinkedAddress)
        /// The user must prove ownership.
        case ask(UserID, canRecover: Bool)
        /// Moves only the address to a new account.
        case replace(UserID)
        case refuse(LinkingRefusal)
    }

    package enum LinkedAddress: Equatable, Sendable {
        case keeps
        case proves
        /// The account had no address.
        case takes
        /// Takes the address from an unconfirmed sign-up, which keeps everything else.
        case takesFrom(UserID)
    }

    package let rule: LinkingRule
    package let action: Action

    package init(_ rule: LinkingRule, _ action: Action) {
        self.rule = rule
        self.action = action
    }

    package init(_ facts: LinkingFacts) {
        self =
            switch facts.intent {
            case .signIn: Self.signIn(facts)
            case .link(let asker): Self.link(facts, to: asker)
            case .confirm(let asker): Self.confirm(facts, by: asker)
            case .recover: Self.recover(facts)
            }
    }

    private static func signIn(_ facts: LinkingFacts) -> LinkingDecision {
        let identity = facts.identity
        if let owner = facts.owner {
            return owner.isBanned ? .banned : LinkingDecision(.knownIdentity, .signIn(owner.user))
        }
        guard identity.email != nil else { return create(facts, .noAddress, takesAddress: false) }
        guard identity.isEmailVerified else { return create(facts, .unverifiedAddress, takesAddress: false) }
        let proven = facts.holders.filter { $0.claim == .proven }
        if let abandoned = facts.holders.first(where: { $0.claim == .abandoned }), facts.holders.count == 1 {
            if abandoned.isBanned { return .banned }
            // The invitation email opens it: it has no other sign-in method to confirm with.
            if abandoned.isAdministrator { return create(facts, .administrator, takesAddress: false) }
            return LinkingDecision(.unconfirmedSignUp, .takeOver(abandoned.user))
        }
        if identity.isPrivateRelay { return create(facts, .relayAddress, takesAddress: facts.holders.isEmpty) }
        guard let holder = proven.first ?? facts.holders.first(where: { $0.claim == .claimed }) else {
            return create(facts, .newAddress, takesAddress: true)
        }
        if facts.rules.linking == .never { return create(facts, .policyNever, takesAddress: false) }
        if holder.removal == .undone { return create(facts, .undoneBefore, takesAddress: false) }
        return join(holder, facts, isOneOfSeveral: proven.count > 1)
    }

    private static func join(
        _ holder: AddressHolder, _ facts: LinkingFacts, isOneOfSeveral: Bool
    ) -> LinkingDecision {
        func ask(_ rule: LinkingRule, canRecover: Bool = false) -> LinkingDecision {
            LinkingDecision(rule, .ask(holder.user, canRecover: canRecover))
        }
        if holder.isBanned { return .banned }
        if isOneOfSeveral { return ask(.severalAccounts) }
        if holder.removal == .unlinked { return ask(.unlinkedBefore) }
        if holder.claim == .claimed { return ask(.unprovenAddress, canRecover: true) }
        if holder.hasOtherSubject { return ask(.otherSubject) }
        // Adding a sign-in method needs the second factor.
        if holder.hasSecondFactor { return ask(.secondFactor) }
        // Otherwise the weakest provider would own the server.
        if holder.isAdministrator { return ask(.administrator) }
        if facts.rules.linking == .confirm { return ask(.policyConfirm) }
        return LinkingDecision(.provenByBoth, .link(holder.user, holder.isOwn ? .proves : .keeps))
    }

    private static func create(
        _ facts: LinkingFacts, _ rule: LinkingRule, takesAddress: Bool
    ) -> LinkingDecision {
        // Its user more likely means the earlier account than a new, empty one.
        if let former = facts.formerOwner, facts.intent != .recover {
            let ask = Action.ask(former.user, canRecover: facts.rules.allowsSignUp)
            return former.isBanned ? .banned : LinkingDecision(.unlinkedBefore, ask)
        }
        guard facts.rules.allowsSignUp else { return LinkingDecision(.signUpDisabled, .refuse(.signUpDisabled)) }
        let identity = facts.identity
        switch facts.rules.address {
        case .present where identity.email == nil, .verified where identity.email == nil:
            return LinkingDecision(.addressRequired, .refuse(.emailMissing))
        case .verified where !identity.isEmailVerified:
            return LinkingDecision(.addressRequired, .refuse(.emailUnverified))
        default: return LinkingDecision(rule, .create(takesAddress: takesAddress))
        }
    }

    private static func link(_ facts: LinkingFacts, to asker: UserID) -> LinkingDecision {
        if let owner = facts.owner {
            return owner.user == asker
                ? LinkingDecision(.alreadyLinked, .refuse(.alreadyLinked))
                : LinkingDecision(.linkedElsewhere, .refuse(.taken))
        }
        func link(_ address: LinkedAddress) -> LinkingDecision { LinkingDecision(.linkedByHand, .link(asker, address)) }
        guard let email = facts.identity.provenEmail else { return link(.keeps) }
        if let askersEmail = facts.askersEmail { return link(askersEmail == email.text ? .proves : .keeps) }
        let others = facts.holders.filter { $0.user != asker }
        guard let other = others.first else { return link(.takes) }
        if others.count == 1, other.claim == .abandoned { return link(.takesFrom(other.user)) }
        return LinkingDecision(.addressInUse, .refuse(.emailTaken))
    }

    private static func confirm(_ facts: LinkingFacts, by asker: UserID) -> LinkingDecision {
        if let owner = facts.owner, owner.user != asker { return LinkingDecision(.linkedElsewhere, .refuse(.taken)) }
        let decision = signIn(facts)
        switch decision.action {
        case .signIn, .refuse: return decision
        case .ask, .link:
            guard let holder = facts.holders.first(where: { $0.user == asker && $0.claim != .abandoned }) else {
                return facts.formerOwner?.user == asker && decision.rule == .unlinkedBefore
                    ? LinkingDecision(.confirmedByOwner, .link(asker, .keeps))
                    : LinkingDecision(.ticketForAnother, .refuse(.otherAccount))
            }
            if holder.isBanned { return .banned }
            return LinkingDecision(.confirmedByOwner, .link(asker, holder.isOwn ? .proves : .keeps))
        case .create, .takeOver, .replace: return LinkingDecision(.ticketOutdated, .refuse(.outdated))
        }
    }

    private static func recover(_ facts: LinkingFacts) -> LinkingDecision {
        let decision = signIn(facts)
        switch decision.action {
        case .ask(let holder, canRecover: true): return LinkingDecision(.recoveredByProvider, .replace(holder))
        case .ask: return LinkingDecision(.recoveryRefused, .refuse(.notRecoverable))
        // The account has no claim to the address, or gave it up.
        default: return decision
        }
    }

    private static let banned = LinkingDecision(.accountBanned, .refuse(.banned))
}
