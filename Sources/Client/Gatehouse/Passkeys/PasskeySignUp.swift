public import Foundation

/// The entries of the system's sheet for new accounts, and the new passkey. Never printed.
public struct PasskeyAccount: Hashable, Sendable {
    /// `RegistrationResponseJSON` ([WebAuthn §5.1](https://www.w3.org/TR/webauthn-3/)).
    public var credential: AuthJSON
    /// The unproven email address.
    public var email: String
    /// nil if the user entered none.
    public var name: AppleName?

    /// For custom authenticators.
    public init(credential: AuthJSON, email: String, name: AppleName?) {
        self.credential = credential
        self.email = email
        self.name = name
    }
}

extension PasskeyAccount: Unprinted {
    public var description: String { "PasskeyAccount(credential: <secret>)" }
}

/// Why the system's sheet created no account. Show no error.
public enum PasskeyAccountProblem: Error, Hashable, Sendable {
    /// There is no such sheet, or the device cannot create passkeys, for example without a passcode. Use a form.
    case unavailable
    /// The user has used Sign in with Apple in this app before, and prefers it.
    case prefersApple
}

/// A new account's passkey, for one sign-up. Does not print it.
///
/// Keep it until ``GatehouseClient/signUp(with:redirectTo:telling:captchaToken:)`` returns a session or throws a
/// refusal: after a lost response the account may exist, and only this passkey opens it.
public struct PasskeySignUp: Hashable, Sendable {
    /// The challenge's id.
    public var challengeID: UUID
    /// `RegistrationResponseJSON`.
    public var credential: AuthJSON
    /// The passkey's domain.
    public var relyingPartyID: String
    /// The account's address; nil for none.
    public var email: String?
    /// The account's metadata.
    public var data: AuthJSONObject
    /// Whether an earlier attempt may have created the account, because its response was lost. Set it before the next
    /// attempt.
    public var mayBeStored = false

    /// Creates a sign-up for ``GatehouseClient/signUp(with:redirectTo:telling:captchaToken:)``.
    public init(
        challengeID: UUID, credential: AuthJSON, relyingPartyID: String, email: String? = nil,
        data: AuthJSONObject = [:]
    ) {
        self.challengeID = challengeID
        self.credential = credential
        self.relyingPartyID = relyingPartyID
        self.email = email
        self.data = data
    }
}

extension PasskeySignUp: Unprinted {
    public var description: String { "PasskeySignUp(challenge: \(challengeID), credential: <secret>)" }
}
