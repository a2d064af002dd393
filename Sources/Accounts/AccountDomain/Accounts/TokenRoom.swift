/// The longest access token, and its room for metadata.
package struct TokenRoom: Equatable, Sendable {
    /// Longer tokens fit into no header that servers accept.
    package static let range = 4_096...65_000

    /// JSON bytes that header and signature take up, for a 4,096-bit RSA key.
    private static let signature = 600
    /// An address of 254 bytes, three methods and the server's own metadata.
    private static let otherClaims = 1_304

    /// The default fits into a header line of 8 KiB, many proxies' limit.
    package var tokenBytes: Int

    package init(tokenBytes: Int = 8_000) { self.tokenBytes = tokenBytes }

    package var claimBytes: Int { tokenBytes / 4 * 3 - Self.signature }
    /// Both metadata objects together, as JSON.
    package var metadataBytes: Int { claimBytes - Self.otherClaims }

    package func fits(_ user: User) -> Bool { user.metadataBytes <= metadataBytes }

    /// Accepts an account over the limit if it shrinks.
    ///
    /// - Parameter former: nil for a new user.
    package func admits(_ user: User, after former: User?) -> Bool {
        fits(user) || user.metadataBytes <= former?.metadataBytes ?? 0
    }
}

extension User {
    fileprivate var metadataBytes: Int { userMetadata.utf8.count + appMetadata.utf8.count }
}
