import AccountDomain
import GatehouseWire
import SQLDatabase

/// Decides about an identity and carries the decision out.
struct LinkingTransaction {
    let accounts: Accounts
    let db: any Connection
    let device: Device
    let now: Instant

    init(_ accounts: Accounts, _ db: any Connection, device: Device, now: Instant) {
        self.accounts = accounts
        self.db = db
        self.device = device
        self.now = now
    }

    func carryOut(
        _ signIn: ProviderSignIn, _ intent: LinkingFacts.Intent, asker: Account? = nil
    ) throws -> LinkingOutcome {
        let found = try Found(signIn, intent, asker: asker, in: db, at: now)
        let decision = LinkingDecision(found.facts)
        var step = LinkingStep(signIn: signIn, rule: decision.rule)
        step.setAside = found.setAside
        switch decision.action {
        case .signIn(let id): return try enter(step, found.account(id))
        case .create(let takesAddress): return try create(step, takesAddress: takesAddress)
        case .takeOver(let id): return try takeOver(step, found.account(id))
        case .link(let id, let address): return try link(step, found.account(id), address, intent)
        case .ask(let id, let canRecover): return try ask(step, found.account(id), canRecover: canRecover)
        case .replace(let id): return try replace(step, found.account(id))
        case .refuse(let refusal): return try refuse(refusal, decision.rule, signIn.identity)
        }
    }

    /// Stores a link to create when the code is redeemed. Checks for certain refusals now.
    func prepareLink(_ signIn: ProviderSignIn, to asker: LinkAsker, _ account: Account) throws -> LinkingOutcome {
        let found = try Found(signIn, .link(asker.user), asker: account, in: db, at: now)
        let decision = LinkingDecision(found.facts)
        if case .refuse(let refusal) = decision.action { return try refuse(refusal, decision.rule, signIn.identity) }
        let code = newCode()
        let step = LinkingStep(signIn: signIn, rule: decision.rule)
        try deposit(.link(signIn, session: asker.session), behind: code, of: account.user.id, step)
        return .signedIn(
            ProviderSession(account: account, delivered: .code(code), rule: decision.rule, change: .none))
    }

    private func enter(_ step: LinkingStep, _ account: Account) throws -> LinkingOutcome {
        var account = account
        let isNameNew = try account.refresh(step.identity, within: accounts.tokenRoom, at: now)
        guard let identity = account.identity(step.identity) else { throw UnknownIdentity() }
        try db.update(identity)
        if isNameNew { try db.fill(step.identity.profile, of: account.user.id, at: now) }
        let session = try deliver(step, &account, by: identity, .none)
        try db.update(account.user)
        try finish(step, identity, session, [])
        return .signedIn(session)
    }

    private func create(
        _ step: LinkingStep, takesAddress: Bool, besides entries: [AuditEntry] = []
    ) throws -> LinkingOutcome {
        var account = Account(
            accounts.newUser(at: now), madeBy: step.identity, id: accounts.newID(), takesAddress: takesAddress,
            within: accounts.tokenRoom, at: now)
        try accounts.admit(account)
        let identity = account.identities[0]
        try detach(step.setAside)
        let delivered = try deliver(step, &account, by: identity, .created)
        try db.insert(account.user)
        try db.insert(identity)
        try db.fill(step.identity.profile, of: account.user.id, at: now)
        try finish(step, identity, delivered, entries + [step.entry(.userSignedUp, account.user)])
        return .signedIn(delivered)
    }

