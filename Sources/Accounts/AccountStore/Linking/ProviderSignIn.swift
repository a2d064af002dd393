package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// A verified identity, and how to deliver the resulting session.
package struct ProviderSignIn: Sendable {
    package let identity: ProviderIdentity
    package let rules: ProviderRules
    /// Stored sealed with the identity until it is revoked.
    package let grant: ProviderGrant?
    package let delivery: SessionDelivery
    /// The identity's ID token, if it signs in once.
    let token: PresentedIDToken?

    package init(
        _ identity: ProviderIdentity, rules: ProviderRules, grant: ProviderGrant? = nil,
        delivery: SessionDelivery = .session, by token: PresentedIDToken? = nil
    ) {
        self.identity = identity
        self.rules = rules
        self.grant = grant
        self.delivery = delivery
        self.token = token
    }
}

/// How the session reaches the client.
package enum SessionDelivery: Sendable {
    /// In the response.
    case session
    /// Through an authorization code: valid once, for ``Accounts/codeLifetime``, and only with the PKCE verifier.
    case code(ProofKey, handing: ProviderHandout?)
}

/// The caller of a link request. Checked again in the transaction that makes the link, because it may have changed.
package enum LinkAsker: Sendable {
    /// The holder of an access token. If the token names no session, only the account must exist.
    case session(SessionID?, of: UserID)
    /// A caller that just entered the correct password.
    case password(of: UserID, checkedHash: Secret)

    package var user: UserID {
        switch self {
        case .session(_, let user), .password(let user, _): user
        }
    }
}

/// The result of signing in with a provider or linking one.
package enum LinkingOutcome: Sendable {
    case signedIn(ProviderSession)
    /// The user must prove ownership of the account (`identity_needs_confirmation`). With
    /// ``SessionDelivery/code(_:handing:)`` the code delivers the question, as it would a session.
    case needsConfirmation(LinkQuestion, code: Secret?)
    case refused(LinkingRefusal, LinkingRule)
}

/// A completed sign-in.
package struct ProviderSession: Sendable {
    /// The session or the code that delivers it.
    package enum Delivered: Sendable {
        case session(IssuedSession)
        /// The authorization code, a UUID.
        case code(Secret)
    }

    /// The sign-in's changes to the account.
    package enum Change: Equatable, Sendable {
        case none
        case created
        /// Linked to an account whose sign-in methods so far were these: `password`, or provider names.
        case linked(to: [String])
    }

    package let account: Account
    package let delivered: Delivered
    package let rule: LinkingRule
    package let change: Change
}

/// The question to a user whose address already belongs to an account.
package struct LinkQuestion: Sendable {
    /// 43 characters. Valid once, for ``Accounts/ticketLifetime``.
    package let ticket: Secret
    package let expiresAt: Instant
    package let rule: LinkingRule
    /// The provider that verified the address.
    package let provider: String
    package let email: EmailAddress
    /// The account's sign-in methods: `password`, or provider names.
    package let methods: [String]
    /// Whether the user may claim the address for a new account, because the existing account never proved it.
    package let canRecover: Bool
    /// Whether a code to the address proves the account: see ``Accounts/mailLinkCode(_:_:at:)``.
    package let canMailCode: Bool
    /// Whether the account has a passkey to sign in with.
    package let canUsePasskey: Bool
}

extension LinkStore {
    package static let ticketLifetime: Duration = .seconds(600)
    package static let codeLifetime: Duration = .seconds(300)

    /// Signs in with a verified identity: decides, then creates the account with its profile, links, or asks. One
    /// transaction.
    ///
    /// - Throws: ``DatabaseFailure``, with the reason `unknownOutcome` the account and its session may exist;
    ///   ``IDTokenUsed``; ``AccountNeedsAdmission``.
    package func signIn(
        _ signIn: ProviderSignIn, from device: Device, at now: Instant
    ) async throws -> LinkingOutcome {
        try await database.write { db in
            try db.use(signIn.token, at: now)
            return try LinkingTransaction(accounts, db, device: device, now: now).carryOut(signIn, .signIn)
        }
    }

    /// Adds an identity to the caller's account and opens a new session.
    ///
    /// With ``SessionDelivery/code(_:handing:)`` the link is made only when the code is redeemed. The client with the
    /// PKCE verifier started the link, whereas the browser may belong to a victim who was tricked into linking to this
    /// account.
    ///
    /// - Throws: ``DatabaseFailure``, with the reason `unknownOutcome` the link may exist; ``IDTokenUsed``.
    package func link(
        _ signIn: ProviderSignIn, to asker: LinkAsker, from device: Device, at now: Instant
    ) async throws -> LinkingOutcome {
        try await database.write { db in
            try db.use(signIn.token, at: now)
            let transaction = LinkingTransaction(accounts, db, device: device, now: now)
            guard let account = try transaction.account(of: asker) else {
                return try transaction.refuse(.notSignedIn, .linkedByHand, signIn.identity)
            }
            switch signIn.delivery {
            case .session: return try transaction.carryOut(signIn, .link(asker.user), asker: account)
            case .code: return try transaction.prepareLink(signIn, to: asker, account)
            }
        }
    }

    /// Creates the link of a ticket for a caller who is signed in to its account.
    ///
    /// - Throws: ``DatabaseFailure``, with the reason `unknownOutcome` if the link may exist; ``UnknownServerSecret``
    ///   if the configuration lacks the secret that sealed the ticket.
    package func confirmLink(
        _ ticket: Secret, by asker: LinkAsker, delivery: SessionDelivery = .session, from device: Device,
        at now: Instant
    ) async throws -> LinkingOutcome {
        try await database.write { db in
            let transaction = LinkingTransaction(accounts, db, device: device, now: now)
            guard let signIn = try transaction.signIn(of: ticket, delivery: delivery) else {
                return .refused(.ticketUnknown, .ticketOutdated)
            }
            guard let account = try transaction.account(of: asker) else {
                return try transaction.refuse(.notSignedIn, .confirmedByOwner, signIn.identity)
            }
            let outcome = try transaction.carryOut(signIn, .confirm(asker.user), asker: account)
            // A caller signed in to the wrong account may try again with the right one.
            if case .refused(.otherAccount, _) = outcome { return outcome }
            try transaction.spend(ticket)
            return outcome
        }
    }

    /// Takes the address of a ticket away from the account that never proved it, and gives the user a new account. The
    /// old account keeps only its linked provider identities and their data; without any it is deleted.
    ///
    /// The account is new because access tokens of the old account stay valid until they expire, and because apps may
    /// store data under the old id that an unproven person wrote.
    ///
    /// - Throws: ``DatabaseFailure``, with the reason `unknownOutcome` if the new account may exist;
    ///   ``UnknownServerSecret`` if the configuration lacks the secret that sealed the ticket.
    package func recover(
        _ ticket: Secret, delivery: SessionDelivery = .session, from device: Device, at now: Instant
    ) async throws -> LinkingOutcome {
        try await accounts.sessions.revoking(at: now) { db in
            let transaction = LinkingTransaction(accounts, db, device: device, now: now)
            guard let signIn = try transaction.signIn(of: ticket, delivery: delivery) else {
                return .refused(.ticketUnknown, .ticketOutdated)
            }
            let outcome = try transaction.carryOut(signIn, .recover)
            // The user can still confirm instead.
            if case .refused(.notRecoverable, _) = outcome { return outcome }
            try transaction.spend(ticket)
            return outcome
        }
    }
}
