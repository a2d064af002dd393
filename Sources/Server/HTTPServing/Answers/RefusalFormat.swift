import GatehouseWire
package import HTTPTypes
package import Hummingbird

package enum RefusalFormat: Sendable {
    /// In both versions ([Error codes](https://supabase.com/docs/guides/auth/debugging/error-codes)).
    case auth
    /// `{"error":CODE,"message":text}`, and `"field"` for one field.
    case profile
    case page(@Sendable (_ refusal: Refusal, _ request: HTTPFields) -> Response)

    /// The Auth API's format depends on `X-Supabase-Api-Version`.
    package func response(to refusal: Refusal, request: HTTPFields, requestID: String) -> Response {
        var response =
            switch self {
            case .auth: Self.auth(refusal, speaksNewVersion(request), requestID)
            case .profile: Self.profile(refusal)
            case .page(let page): page(refusal, request)
            }
        response.headers.append(contentsOf: refusal.headers)
        return response
    }

    /// The Auth API responds in plain text, like Supabase Auth.
    func unknownPath(request: HTTPFields, requestID: String) -> Response {
        switch self {
        case .auth: Answer.text("404 page not found\n", status: .notFound)
        case .profile, .page:
            response(to: .unknownAddress, request: request, requestID: requestID)
        }
    }

    private static func auth(_ refusal: Refusal, _ isNew: Bool, _ requestID: String) -> Response {
        let format: AuthErrorFormat =
            if let error = refusal.oauthError {
                .oauth(error: error)
            } else {
                isNew ? .current : .older(status: refusal.status.code, requestID: requestID)
            }
        var response = Answer.json(status: refusal.status, capacity: 256) {
            $0.authError(
                format, refusal.code, refusal.message, weakPasswordReasons: refusal.weakPasswordReasons,
                details: refusal.details)
        }
        if isNew { response.headers.append(HTTPField(name: .supabaseAPIVersion, value: "2024-01-01")) }
        // Like Supabase Auth, version 2024-01-01 omits the header for weak passwords.
        let omitsCode = refusal.oauthError != nil || (isNew && refusal.weakPasswordReasons != nil)
        if !omitsCode { response.headers.append(HTTPField(name: .supabaseErrorCode, value: refusal.code.rawValue)) }
        return response
    }

    private static func profile(_ refusal: Refusal) -> Response {
        Answer.json(status: refusal.status, capacity: 256) {
            $0.gatewayError(
                code: profileCode(refusal.code),
                message: refusal.status.code >= 500 ? profileFailure(refusal) : refusal.message, field: refusal.field)
        }
    }

    /// The gateway's names for codes that both APIs share.
    private static func profileCode(_ code: RefusalCode) -> String {
        switch code {
        case .badJSON, .validationFailed: "BAD_REQUEST"
        case .requestEntityTooLarge: "PAYLOAD_TOO_LARGE"
        case .notFound: "NOT_FOUND"
        case .overRequestRateLimit: "RATE_LIMITED"
        case .outcomeUnknown: "OUTCOME_UNKNOWN"
        case .requestTimeout: "TIMEOUT"
        case .serviceUnavailable: "UNAVAILABLE"
        case .unexpectedFailure: "INTERNAL_ERROR"
        default: code.rawValue
        }
    }

    private static func profileFailure(_ refusal: Refusal) -> String {
        refusal.code == .unexpectedFailure ? "Something went wrong on our side." : refusal.message
    }

    /// A date from 2024-01-01 on. Any other value is ignored.
    private func speaksNewVersion(_ request: HTTPFields) -> Bool {
        guard let text = request[.supabaseAPIVersion], text.utf8.count == 10, text >= "2024-01-01" else { return false }
        return Instant(text + "T00:00:00Z") != nil
    }
}
