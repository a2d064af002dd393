public import Gatehouse
public import SwiftUI

/// What the screens ask for beside `AuthManager`. What is nil is not offered.
public struct AccountCalls: Sendable {
    /// The teams that can be favourites. Without it a team is shown by its identifier and cannot be chosen.
    public var teams: (@Sendable () async throws -> [LeagueTeam])?
    /// Sends the mail with which a person gets a new password.
    public var sendPasswordMail: (@Sendable (_ email: String) async throws -> Void)?
    /// Sends the mail of a sign-up once more.
    public var resendConfirmation: (@Sendable (_ email: String) async throws -> Void)?
    /// Where the links of mails lead, and nothing else: addresses that are no answer to it are left alone.
    public var redirectTo: URL?
    /// Finishes what the link of a mail began: an address is confirmed, or a password can be set.
    public var openLink: (@Sendable (_ url: URL) async throws -> Void)?
    /// Where the person is signed in.
    public var devices: (@Sendable () async throws -> [SessionInfo])?
    /// Signs the person out in one place.
    public var endDevice: (@Sendable (_ id: UUID) async throws -> Void)?

    /// Nothing is offered.
    public init() {}

    /// Everything that the two offer.
    ///
    /// - Parameter redirectTo: Where the links of the mails lead; registered at the server.
    public init(client: AuthClient, gateway: GatewayClient, redirectTo: URL? = nil) {
        teams = { try await gateway.teams() }
        sendPasswordMail = { try await client.resetPasswordForEmail($0, redirectTo: redirectTo) }
        resendConfirmation = { try await client.resend(email: $0, type: .signup, emailRedirectTo: redirectTo) }
        self.redirectTo = redirectTo
        openLink = { _ = try await client.session(from: $0) }
        devices = { try await client.sessions() }
        endDevice = { try await client.revokeSession(id: $0) }
    }
}
