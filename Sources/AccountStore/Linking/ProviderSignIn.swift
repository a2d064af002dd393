package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// What a provider said of somebody, and how it is to be answered.
package struct ProviderSignIn: Sendable {
    package let identity: ProviderIdentity
    package let rules: ProviderRules
    /// Kept sealed with the identity until it is revoked.
    package let grant: ProviderGrant?
    package let delivery: SessionDelivery

    package init(
        _ identity: ProviderIdentity, rules: ProviderRules, grant: ProviderGrant? = nil,
        delivery: SessionDelivery = .session
    ) {
        self.identity = identity
        self.rules = rules
        self.grant = grant
        self.delivery = delivery
    }
}

/// How the session gets to whoever signed in.
package enum SessionDelivery: Sendable {
    /// At once.
    case session
    /// For a code that is good for ``Accounts/codeLifetime``, once, and for whoever has the key's secret.
    case code(ProofKey, handing: ProviderHandout?)
}

/// Who asks for a link, as the caller has checked it. Checked again where it is made: it could have changed.
package enum LinkAsker: Sendable {
    /// The bearer of an access token; without a session in the token the account has to be there, no more.
    case session(SessionID?, of: UserID)
    /// Somebody who has just given the right password.
    case password(of: UserID, checkedHash: Secret)

    package var user: UserID {
        switch self {
        case .session(_, let user), .password(let user, _): user
        }
    }
}

package enum LinkingOutcome: Sendable {
    case signedIn(ProviderSession)
    /// The person has to prove that the account is theirs (`identity_needs_confirmation`). With
    /// ``SessionDelivery/code(_:handing:)`` the question waits behind a code, as a session would.
    case needsConfirmation(LinkQuestion, code: Secret?)
    case refused(LinkingRefusal, LinkingRule)
}

/// Somebody is in.
package struct ProviderSession: Sendable {
    package enum Delivered: Sendable {
        case session(IssuedSession)
        /// The authorization code, a UUID.
        case code(Secret)
    }

    package enum Change: Equatable, Sendable {
        case none
        case created
        /// To an account that could be entered in these ways before: `password`, names of providers.
        case linked(to: [String])
    }

    package let account: Account
    package let delivered: Delivered
    package let rule: LinkingRule
    package let change: Change
}

/// What the person is asked who has an address that an account has too.
package struct LinkQuestion: Sendable {
    /// 43 characters; good once, for ``Accounts/ticketLifetime``.
    package let ticket: Secret
    package let expiresAt: Instant
    package let rule: LinkingRule
    /// Who vouches for the address.
    package let provider: String
    package let email: EmailAddress
    /// How the account can be entered: `password`, names of providers.
    package let methods: [String]
    /// Whether the person may take the address instead, and start anew: nobody has proven it there.
    package let canRecover: Bool
}

extension Accounts {
    package static let ticketLifetime: Duration = .seconds(600)
    package static let codeLifetime: Duration = .seconds(300)

    /// Signs in whom a provider vouches for: decides, and makes the account with its profile, links, or asks, in one
    /// transaction (requirements C5, C6, D7, D8).
    package func signIn(
        _ signIn: ProviderSignIn, from device: Device, at now: Instant
    ) async throws -> LinkingOutcome {
        try await database.write { db in
            try LinkingTransaction(self, db, device: device, now: now).carryOut(signIn, .signIn)
        }
    }

    /// Adds an identity to the account of somebody who is signed in, and opens a new session for it.
    ///
    /// With ``SessionDelivery/code(_:handing:)`` the link is only prepared, and made when the code is traded: whoever
    /// can trade it began it, while the browser may be a stranger's who was led into linking to this account.
    package func link(
        _ signIn: ProviderSignIn, to asker: LinkAsker, from device: Device, at now: Instant
    ) async throws -> LinkingOutcome {
        try await database.write { db in
            let transaction = LinkingTransaction(self, db, device: device, now: now)
            guard let account = try transaction.account(of: asker) else {
                return try transaction.refuse(.notSignedIn, .linkedByHand, signIn.identity)
            }
            switch signIn.delivery {
            case .session: return try transaction.carryOut(signIn, .link(asker.user), asker: account)
            case .code: return try transaction.prepareLink(signIn, to: asker, account)
            }
        }
    }

    /// Makes the link that a ticket stands for, for somebody who is signed in to its account.
    package func confirmLink(
        _ ticket: Secret, by asker: LinkAsker, delivery: SessionDelivery = .session, from device: Device,
        at now: Instant
    ) async throws -> LinkingOutcome {
        try await database.write { db in
            let transaction = LinkingTransaction(self, db, device: device, now: now)
            guard let signIn = try transaction.signIn(of: ticket, delivery: delivery) else {
                return .refused(.ticketUnknown, .ticketOutdated)
            }
            guard let account = try transaction.account(of: asker) else {
                return try transaction.refuse(.notSignedIn, .confirmedByOwner, signIn.identity)
            }
            let outcome = try transaction.carryOut(signIn, .confirm(asker.user), asker: account)
            // Who signed in to the wrong account may try the right one.
            if case .refused(.otherAccount, _) = outcome { return outcome }
            try transaction.spend(ticket)
            return outcome
        }
    }

    /// Takes the address of a ticket from the account that never proved it. The person gets a new account; of the old
    /// one stays what belongs to identities of providers that are linked to it, else nothing.
    ///
    /// A new account, because access tokens for the old one are good until they run out, and because whatever an app
    /// keeps under its id was written by somebody who never proved to be this person.
    package func recover(
        _ ticket: Secret, delivery: SessionDelivery = .session, from device: Device, at now: Instant
    ) async throws -> LinkingOutcome {
        try await revoking(at: now) { db in
            let transaction = LinkingTransaction(self, db, device: device, now: now)
            guard let signIn = try transaction.signIn(of: ticket, delivery: delivery) else {
                return .refused(.ticketUnknown, .ticketOutdated)
            }
            let outcome = try transaction.carryOut(signIn, .recover)
            // Confirming is still open to them.
            if case .refused(.notRecoverable, _) = outcome { return outcome }
            try transaction.spend(ticket)
            return outcome
        }
    }
}