    private func takeOver(_ step: LinkingStep, _ account: Account) throws -> LinkingOutcome {
        let (former, wasPrepared) = (account.identities, account.user.times.invitedAt != nil || !account.isOfSignUp)
        var account = account
        try account.takeOver(by: step.identity, id: accounts.newID(), within: accounts.tokenRoom, at: now)
        let identity = account.identities[0]
        try detach(step.setAside)
        let delivered = try deliver(step, &account, by: identity, .created)
        for identity in former { try db.removeIdentity(identity, at: now) }
        try db.voidCodes(of: account.user.id)
        try db.voidTokens(of: account.user.id)
        try db.update(account.user)
        try db.insert(identity)
        // An administrator's data stays; a sign-up's may be a stranger's.
        if !wasPrepared { try db.emptyProfile(of: account.user.id, at: now) }
        try db.fill(step.identity.profile, of: account.user.id, at: now)
        try finish(step, identity, delivered, [step.entry(.accountTakenOver, account.user)])
        return .signedIn(delivered)
    }

    private func link(
        _ step: LinkingStep, _ account: Account, _ address: LinkingDecision.LinkedAddress,
        _ intent: LinkingFacts.Intent
    ) throws -> LinkingOutcome {
        var account = account
        let (before, userBefore) = (account.signInMethods.map(\.name), account.user)
        if case .takesFrom(let abandoned) = address, let other = try db.account(abandoned) {
            try accounts.links.moveAddress(of: other, at: now, in: db)
        }
        let setAside = try take(step.setAside, of: step.identity, for: &account)
        var undo = try account.link(
            step.identity, id: setAside ?? accounts.newID(), address: address,
            mergesMetadata: intent != .link(account.user.id), within: accounts.tokenRoom, at: now)
        guard let identity = account.identity(step.identity) else { throw UnknownIdentity() }
        let delivered = try deliver(step, &account, by: identity, .linked(to: before))
        // A new address has ended the pending change of address, and its codes.
        if account.user.email != userBefore.email { try db.voidTokens(of: account.user.id) }
        try db.update(account.user)
        if setAside == nil { try db.insert(identity) } else { try db.restore(identity) }
        undo.profile = try db.fill(step.identity.profile, of: account.user.id, at: now)
        try db.insert(undo, of: identity.id, by: step.rule, at: now)
        try db.run(
            """
            DELETE FROM link_removals WHERE provider = \(identity.provider) AND provider_id = \(identity.providerID)
            AND user_id = \(account.user.id)
            """)
        try accounts.mails.notify(
            .identityLinked, userBefore, provider: identity.provider, from: device, at: now, in: db)
        try finish(step, identity, delivered, [step.entry(.identityLinked, account.user, identity)])
        return .signedIn(delivered)
    }

    private func replace(_ step: LinkingStep, _ old: Account) throws -> LinkingOutcome {
        try accounts.links.moveAddress(of: old, at: now, in: db)
        return try create(step, takesAddress: true, besides: [step.entry(.accountRecovered, old.user)])
    }

    func refuse(
        _ refusal: LinkingRefusal, _ rule: LinkingRule, _ identity: ProviderIdentity
    ) throws -> LinkingOutcome {
        let entry = AuditEntry(
            .identityRefused, actor: nil, actorName: identity.email?.text ?? "",
            traits: [
                "provider": .string(identity.provider), "rule": .string(rule.rawValue),
                "reason": .string(refusal.rawValue),
            ])
        try accounts.record([entry], at: now, in: db)
        return .refused(refusal, rule)
    }
}

/// A programming error: the transaction just read or inserted it.
struct UnknownIdentity: Error {}

struct LinkingStep {
    let signIn: ProviderSignIn
    let rule: LinkingRule
    var setAside: SetAsideIdentity?

    var identity: ProviderIdentity { signIn.identity }

    func entry(_ action: AuditEntry.Action, _ user: User, _ identity: Identity? = nil) -> AuditEntry {
        var traits: AuthJSONObject = [
            "provider": .string(signIn.identity.provider), "rule": .string(rule.rawValue),
            "user_id": .string(user.id.text),
        ]
        traits["identity_id"] = (identity?.id.text).map(AuthJSON.string)
        return AuditEntry(action, actor: user.id, actorName: user.name, traits: traits)
    }
}

extension Account {
    func identity(_ identity: ProviderIdentity) -> Identity? {
        identities.first { $0.provider == identity.provider && $0.providerID == identity.subject }
    }
}
