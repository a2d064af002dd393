import GatehouseWire
package import JSONWebTokens

/// A step of the communication with a provider.
package enum ProviderStep: String, Sendable {
    case discovery
    case keys
    case authorization
    case tokens
    case userInfo = "user info"
    case revocation
    case notification
}

/// Why a sign-in with a provider yielded no identity.
package enum ProviderFailure: Error, Equatable, Sendable {
    /// The provider did not answer or sent an unexpected answer. A retry may succeed ("Sign in service unavailable").
    case unavailable(ProviderStep, ProviderTrouble)
    /// The provider refused (RFC 6749 §5.2): a used or expired code, or invalid credentials ("Sign in with … failed").
    /// Both texts are the provider's, shortened and without control characters.
    case refused(ProviderStep, error: String, description: String?)
    /// The provider's answer failed verification.
    case rejected(IdentityRejection)
    /// The provider or its configuration lacks what this step needs.
    case notOffered(ProviderStep)

    /// Whether the same call may succeed later without any change.
    package var isWorthRetrying: Bool { if case .unavailable = self { true } else { false } }

    /// Whether the provider refuses our credentials, which the operator must fix.
    package var isOurConfiguration: Bool {
        switch self {
        case .refused(_, let error, _): error == "invalid_client" || error == "unauthorized_client"
        case .notOffered: true
        case .unavailable, .rejected: false
        }
    }
}

/// The fault in a response.
package enum ProviderTrouble: Error, Equatable, Sendable {
    case noAnswer(ProviderTransportFailure)
    case status(Int)
    /// Not a JSON object.
    case unreadable
    /// A required member is missing.
    case missing(String)
    /// A member has the wrong type or an invalid value.
    case malformed(String)
    /// The discovery document belongs to a different issuer.
    case wrongIssuer
    /// None of the announced algorithms for ID tokens is supported.
    case unsupportedAlgorithms([String])
    /// No published key verifies one of these algorithms.
    case noUsableKey([SigningAlgorithm])
    /// The client secret could not be signed.
    case cannotSign
}
