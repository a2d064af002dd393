import AccountDomain
import GatehouseWire
import SQLDatabase

extension LinkingTransaction {
    /// ``finish(_:_:_:_:)`` writes the rows.
    func deliver(
        _ step: LinkingStep, _ account: inout Account, by identity: Identity, _ change: ProviderSession.Change
    ) throws -> ProviderSession {
        let delivered: ProviderSession.Delivered
        switch step.signIn.delivery {
        case .session:
            account.user.times.lastSignInAt = now
            let session = accounts.newSession(of: account.user.id, by: .oauth, on: device, at: now)
            delivered = .session(try accounts.sessions.issue(session, to: account))
        case .code: delivered = .code(newCode())
        }
        return ProviderSession(account: account, delivered: delivered, rule: step.rule, change: change)
    }

    func finish(
        _ step: LinkingStep, _ identity: Identity, _ session: ProviderSession, _ entries: [AuditEntry]
    ) throws {
        var entries = entries
        switch session.delivered {
        case .session(let issued):
            try accounts.mails.noteDevice(device, of: issued.account.user, at: now, in: db)
            try db.insert(issued.session, from: device, by: identity.id)
            entries.append(step.entry(.login, session.account.user))
        case .code(let code):
            try deposit(.session, behind: code, of: session.account.user.id, identity: identity.id, step)
        }
        if let grant = step.signIn.grant { try accounts.providerCalls.keep(grant, of: identity.id, at: now, in: db) }
        try accounts.record(entries, at: now, in: db)
    }

    func newCode() -> Secret {
        let code: Identifier<AuthorizationCode> = accounts.newID()
        return Secret(code.text)
    }

    /// Does nothing if the session is delivered directly.
    func deposit(
        _ content: AuthorizationCode.Content, behind code: Secret, of user: UserID, identity: IdentityID? = nil,
        _ step: LinkingStep
    ) throws {
        guard case .code(let key, let handout) = step.signIn.delivery else { return }
        let kept = AuthorizationCode(
            user: user, identity: identity, method: .oauth, key: key, provider: step.identity.provider,
            rule: step.rule.rawValue, content: content, handout: handout)
        try accounts.flows.insert(kept, code: code, at: now, in: db)
    }

    /// Asks for a proof of the account that has the address, or had the identity.
    func ask(_ step: LinkingStep, _ account: Account, canRecover: Bool) throws -> LinkingOutcome {
        // Set aside, without an address to ask for: its owner links it again from the account.
        guard let email = step.identity.email else { return .refused(.otherAccount, step.rule) }
        let ticket = Secret(Base64URL.text(accounts.randomBytes(32)))
        let expiresAt = now + LinkStore.ticketLifetime
        let digest = TokenDigest.of(ticket)
        let sealed = try accounts.links.seal(step.signIn.ticketContent, as: LinkStore.ticketSeal, digest)
        try db.removeExpired(from: .tickets, at: now)
        // An identity has at most one ticket.
        try db.run(
            """
            DELETE FROM link_tickets
            WHERE provider = \(step.identity.provider) AND provider_id = \(step.identity.subject)
            """)
        try db.run(
            """
            INSERT INTO link_tickets (digest, user_id, provider, provider_id, sealed, created_at, expires_at)
            VALUES (\(digest), \(account.user.id), \(step.identity.provider), \(step.identity.subject), \(sealed),
                \(now), \(expiresAt))
            """)
        let entry = AuditEntry(
            .identityNeedsConfirmation, actor: nil, actorName: email.text,
            traits: step.entry(.identityNeedsConfirmation, account.user).traits)
        try accounts.record([entry], at: now, in: db)
        var seen: Set<ExternalName> = []
        let question = LinkQuestion(
            ticket: ticket, expiresAt: expiresAt, rule: step.rule, provider: step.identity.provider, email: email,
            methods: account.signInMethods.map(\.name).filter { seen.insert(ExternalName(trusted: $0)).inserted },
            canRecover: canRecover,
            canMailCode: try accounts.codes.linkCodeAddress(of: account.user, for: step.identity, in: db) != nil,
            canUsePasskey: try accounts.offersPasskeys && db.usablePasskeyCount(of: account.user.id) > 0)
        guard case .code = step.signIn.delivery else { return .needsConfirmation(question, code: nil) }
        let code = newCode()
        try deposit(.question(question), behind: code, of: account.user.id, step)
        return .needsConfirmation(question, code: code)
    }

    /// - Returns: nil for an unknown, used or expired ticket.
    func signIn(of ticket: Secret, delivery: SessionDelivery) throws -> ProviderSignIn? {
        let digest = TokenDigest.of(ticket)
        guard let sealed = try db.row(LinkStore.ticketLookup(digest, at: now), { $0.bytes() }) else { return nil }
        return ProviderSignIn(
            ticketContent: try accounts.links.unseal(sealed, as: LinkStore.ticketSeal, digest), delivery: delivery)
    }

    func spend(_ ticket: Secret) throws {
        try db.run("DELETE FROM link_tickets WHERE digest = \(TokenDigest.of(ticket))")
    }
}

extension LinkStore {
    static func ticketLookup(_ digest: [UInt8], at now: Instant) -> SQL {
        "SELECT sealed FROM link_tickets WHERE digest = \(digest) AND expires_at > \(now)"
    }
}

extension ProviderSignIn {
    var ticketContent: AuthJSON {
        var members: AuthJSONObject = [
            "identity": identity.json, "linking": .string(rules.linking.rawValue),
            "address": .string(rules.address.rawValue), "allows_sign_up": .bool(rules.allowsSignUp),
            "administrator_roles": .array(rules.administratorRoles.map(AuthJSON.string)),
        ]
        if let grant {
            members["refresh_token"] = .string(grant.refreshToken.reveal())
            members["client"] = .string(grant.client)
        }
        return .object(members)
    }

    init?(ticketContent: AuthJSON, delivery: SessionDelivery) {
        guard let identity = ticketContent["identity"].flatMap(ProviderIdentity.init(json:)),
            let linking = (ticketContent["linking"]?.stringValue).flatMap(LinkingPolicy.init(text:)),
            let address = (ticketContent["address"]?.stringValue).flatMap(AddressRequirement.init(text:)),
            let allowsSignUp = ticketContent["allows_sign_up"]?.boolValue
        else { return nil }
        var grant: ProviderGrant?
        if let token = ticketContent["refresh_token"]?.stringValue, let client = ticketContent["client"]?.stringValue {
            grant = ProviderGrant(refreshToken: Secret(token), client: client)
        }
        let rules = ProviderRules(
            linking: linking, address: address, allowsSignUp: allowsSignUp,
            administratorRoles: (ticketContent["administrator_roles"]?.arrayValue ?? []).compactMap(\.stringValue))
        self.init(identity, rules: rules, grant: grant, delivery: delivery)
    }
}
