public import Foundation

/// The user's entries in the system's sheet for a new account, and the new passkey. Its description omits them.
public struct PasskeyAccount: Hashable, Sendable {
    /// `RegistrationResponseJSON` ([WebAuthn §5.1](https://www.w3.org/TR/webauthn-3/)).
    public var credential: AuthJSON
    /// The email address, which nothing has proven yet.
    public var email: String
    /// nil if the user entered none.
    public var name: AppleName?

    /// For an authenticator of the app's own.
    public init(credential: AuthJSON, email: String, name: AppleName?) {
        self.credential = credential
        self.email = email
        self.name = name
    }
}

extension PasskeyAccount: Unprinted {
    public var description: String { "PasskeyAccount(credential: <secret>)" }
}

/// Why the system's sheet for a new account created none. Neither is a failure to show.
public enum PasskeyAccountProblem: Error, Hashable, Sendable {
    /// There is no such sheet, or the device cannot create passkeys, for example without a passcode. Ask for name and address
    /// in a form.
    case unavailable
    /// The user has signed in to this app with Apple before, and prefers that.
    case prefersApple
}

/// A passkey that was created for a new account, for one sign-up. Does not print it.
///
/// Keep it until ``GatehouseClient/signUp(with:redirectTo:telling:captchaToken:)`` has returned a session or thrown a refusal: if the response
/// was lost, the account may exist, and only this passkey opens it.
public struct PasskeySignUp: Hashable, Sendable {
    /// Identifies the challenge.
    public var challengeID: UUID
    /// `RegistrationResponseJSON`.
    public var credential: AuthJSON
    /// The domain to which the passkey belongs.
    public var relyingPartyID: String
    /// The account's address; nil for none.
    public var email: String?
    /// The account's metadata.
    public var data: AuthJSONObject
    /// Whether the server may have stored the account already, because the response to an earlier attempt was lost. Set it
    /// before the next attempt.
    public var mayBeStored = false

    /// Creates a sign-up, which ``GatehouseClient/signUp(with:redirectTo:telling:captchaToken:)`` sends to the server.
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
