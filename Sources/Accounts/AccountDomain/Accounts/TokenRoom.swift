/// The longest access token, and its room for metadata.
package struct TokenRoom: Equatable, Sendable {
    /// Accepted values of ``tokenBytes``. Longer tokens fit into no header that servers accept.
    package static let range = 4_096...65_000

    /// JSON bytes that header and signature take up, for a 4,096-bit RSA key.
    private static let signature = 600
    /// Includes an address of 254 bytes, three methods and the server's own metadata.
    private static let otherClaims = 1_304

    /// Of the signed token. The default fits into a header line of 8 KiB, many proxies' limit.
    package var tokenBytes: Int

    package init(tokenBytes: Int = 8_000) { self.tokenBytes = tokenBytes }

    package var claimBytes: Int { tokenBytes / 4 * 3 - Self.signature }
    /// Of an account's two metadata objects together, as JSON.
    package var metadataBytes: Int { claimBytes - Self.otherClaims }

    package func fits(_ user: User) -> Bool { user.metadataBytes <= metadataBytes }

    /// Whether the metadata may be stored. An account over the limit may shrink.
    ///
    /// - Parameter former: The user before the change; nil for a new one.
    package func admits(_ user: User, after former: User?) -> Bool {
        fits(user) || user.metadataBytes <= former?.metadataBytes ?? 0
    }
}

extension User {
    fileprivate var metadataBytes: Int { userMetadata.utf8.count + appMetadata.utf8.count }
}
