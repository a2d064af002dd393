import GatehouseWire
package import HTTPTypes
package import Hummingbird

/// How a door writes its refusals.
package enum RefusalFormat: Sendable {
    /// The Auth API, in the two versions of contract 1.3 and 1.4.
    case auth
    /// `{"error":CODE,"message":text}` (requirement C3).
    case profile

    package func response(to refusal: Refusal, request: HTTPFields, requestID: String) -> Response {
        var response =
            switch self {
            case .auth: Self.auth(refusal, speaksNewVersion(request), requestID)
            case .profile: Self.profile(refusal)
            }
        response.headers.append(contentsOf: refusal.headers)
        return response
    }

    /// Contract 1.4: plain text at the Auth door, although everything else there is JSON.
    func unknownPath(request: HTTPFields, requestID: String) -> Response {
        switch self {
        case .auth: Answer.text("404 page not found\n", status: .notFound)
        case .profile:
            response(to: .unknownAddress, request: request, requestID: requestID)
        }
    }

    private static func auth(_ refusal: Refusal, _ isNew: Bool, _ requestID: String) -> Response {
        var response = Answer.json(status: refusal.oauthError == nil ? refusal.status : .badRequest, capacity: 256) {
            writer in
            writer.beginObject()
            if let error = refusal.oauthError {
                writer.member("error", error)
                writer.member("error_description", refusal.message)
            } else if isNew {
                writer.member("code", refusal.code.rawValue)
                writer.member("message", refusal.message)
            } else {
                writer.member("code", Int64(refusal.status.code))
                writer.member("error_code", refusal.code.rawValue)
                writer.member("msg", refusal.message)
                if refusal.status.code >= 500 { writer.member("error_id", requestID) }
            }
            if let reasons = refusal.weakPasswordReasons { writeWeakPassword(reasons, &writer) }
            for detail in refusal.details { writer.member(detail.name, detail.value) }
            writer.endObject()
        }
        if isNew { response.headers.append(HTTPField(name: .supabaseAPIVersion, value: "2024-01-01")) }
        // Recorded: the newer version leaves the header out for weak passwords.
        let omitsCode = refusal.oauthError != nil || (isNew && refusal.weakPasswordReasons != nil)
        if !omitsCode { response.headers.append(HTTPField(name: .supabaseErrorCode, value: refusal.code.rawValue)) }
        return response
    }

    private static func writeWeakPassword(_ reasons: [String], _ writer: inout JSONWriter) {
        writer.name("weak_password")
        writer.beginObject()
        writer.name("reasons")
        writer.beginArray()
        for reason in reasons { writer.value(reason) }
        writer.endArray()
        writer.endObject()
    }

    private static func profile(_ refusal: Refusal) -> Response {
        Answer.json(status: refusal.status, capacity: 256) { writer in
            writer.beginObject()
            writer.member("error", profileCode(refusal.code))
            writer.member("message", refusal.status.code >= 500 ? profileFailure(refusal) : refusal.message)
            writer.endObject()
        }
    }

    /// The words of C3 for what both doors refuse; a code of the profile door itself stays as it is.
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

    /// Contract 1.3: a date from 2024-01-01 on; anything else counts as not sent.
    private func speaksNewVersion(_ request: HTTPFields) -> Bool {
        guard let text = request[.supabaseAPIVersion], text.utf8.count == 10, text >= "2024-01-01" else { return false }
        return Instant(text + "T00:00:00Z") != nil
    }
}
