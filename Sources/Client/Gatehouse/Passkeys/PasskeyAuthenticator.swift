public import Foundation

/// How the system offers the passkeys of a user who signs in.
public enum PasskeyRequestStyle: Hashable, Sendable {
    /// In a sheet, because the user tapped a button. Also offers other devices' passkeys.
    case sheet
    /// In a sheet, only if this device has a passkey. Otherwise ``AuthClientError/noPasskey``, without any sheet.
    case immediatelyAvailable
    /// In the bar above the keyboard, as long as the user fills in a field for an address. The user may never choose
    /// one, so cancel the task when another sign-in begins.
    case autoFill
}

/// How the system creates a passkey.
public enum PasskeyCreationStyle: Hashable, Sendable {
    /// In a sheet, because the user tapped a button.
    case sheet
    /// Without a sheet, if the user has just signed in with a password that a password manager filled in, and allows it
    /// (iOS 18). Otherwise it fails without a trace.
    case automatic
}

/// The answer of a passkey to a challenge, for one sign-in. Does not print it.
public struct PasskeyAssertion: Hashable, Sendable {
    /// Identifies the challenge.
    public var challengeID: UUID
    /// `AuthenticationResponseJSON`.
    public var credential: AuthJSON

    /// Creates an answer, which ``GatehouseClient/signIn(with:)`` sends to the server once.
    public init(challengeID: UUID, credential: AuthJSON) {
        self.challengeID = challengeID
        self.credential = credential
    }
}

extension PasskeyAssertion: Unprinted {
    public var description: String { "PasskeyAssertion(challenge: \(challengeID), credential: <secret>)" }
}

/// What password managers should know about the user's passkeys, so that they offer none that no longer works.
public enum PasskeySignal: Hashable, Sendable {
    /// The account has exactly these passkeys.
    case accepted(relyingPartyID: String, userHandle: [UInt8], credentialIDs: [[UInt8]])
    /// The server does not know this passkey, and never will.
    case unknown(relyingPartyID: String, credentialID: [UInt8])
    /// The account has this name.
    case renamed(relyingPartyID: String, userHandle: [UInt8], userName: String)
}

/// The keeper of passkeys: the system on Apple's devices (`SystemPasskeys`), scripted in tests.
public protocol PasskeyAuthenticator: Sendable {
    /// Creates a passkey.
    ///
    /// - Returns: `RegistrationResponseJSON` ([WebAuthn §5.1](https://www.w3.org/TR/webauthn-3/)).
    /// - Throws: ``AuthClientError``: `cancelled` if the user closed the sheet, `passkeyExists` if this device has a
    ///   passkey of the account, `passkeyFailed`; or `CancellationError` if the task was cancelled.
    func create(_ options: AuthPasskeyRegistrationOptions, style: PasskeyCreationStyle) async throws -> AuthJSON

    /// Signs a challenge with a passkey that the user chooses.
    ///
    /// - Returns: `AuthenticationResponseJSON`.
    /// - Throws: ``AuthClientError``: `cancelled` if the user closed the sheet, `noPasskey` if there is none that could
    ///   be offered in this style, `passkeyFailed`; or `CancellationError` if the task was cancelled.
    func get(_ options: AuthPasskeyAuthenticationOptions, style: PasskeyRequestStyle) async throws -> AuthJSON

    /// Tells password managers about the user's passkeys. Does nothing where the system has no such call.
    func signal(_ signal: PasskeySignal) async

    /// Whether ``createAccount(_:)`` has a sheet: on iOS 26, macOS 26 and visionOS 26. False by default.
    var hasAccountSheet: Bool { get }

    /// Asks for the name and the email address of a new account and creates its passkey, in one sheet of the system.
    ///
    /// - Throws: ``PasskeyAccountProblem``; ``AuthClientError``: `cancelled` if the user closed the sheet, `passkeyFailed`;
    ///   or `CancellationError` if the task was cancelled.
    func createAccount(_ options: AuthPasskeyRegistrationOptions) async throws -> PasskeyAccount
}

extension PasskeyAuthenticator {
    public var hasAccountSheet: Bool { false }
    public func createAccount(_: AuthPasskeyRegistrationOptions) async throws -> PasskeyAccount {
        throw PasskeyAccountProblem.unavailable
    }
}
