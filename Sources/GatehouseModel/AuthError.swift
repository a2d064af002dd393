public import Foundation
import Gatehouse

/// What went wrong with the account outside of a sign-in, as a person is told.
public enum AuthError: Error, Hashable, Sendable, CaseIterable {
    case notAuthenticated
    case forbidden
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
        case .offline: "You're offline. Some features may be unavailable."
        case .networkError, .unknown: "Something went wrong. Please try again."
        }
    }

    /// The kind of any error that an ``AuthService`` throws.
    init(_ error: any Error) {
        if let error = error as? AuthError {
            self = error
            return
        }
        guard let error = error as? AuthClientError else {
            self = .unknown
            return
        }
        self =
            switch error {
            case .signedOut: .notAuthenticated
            case .offline(.noAnswer), .offline(.notUnderstood): .offline
            case .offline(.status), .unexpectedAnswer: .networkError
            case .refused(let refusal) where refusal.status == 401: .notAuthenticated
            case .refused(let refusal) where refusal.status == 403: .forbidden
            case .refused: .networkError
            case .insecureURL, .sessionChanged, .storeUnavailable, .storeFailed, .unknownFlow: .unknown
            }
    }
}

extension AuthError: LocalizedError {
    public var errorDescription: String? { message }
}
