public import Foundation
import Gatehouse

/// What went wrong with the account outside of a sign-in, as a person is told.
public enum AuthError: Error, Hashable, Sendable, CaseIterable {
    case notAuthenticated
    case forbidden
    /// The change needs a session that has just begun.
    case freshSignInNeeded
    case offline
    case networkError
    case unknown
}

extension AuthError {
    /// What the person reads.
    public var message: String {
        switch self {
        case .notAuthenticated: "Please sign in to continue."
        case .forbidden: "You don't have permission to do that."
        case .freshSignInNeeded: "Please sign in again, then repeat this."
        case .offline: "You're offline. Some features may be unavailable."
        case .networkError, .unknown: "Something went wrong. Please try again."
        }
    }

    /// The kind of any error that an ``AuthService`` throws.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as AuthError: error
            case let error as GatewayError: Self(error)
            case let error as AuthClientError: Self(error)
            default: .unknown
            }
    }

    /// Whether a failure says for good that the session opens nothing. A 401 in nobody's own words does not: a proxy
    /// answers so, and a server to a wrong key.
    static func endsSession(_ failure: any Error) -> Bool {
        switch failure {
        case AuthError.notAuthenticated, GatewayError.notAuthenticated, AuthClientError.signedOut: true
        case AuthClientError.refused(let refusal), GatewayError.noToken(.refused(let refusal)): refusal.isFinal
        default: false
        }
    }

    private init(_ error: GatewayError) {
        self =
            switch error {
            case .notAuthenticated: .notAuthenticated
            case .forbidden("FRESH_SIGN_IN_REQUIRED", _): .freshSignInNeeded
            case .forbidden: .forbidden
            case .offline(let cause): Self(cause)
            case .refused, .server, .unexpectedAnswer: .networkError
            // The session is kept: nobody has to sign in for it.
            case .noToken(.refused): .networkError
            case .noToken(let error): Self(error)
            case .insecureURL: .unknown
            }
    }

    private init(_ error: AuthClientError) {
        self =
            switch error {
            case .signedOut: .notAuthenticated
            case .offline(let cause): Self(cause)
            case .refused(let refusal) where refusal.status == 401 && refusal.code != nil: .notAuthenticated
            case .refused(let refusal) where refusal.code == .freshSignInRequired: .freshSignInNeeded
            case .refused(let refusal) where refusal.status == 403: .forbidden
            case .refused, .unexpectedAnswer: .networkError
            case .insecureURL, .sessionChanged, .storeUnavailable, .storeFailed, .unknownFlow: .unknown
            }
    }

    private init(_ cause: OfflineCause) {
        self =
            switch cause {
            case .noAnswer, .notUnderstood: .offline
            case .status: .networkError
            }
    }
}

extension AuthError: LocalizedError {
    public var errorDescription: String? { message }
}
