public import Foundation

/// How the system offers passkeys for signing in.
public enum PasskeyRequestStyle: Hashable, Sendable {
    /// In a sheet, after a tap on a button. Includes other devices' passkeys.
    case sheet
    /// In a sheet if this device has a passkey; otherwise throws ``AuthClientError/noPasskey`` without a sheet.
    case immediatelyAvailable
    /// Above the keyboard, while the user edits an address field. May wait forever: cancel the task when another
    /// sign-in begins.
    case autoFill
}

/// How the system creates a passkey.
public enum PasskeyCreationStyle: Hashable, Sendable {
    /// In a sheet, after a tap on a button.
    case sheet
    /// Without a sheet, if a password manager just filled in the password, and allows it (iOS 18). Fails silently.
    case automatic
}

/// A passkey's response to a challenge, for one sign-in. Does not print it.
public struct PasskeyAssertion: Hashable, Sendable {
    /// The challenge's id.
    public var challengeID: UUID
    /// `AuthenticationResponseJSON`.
    public var credential: AuthJSON

    /// Creates a response for ``GatehouseClient/signIn(with:)``.
    public init(challengeID: UUID, credential: AuthJSON) {
        self.challengeID = challengeID
        self.credential = credential
    }
}

extension PasskeyAssertion: Unprinted {
    public var description: String { "PasskeyAssertion(challenge: \(challengeID), credential: <secret>)" }
}

/// Tells password managers about the user's passkeys.
public enum PasskeySignal: Hashable, Sendable {
    /// The account has exactly these passkeys.
    case accepted(relyingPartyID: String, userHandle: [UInt8], credentialIDs: [[UInt8]])
    /// The server permanently does not know this passkey.
    case unknown(relyingPartyID: String, credentialID: [UInt8])
    /// The account has this name.
    case renamed(relyingPartyID: String, userHandle: [UInt8], userName: String)
}

/// Creates passkeys and signs with them: the system on Apple's devices (`SystemPasskeys`), scripted in tests.
public protocol PasskeyAuthenticator: Sendable {
    /// Creates a passkey.
    ///
    /// - Returns: `RegistrationResponseJSON` ([WebAuthn §5.1](https://www.w3.org/TR/webauthn-3/)).
    /// - Throws: ``AuthClientError``: `cancelled`, `passkeyExists`, `passkeyFailed`; or `CancellationError`.
    func create(_ options: AuthPasskeyRegistrationOptions, style: PasskeyCreationStyle) async throws -> AuthJSON

    /// Signs a challenge with a passkey that the user chooses.
    ///
    /// - Returns: `AuthenticationResponseJSON`.
    /// - Throws: ``AuthClientError``: `cancelled`, `noPasskey`, `passkeyFailed`; or `CancellationError`.
    func get(_ options: AuthPasskeyAuthenticationOptions, style: PasskeyRequestStyle) async throws -> AuthJSON

    /// Sends a signal to password managers. Does nothing if the system cannot.
    func signal(_ signal: PasskeySignal) async

    /// Whether ``createAccount(_:)`` works: on iOS 26, macOS 26 and visionOS 26. False by default.
    var hasAccountSheet: Bool { get }

    /// Asks for a new account's name and email address and creates its passkey, in one system sheet.
    ///
    /// - Throws: ``PasskeyAccountProblem``; ``AuthClientError``: `cancelled`, `passkeyFailed`; or `CancellationError`.
    func createAccount(_ options: AuthPasskeyRegistrationOptions) async throws -> PasskeyAccount
}

extension PasskeyAuthenticator {
    public var hasAccountSheet: Bool { false }
    public func createAccount(_: AuthPasskeyRegistrationOptions) async throws -> PasskeyAccount {
        throw PasskeyAccountProblem.unavailable
    }
}
