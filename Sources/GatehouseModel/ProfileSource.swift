public import Gatehouse

/// Reads and changes the profile of the person who is signed in: the gateway's `/v1/auth/me`.
///
/// `GatewayClient` is the one for an app. Another conformer sends the session's access token, and refreshes it once
/// when it is refused. It throws `GatewayError`, `AuthClientError`, ``AuthError`` or `CancellationError`; what means
/// "not signed in" (`GatewayError.notAuthenticated`) means that a refresh was tried and did not help.
public protocol ProfileSource: Sendable {
    func fetchMe() async throws -> SignedInAccount

    /// Changes what is given and keeps the rest; the caller has given something.
    ///
    /// - Returns: What `fetchMe` answers after the change.
    func updateProfile(firstName: FieldChange, favoriteTeams: [String]?) async throws -> SignedInAccount

    /// Deletes the account with everything that belongs to it, or nothing. Repeating it is harmless.
    func deleteAccount() async throws
}

extension GatewayClient: ProfileSource {}
