public import Foundation
public import Gatehouse

/// The calls that the screens need in addition to `AuthManager`. A nil call hides its feature.
///
/// The closures throw the errors of the clients: `AuthClientError`, `GatewayError` or `CancellationError`. The screens
/// show a message for each.
///
/// ```swift
/// var calls = AccountCalls(client: client, redirectTo: redirectTo)
/// calls.devices = nil   // no list of devices
/// HomeView().gatehouse(manager, googleRedirect: redirectTo, calls: calls)
/// ```
public struct AccountCalls: Sendable {
    /// Sends the mail for a password reset.
    public var sendPasswordMail: (@Sendable (_ email: String) async throws -> Void)?
    /// Sends the confirmation mail of a sign-up again.
    public var resendConfirmation: (@Sendable (_ email: String) async throws -> Void)?
    /// The target of links in mails, used for nothing else. The app ignores other URLs.
    public var redirectTo: URL?
    /// Completes the link of a mail, which confirms an address or allows setting a password.
    public var openLink: (@Sendable (_ url: URL) async throws -> Void)?
    /// Returns the user's sessions.
    public var devices: (@Sendable () async throws -> [SessionInfo])?
    /// Ends one of the user's sessions.
    public var endDevice: (@Sendable (_ id: UUID) async throws -> Void)?

    /// Creates a value without calls.
    public init() {}

    /// Creates all calls that the client supports.
    ///
    /// - Parameter redirectTo: The target of links in mails; the server must allow it.
    public init(client: AuthClient, redirectTo: URL? = nil) {
        sendPasswordMail = { try await client.resetPasswordForEmail($0, redirectTo: redirectTo) }
        resendConfirmation = { try await client.resend(email: $0, type: .signup, emailRedirectTo: redirectTo) }
        self.redirectTo = redirectTo
        openLink = { _ = try await client.session(from: $0) }
        devices = { try await client.sessions() }
        endDevice = { try await client.revokeSession(id: $0) }
    }
}
