import Foundation

extension URL {
    /// Throws as ``GatehouseClient/session(from:)``.
    var redirectCode: String {
        get throws(AuthClientError) {
            let values = redirectValues
            // RFC 6749's code for temporary failures (§4.1.2.1) beats `error_code`.
            let isPassing = values["error"] == "temporarily_unavailable"
            if let error = isPassing ? values["error"] : values["error_code"] ?? values["error"] {
                let message = values["error_description"] ?? ""
                throw .refused(AuthRefusal(status: 0, code: AuthErrorCode(rawValue: error), message: message))
            }
            guard let code = values["code"] else { throw .unknownFlow }
            return code
        }
    }

    /// The query's values win.
    var redirectValues: [String: String] {
        let whole = URLComponents(url: self, resolvingAgainstBaseURL: false)
        var (query, inFragment) = (URLComponents(), URLComponents())
        // Form encoding: a plus sign is a space.
        query.percentEncodedQuery = whole?.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%20")
        inFragment.percentEncodedQuery = whole?.percentEncodedFragment?.replacingOccurrences(of: "+", with: "%20")
        var values: [String: String] = [:]
        for item in (inFragment.queryItems ?? []) + (query.queryItems ?? []) {
            guard let value = item.value, !value.isEmpty else { continue }
            values[item.name] = value
        }
        return values
    }
}
