/// The longest access token, and the room for metadata in it.
package struct TokenRoom: Equatable, Sendable {
    /// Accepted values of ``tokenBytes``. Tokens above the upper bound fit into no header that servers accept.
    package static let range = 4_096...65_000

    /// JSON that takes as many bytes as header and signature, for an RSA key of 4,096 bits.
    private static let signature = 600
    /// All other claims: an address of 254 bytes, three methods and what the server adds to the metadata itself.
    private static let otherClaims = 1_304

    /// Of the signed token. The default fits into a header line of 8 KiB, which is the limit of many proxies.
    package var tokenBytes: Int

    package init(tokenBytes: Int = 8_000) { self.tokenBytes = tokenBytes }

    /// Of the claims as JSON.
    package var claimBytes: Int { tokenBytes / 4 * 3 - Self.signature }
    /// Of both metadata objects of an account together, as JSON.
    package var metadataBytes: Int { claimBytes - Self.otherClaims }

    package func fits(_ user: User) -> Bool { user.metadataBytes <= metadataBytes }

    /// Whether a user's metadata may be stored. An account over the limit may shrink.
    ///
    /// - Parameter former: The user before the change; nil for a new one.
    package func admits(_ user: User, after former: User?) -> Bool {
        fits(user) || user.metadataBytes <= former?.metadataBytes ?? 0
    }
}

extension User {
    /// Of both metadata objects as JSON.
    fileprivate var metadataBytes: Int { userMetadata.utf8.count + appMetadata.utf8.count }
}
