import GatehouseWire

/// What we wanted of the provider.
package enum ProviderStep: String, Sendable {
    case discovery
    case keys
    case authorization
    case tokens
    case userInfo = "user info"
    case revocation
    case notification
}

/// Why a sign-in with a provider did not come to an identity.
package enum ProviderFailure: Error, Equatable, Sendable {
    /// The provider did not answer, or not with what it should: nobody's fault here, and worth another try
    /// (requirement E7: "Sign in service unavailable").
    case unavailable(ProviderStep, ProviderTrouble)
    /// The provider said no (RFC 6749 §5.2): a code that was used or is too old, or our credentials
    /// (E7: "Sign in with … failed"). Both texts are the provider's, cut and without control characters.
    case refused(ProviderStep, error: String, description: String?)
    /// What the provider, or who speaks in its name, said is not believed.
    case rejected(IdentityRejection)
    /// This provider, or its configuration, does not have what is needed.
    case notOffered(ProviderStep)

    /// Whether the same call may succeed later without anybody doing something.
    package var isWorthRetrying: Bool { if case .unavailable = self { true } else { false } }

    /// Whether the provider does not accept our credentials: the operator has to act.
    package var isOurConfiguration: Bool {
        switch self {
        case .refused(_, let error, _): error == "invalid_client" || error == "unauthorized_client"
        case .notOffered: true
        case .unavailable, .rejected: false
        }
    }
}

/// What was wrong with an answer, or that there was none.
package enum ProviderTrouble: Error, Equatable, Sendable {
    case noAnswer(ProviderTransportFailure)
    case status(Int)
    /// Not one JSON object.
    case unreadable
    /// The named member has to be there.
    case missing(String)
    /// The named member is of another type, or not what its name says.
    case malformed(String)
    /// The discovery document is about somebody else.
    case wrongIssuer
    /// Our client secret could not be signed.
    case cannotSign
}
