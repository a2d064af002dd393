import GatehouseWire
package import JSONWebTokens

package enum ProviderStep: String, Sendable {
    case discovery
    case keys
    case authorization
    case tokens
    case userInfo = "user info"
    case revocation
    case notification
}

package enum ProviderFailure: Error, Equatable, Sendable {
    /// A retry may succeed ("Sign in service unavailable").
    case unavailable(ProviderStep, ProviderTrouble)
    /// RFC 6749 §5.2: a used or expired code, or invalid credentials ("Sign in with … failed"). The provider's texts,
    /// shortened and without control characters.
    case refused(ProviderStep, error: String, description: String?)
    case rejected(IdentityRejection)
    /// Provider or configuration lack what this step needs.
    case notOffered(ProviderStep)

    package var isWorthRetrying: Bool { if case .unavailable = self { true } else { false } }

    /// Our credentials are refused; only the operator can fix that.
    package var isOurConfiguration: Bool {
        switch self {
        case .refused(_, let error, _):
            // The third and fourth are GitHub's.
            ["invalid_client", "unauthorized_client", "incorrect_client_credentials", "redirect_uri_mismatch"]
                .contains(error)
        case .notOffered: true
        case .unavailable, .rejected: false
        }
    }
}

package enum ProviderTrouble: Error, Equatable, Sendable {
    case noAnswer(ProviderTransportFailure)
    case status(Int)
    case unreadable
    case missing(String)
    case malformed(String)
    case wrongIssuer
    /// None of them is supported.
    case unsupportedAlgorithms([String])
    /// No published key verifies one of these algorithms.
    case noUsableKey([SigningAlgorithm])
    case cannotSign
}
