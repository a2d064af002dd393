public import Foundation
import Gatehouse

/// A failure outside of a sign-in, with a message for the user.
///
/// ```swift
/// do {
///     try await account.updateProfile(firstName: .set("Ada"))
/// } catch .notAuthenticated {
///     showsLogin = true
/// } catch {
///     message = error.localizedDescription
/// }
/// ```
public enum AuthError: Error, Hashable, Sendable, CaseIterable {
    /// There is no session, or its token was refused: sign in again.
    case notAuthenticated
    /// The user is not allowed to do this.
    case forbidden
    /// The change requires a recent sign-in.
    case freshSignInNeeded
    /// No response, or one that is not the server's. The change may have taken effect.
    case offline
    /// The server failed, refused the call, or sent an invalid response. After a failure the change may have taken
    /// effect.
    case networkError
    /// The account exists, but its profile does not. Reload it later.
    case profileNotCreated
    /// The device's store failed, or a sign-in intervened. The session is kept: try again.
    case unknown
}

extension AuthError {
    /// The message for the user.
    public var message: String {
        switch self {
        case .notAuthenticated: "Please sign in to continue."
        case .forbidden: "You don't have permission to do that."
        case .freshSignInNeeded: "Please sign in again, then repeat this."
        case .offline: "You're offline. Some features may be unavailable."
        case .profileNotCreated: "Account created but profile setup failed. Please try again."
        case .networkError, .unknown: "Something went wrong. Please try again."
        }
    }

    /// Classifies any error of an ``AuthService``.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as AuthError: error
            case let error as GatewayError: Self(error)
            case let error as AuthClientError: Self(error)
            default: .unknown
            }
    }

    private init(_ error: GatewayError) {
        self =
            switch error {
            case .notAuthenticated: .notAuthenticated
            case .forbidden("FRESH_SIGN_IN_REQUIRED", _): .freshSignInNeeded
            case .forbidden: .forbidden
            case .offline(let cause): Self(cause)
            // The session is kept: a new sign-in would not help against a gateway that refuses a valid token.
            case .refused, .server, .unexpectedAnswer, .refusesValidToken: .networkError
            // The session is kept, so the user need not sign in again.
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
            case .noConnection, .noAnswer, .notUnderstood: .offline
            case .status: .networkError
            }
    }
}

extension AuthError: LocalizedError {
    public var errorDescription: String? { message }
}
