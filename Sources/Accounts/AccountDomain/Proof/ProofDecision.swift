import GatehouseWire

/// The effect of an address's proof on earlier credentials and sessions: a pure function of ``ProofFacts``. Table:
/// `Docs/proving.md`.
///
/// A proof deletes nothing. What may be a stranger's is set aside: see ``SetAside``.
package struct ProofDecision: Equatable, Sendable {
    package enum Password: Equatable, Sendable {
        case keeps
        case isSetAside
        /// The password of the email's sign-up.
        case becomesThatOfTheEmail
        /// Typed with the code.
        case becomesTheTypedOne
    }

    package let password: Password
    /// Passkeys, and provider identities that do not vouch for the address.
    package let setsAsideOthers: Bool
    /// Except the caller's.
    package let endsSessions: Bool

    package static let nothing = ProofDecision(password: .keeps, setsAsideOthers: false, endsSessions: false)

    package init(password: Password, setsAsideOthers: Bool, endsSessions: Bool) {
        (self.password, self.setsAsideOthers, self.endsSessions) = (password, setsAsideOthers, endsSessions)
    }

    package init(_ facts: ProofFacts) {
        self =
            switch (facts.isFirst, facts.binding, facts.email) {
            case (false, .password, _):
                ProofDecision(password: .becomesTheTypedOne, setsAsideOthers: false, endsSessions: false)
            case (false, _, _): .nothing
            case (true, .password, _): Self.keeping(.becomesTheTypedOne)
            case (true, .account, _), (true, .client, .addressChange), (true, .client, .signUp): Self.keeping(.keeps)
            case (true, .client, .competingSignUp): Self.keeping(.becomesThatOfTheEmail)
            // The only password ever chosen for the address, and the email was sent because of it.
            case (true, .none, .signUp) where facts.isUnfinishedSignUp && !facts.competes: Self.keeping(.keeps)
            case (true, _, _): ProofDecision(password: .isSetAside, setsAsideOthers: true, endsSessions: true)
            }
    }

    private static func keeping(_ password: Password) -> ProofDecision {
        ProofDecision(password: password, setsAsideOthers: false, endsSessions: true)
    }
}

package struct ProofFacts: Equatable, Sendable {
    /// The caller's evidence besides the emailed code or link.
    package enum Binding: CaseIterable, Sendable {
        case none
        /// The client that requested the email, by its PKCE verifier or browser cookie.
        case client
        /// A session of the account, or the mark of a browser that signed in with its password.
        case account
        /// A waiting or set-aside password.
        case password
    }

    /// Why the email was sent.
    package enum Email: CaseIterable, Sendable {
        /// The sign-up that created the account.
        case signUp
        /// Another sign-up with the same address.
        case competingSignUp
        /// Begun by a session of the account.
        case addressChange
        /// Anyone can request these: a sign-in, a password reset, a link confirmation or a repeated email.
        case other
    }

    /// Later proofs change nothing.
    package var isFirst: Bool
    package var binding: Binding
    package var email: Email
    /// A sign-up that never had a session.
    package var isUnfinishedSignUp: Bool
    /// Whether sign-ups with other passwords wait for the same address.
    package var competes: Bool

    package init(
        isFirst: Bool, binding: Binding, email: Email, isUnfinishedSignUp: Bool = false, competes: Bool = false
    ) {
        (self.isFirst, self.binding, self.email) = (isFirst, binding, email)
        (self.isUnfinishedSignUp, self.competes) = (isUnfinishedSignUp, competes)
    }
}
