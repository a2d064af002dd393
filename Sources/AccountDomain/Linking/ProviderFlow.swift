package import GatehouseWire

/// A sign-in in a browser that has gone to a provider and has not come back.
package struct ProviderFlow: Sendable {
    package enum Purpose: Equatable, Sendable {
        case signIn
        /// Adds to the account of somebody who is signed in, as long as they are.
        case link(UserID, session: SessionID?)
    }

    /// From its start to the return of the browser.
    package static let lifetime: Duration = .seconds(300)

    package let provider: String
    package let purpose: Purpose
    /// Ours towards the provider (RFC 7636 §4.1).
    package let verifier: Secret
    /// What the ID token has to repeat.
    package let nonce: String
    /// The app's towards us; nil in the implicit flow.
    package let proofKey: ProofKey?
    /// Where the browser goes in the end; checked against the allow-list when the flow began.
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

/// What a provider gave for later use of its own interfaces.
package struct ProviderGrant: Sendable {
    package let refreshToken: Secret
    /// Our client id that it was made out to: needed again to revoke it.
    package let client: String

    package init(refreshToken: Secret, client: String) {
        self.refreshToken = refreshToken
        self.client = client
    }
}

/// The provider's tokens that the app is given once, with its first session (`provider_token`,
/// `provider_refresh_token`).
package struct ProviderHandout: Sendable {
    package let accessToken: Secret?
    package let refreshToken: Secret?

    package init(accessToken: Secret?, refreshToken: Secret?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }

    package var isEmpty: Bool { accessToken == nil && refreshToken == nil }
}
