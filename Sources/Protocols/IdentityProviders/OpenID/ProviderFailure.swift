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
    /// No response or an unexpected one. A retry may succeed ("Sign in service unavailable").
    case unavailable(ProviderStep, ProviderTrouble)
    /// RFC 6749 §5.2: a used or expired code, or invalid credentials ("Sign in with … failed"). Both texts are the
    /// provider's, shortened and without control characters.
    case refused(ProviderStep, error: String, description: String?)
    /// The response failed verification.
    case rejected(IdentityRejection)
    /// The provider or its configuration lacks what this step needs.
    case notOffered(ProviderStep)

    package var isWorthRetrying: Bool { if case .unavailable = self { true } else { false } }

    /// The provider refuses our credentials; only the operator can fix that.
    package var isOurConfiguration: Bool {
        switch self {
        case .refused(_, let error, _): error == "invalid_client" || error == "unauthorized_client"
        case .notOffered: true
        case .unavailable, .rejected: false
        }
    }
}

package enum ProviderTrouble: Error, Equatable, Sendable {
    case noAnswer(ProviderTransportFailure)
    case status(Int)
    /// Not a JSON object.
    case unreadable
    case missing(String)
    /// A member has the wrong type or an invalid value.
    case malformed(String)
    case wrongIssuer
    /// None of the announced algorithms is supported.
    case unsupportedAlgorithms([String])
    /// No published key verifies one of these algorithms.
    case noUsableKey([SigningAlgorithm])
    /// The client secret could not be signed.
    case cannotSign
}
