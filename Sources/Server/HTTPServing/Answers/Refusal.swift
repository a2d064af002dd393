package import GatehouseWire
package import HTTPTypes

/// The Auth API's list, which clients read; other APIs add their own.
package typealias RefusalCode = AuthErrorCode

/// An error response. The client sees status, code and message; the cause is for the log.
package struct Refusal: Error, Sendable {
    package let status: HTTPResponse.Status
    package let code: RefusalCode
    package let message: String
    package var headers: HTTPFields
    /// `weak_password.reasons` ([Password security](https://supabase.com/docs/guides/auth/password-security)).
    package var weakPasswordReasons: [String]?
    /// Members of the Auth API's error body after code and message, in order.
    package var details: [(name: StaticString, value: AuthJSON)] = []
    /// The invalid field, as a JSON Pointer (RFC 6901) into the request's body. Gateway only.
    package var field: String?
    /// Makes the Auth API respond in OAuth's format.
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

    /// `{"error":…,"error_description":…}` (RFC 6749 §5.2).
    package static func oauth(
        _ error: String, _ description: String, status: HTTPResponse.Status = .badRequest, headers: HTTPFields = [:],
        cause: (any Error)? = nil
    ) -> Refusal {
        var refusal = Refusal(status, RefusalCode(error), description, headers: headers, cause: cause)
        refusal.oauthError = error
        return refusal
    }
}

extension Refusal {
    /// The problem must not quote the body.
    package static func badJSON(_ problem: String) -> Refusal {
        Refusal(.badRequest, .badJSON, "Could not parse request body as JSON: \(problem)")
    }

    package static func bodyTooLarge(limit: Int) -> Refusal {
        Refusal(.contentTooLarge, .requestEntityTooLarge, "Request body too large (max \(limit) bytes)")
    }

    /// RFC 9112 §3.2. Such a request has no authority (``RequestHeads``).
    static let wrongHost = Refusal(.badRequest, .validationFailed, "The request must have one valid Host header.")

    package static let timeout = Refusal(
        .gatewayTimeout, .requestTimeout, "Processing this request timed out, please retry after a moment.")

    /// 429 with `Retry-After` in whole seconds, rounded up, at least 1.
    package static func tooManyRequests(retryAfter: Duration, bucket: String) -> Refusal {
        let seconds = max(1, Int(retryAfter.fractionalSeconds.rounded(.up)))
        return Refusal(
            .tooManyRequests, .overRequestRateLimit, "Request rate limit reached",
            headers: [.retryAfter: String(seconds), .rateLimitBucket: bucket])
    }

    /// 503 with `Retry-After`: nothing happened. Clients retry a 503 and keep their session; after a 500, published
    /// clients do not.
    package static func unavailable(_ cause: any Error) -> Refusal {
        Refusal(
            .serviceUnavailable, .serviceUnavailable, "The service is not available at the moment, please try again.",
            headers: [.retryAfter: "1"], cause: cause)
    }

    /// Also 503: the database became unreachable during a commit. A retry is safe.
    package static func unknownOutcome(_ cause: any Error) -> Refusal {
        Refusal(
            .serviceUnavailable, .outcomeUnknown, "The outcome of the request is unknown, please try again.",
            headers: [.retryAfter: "1"], cause: cause)
    }

    /// A route that this deployment has disabled.
    package static let unknownAddress = Refusal(.notFound, .notFound, "There is nothing at this address.")

    /// All have the same message.
    package static func unforeseen(_ cause: any Error) -> Refusal {
        Refusal(
            .internalServerError, .unexpectedFailure,
            "Unexpected failure, please check server logs for more information", cause: cause)
    }
}

/// Each API responds in its own format.
struct UnknownPath: Error {}
struct WrongMethod: Error { let allowed: String }
/// The connection closed during the body, so no response can be sent.
struct ConnectionLost: Error { let cause: any Error }

extension HTTPField.Name {
    package static let requestID = Self("x-request-id")!
    package static let rateLimitBucket = Self("x-ratelimit-bucket")!
    package static let supabaseAPIVersion = Self("x-supabase-api-version")!
    package static let supabaseErrorCode = Self("x-sb-error-code")!
    static let contentTypeOptions = Self("x-content-type-options")!
}
