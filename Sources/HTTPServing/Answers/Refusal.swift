package import GatehouseWire
package import HTTPTypes

/// The stable word of a refusal. The Auth API's list is the one that clients read; other APIs add their own words.
package typealias RefusalCode = AuthErrorCode

/// A "no" with two faces: status, code and message go to the caller, the cause goes to the log and nowhere else.
package struct Refusal: Error, Sendable {
    package let status: HTTPResponse.Status
    package let code: RefusalCode
    package let message: String
    package var headers: HTTPFields
    /// `weak_password.reasons` of the Auth API (contract 1.4).
    package var weakPasswordReasons: [String]?
    /// Members of the Auth API's body besides code and message, in this order.
    package var details: [(name: StaticString, value: AnyJSON)] = []
    /// Not nil: the Auth door answers in OAuth's form, always with status 400; this is its `error`.
    package private(set) var oauthError: String?
    package let cause: (any Error)?

    package init(
        _ status: HTTPResponse.Status, _ code: RefusalCode, _ message: String, headers: HTTPFields = [:],
        weakPasswordReasons: [String]? = nil, cause: (any Error)? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
        self.weakPasswordReasons = weakPasswordReasons
        self.cause = cause
    }

    /// `{"error":…,"error_description":…}` (RFC 6749 §5.2), status 400 whatever happened.
    package static func oauth(_ error: String, _ description: String, cause: (any Error)? = nil) -> Refusal {
        var refusal = Refusal(.badRequest, RefusalCode(error), description, cause: cause)
        refusal.oauthError = error
        return refusal
    }
}

extension Refusal {
    package static func badJSON(_ problem: String) -> Refusal {
        Refusal(.badRequest, .badJSON, "Could not parse request body as JSON: \(problem)")
    }

    package static func bodyTooLarge(limit: Int) -> Refusal {
        Refusal(.contentTooLarge, .requestEntityTooLarge, "Request body too large (max \(limit) bytes)")
    }

    /// RFC 9112 §3.2; ``HostRule`` takes away what is not one valid `Host`.
    static let wrongHost = Refusal(.badRequest, .validationFailed, "The request needs one valid Host header.")

    package static let timeout = Refusal(
        .gatewayTimeout, .requestTimeout, "Processing this request timed out, please retry after a moment.")

    /// 429 with `Retry-After` (whole seconds, rounded up, at least 1) and the name of the bucket that ran dry.
    package static func tooManyRequests(retryAfter: Duration, bucket: String) -> Refusal {
        let seconds = max(1, Int(retryAfter.fractionalSeconds.rounded(.up)))
        return Refusal(
            .tooManyRequests, .overRequestRateLimit, "Request rate limit reached",
            headers: [.retryAfter: String(seconds), .rateLimitBucket: bucket])
    }

    /// 503 with `Retry-After`: nothing has happened, and in a moment it may work. Every client tries that again, and
    /// keeps its session, which published ones do not after a 500.
    package static func unavailable(_ cause: any Error) -> Refusal {
        Refusal(
            .serviceUnavailable, .serviceUnavailable, "The service is not available at the moment, please try again.",
            headers: [.retryAfter: "1"], cause: cause)
    }

    /// 503 as well: the database went away while it was made durable. Asking again does no harm.
    package static func unknownOutcome(_ cause: any Error) -> Refusal {
        Refusal(
            .serviceUnavailable, .outcomeUnknown, "It is not known whether this took effect, please try again.",
            headers: [.retryAfter: "1"], cause: cause)
    }

    /// For a route that this deployment has switched off.
    package static let unknownAddress = Refusal(.notFound, .notFound, "There is nothing at this address.")

    /// What nobody foresaw: one text for all of it.
    package static func unforeseen(_ cause: any Error) -> Refusal {
        Refusal(
            .internalServerError, .unexpectedFailure,
            "Unexpected failure, please check server logs for more information", cause: cause)
    }
}

/// The path is none of ours; each door has its own way to say so.
struct UnknownPath: Error {}
/// The path is ours, the method is not.
struct WrongMethod: Error { let allowed: String }
/// The connection broke while the body came in; there is nobody to answer.
struct ConnectionLost: Error { let cause: any Error }

extension HTTPField.Name {
    package static let requestID = Self("x-request-id")!
    package static let rateLimitBucket = Self("x-ratelimit-bucket")!
    package static let supabaseAPIVersion = Self("x-supabase-api-version")!
    package static let supabaseErrorCode = Self("x-sb-error-code")!
    static let contentTypeOptions = Self("x-content-type-options")!
}
