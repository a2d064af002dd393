public import Gatehouse

/// Reads and changes the signed-in user's profile, by default the gateway's `/v1/auth/me`.
///
/// Apps use `GatewayClient`, or ``MetadataProfile`` without a gateway. Others must send the session's access token,
/// refresh it once after a rejection, and throw `AuthClientError` (`signedOut` if that did not help), ``AuthError`` or
/// `CancellationError`.
public protocol ProfileSource: Sendable {
    /// Whether ``updateProfile(_:)`` always fails; the screens offer no change.
    var isReadOnly: Bool { get }

    /// Returns the signed-in account with its profile.
    ///
    /// - Throws: As ``ProfileSource`` describes.
    func fetchMe() async throws -> SignedInAccount

    /// Changes the given fields, at least one.
    ///
    /// - Returns: The updated account.
    /// - Throws: As ``fetchMe()``; `AuthClientError.refused` for an invalid value. After `offline` or 5xx the change
    ///   may have taken effect.
    func updateProfile(_ change: ProfileChange) async throws -> SignedInAccount

    /// Deletes the account with all its data, or nothing. Idempotent.
    ///
    /// - Throws: As ``fetchMe()``; `FRESH_SIGN_IN_REQUIRED` if the user must sign in again. After `offline` or 5xx the
    ///   account may be deleted.
    func deleteAccount() async throws
}

extension ProfileSource {
    /// false.
    public var isReadOnly: Bool { false }
}

extension GatewayClient: ProfileSource {}
