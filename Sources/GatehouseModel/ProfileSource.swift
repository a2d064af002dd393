public import Gatehouse

/// Reads and changes the signed-in user's profile: the gateway's `/v1/auth/me`.
///
/// Apps use `GatewayClient`. Other implementations must send the session's access token and refresh it once if it is
/// refused. They throw `GatewayError`, `AuthClientError`, ``AuthError`` or `CancellationError`.
/// `GatewayError.notAuthenticated` means that a refresh did not help.
public protocol ProfileSource: Sendable {
    func fetchMe() async throws -> SignedInAccount

    /// Changes the given fields, at least one.
    ///
    /// - Returns: The updated account, as `fetchMe` would return it.
    func updateProfile(firstName: FieldChange, favoriteTeams: [String]?) async throws -> SignedInAccount

    /// Deletes the account with all its data, or nothing. Safe to repeat.
    func deleteAccount() async throws
}

extension GatewayClient: ProfileSource {}
