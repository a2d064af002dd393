package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct ProviderSignIn: Sendable {
    package let identity: ProviderIdentity
    package let rules: ProviderRules
    package let grant: ProviderGrant?
    package let delivery: SessionDelivery
    /// Set if the ID token is single-use.
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

package enum SessionDelivery: Sendable {
    case session
    /// Single-use, for ``LinkStore/codeLifetime``, and only with the PKCE verifier.
    case code(ProofKey, handing: ProviderHandout?)
}

/// Checked again in the transaction that creates the link.
package enum LinkAsker: Sendable {
    /// If the token names no session, only the account must exist.
    case session(SessionID?, of: UserID)
    /// Just entered correctly.
    case password(of: UserID, checkedHash: Secret)

    package var user: UserID {
        switch self {
        case .session(_, let user), .password(let user, _): user
        }
    }
}

package enum LinkingOutcome: Sendable {
    case signedIn(ProviderSession)
    /// The user must prove ownership of the account (`identity_needs_confirmation`). The code delivers the question
    /// with ``SessionDelivery/code(_:handing:)``.
    case needsConfirmation(LinkQuestion, code: Secret?)
    case refused(LinkingRefusal, LinkingRule)
}

package struct ProviderSession: Sendable {
    package enum Delivered: Sendable {
        case session(IssuedSession)
        /// A UUID.
        case code(Secret)
    }

    package enum Change: Equatable, Sendable {
        case none
        case created
        /// The previous sign-in methods: `password`, or provider names.
        case linked(to: [String])
    }

    package let account: Account
    package let delivered: Delivered
    package let rule: LinkingRule
    package let change: Change
}

/// For a user whose address already belongs to an account.
package struct LinkQuestion: Sendable {
    /// 43 characters, single-use, valid for ``LinkStore/ticketLifetime``.
    package let ticket: Secret
    package let expiresAt: Instant
    package let rule: LinkingRule
    /// The one that verified the address.
    package let provider: String
    package let email: EmailAddress
    /// `password`, or provider names.
    package let methods: [String]
    /// Whether the user may claim the address for a new account, because the existing one never proved it.
    package let canRecover: Bool
    /// See ``CodeStore/mailLinkCode(_:_:at:)``.
    package let canMailCode: Bool
    package let canUsePasskey: Bool
}

extension LinkStore {
    package static let ticketLifetime: Duration = .seconds(600)
    package static let codeLifetime: Duration = .seconds(300)

    /// Signs in, creates the account, links, or asks.
    ///
    /// - Throws: ``IDTokenUsed``; ``AccountNeedsAdmission``.
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
    /// With ``SessionDelivery/code(_:handing:)`` only redeeming the code creates the link: the browser may belong to a
    /// victim tricked into linking, but the PKCE verifier shows the client that started it.
    ///
    /// - Throws: ``IDTokenUsed``.
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

    /// Creates a ticket's link for a caller who is signed in to its account.
    ///
    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret.
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
            // The caller may try again, signed in to the right account.
            if case .refused(.otherAccount, _) = outcome { return outcome }
            try transaction.spend(ticket)
            return outcome
        }
    }

    /// Moves a ticket's address from the account that never proved it to a new one. The old account keeps only its
    /// provider identities and their data; without any it is deleted.
    ///
    /// It is a new account because the old one's access tokens stay valid until they expire, and apps may store an
    /// unproven person's data under its id.
    ///
    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret.
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
