package import GatehouseWire

/// A browser sign-in in progress at a provider.
package struct ProviderFlow: Sendable {
    package enum Purpose: Equatable, Sendable {
        case signIn
        /// Ends with the session.
        case link(UserID, session: SessionID?)
    }

    /// From the start until the browser returns.
    package static let lifetime: Duration = .seconds(300)

    package let provider: String
    package let purpose: Purpose
    /// Our PKCE verifier (RFC 7636 §4.1).
    package let verifier: Secret
    /// Must be repeated by the ID token.
    package let nonce: String
    /// The app's; nil in the implicit flow.
    package let proofKey: ProofKey?
    /// Already checked against the allow list.
    package let redirectTo: String

    package init(
        provider: String, purpose: Purpose = .signIn, verifier: Secret, nonce: String, proofKey: ProofKey?,
        redirectTo: String
    ) {
        self.provider = provider
        self.purpose = purpose
        self.verifier = verifier
        self.nonce = nonce
        self.proofKey = proofKey
        self.redirectTo = redirectTo
    }
}

package struct ProviderGrant: Sendable {
    package let refreshToken: Secret
    /// The token's client id, needed to revoke it.
    package let client: String

    package init(refreshToken: Secret, client: String) {
        self.refreshToken = refreshToken
        self.client = client
    }
}

/// Delivered once, with the app's first session (`provider_token`, `provider_refresh_token`).
package struct ProviderHandout: Sendable {
    package let accessToken: Secret?
    package let refreshToken: Secret?

    package init(accessToken: Secret?, refreshToken: Secret?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }

    package var isEmpty: Bool { accessToken == nil && refreshToken == nil }
}
