import Foundation

/// Has no credentials.
struct GatewayRequest: Sendable {
    var method: String
    /// Below the gateway's URL, such as `/v1/auth/me`.
    var path: String
    var query: [URLQueryItem] = []
    var body: AuthJSON?
    var needsToken = true

    /// RFC 9110 §9.2.2. Repeating a PATCH could revert another device's change.
    var isRepeatable: Bool { method != "PATCH" && method != "POST" }

    func call(at url: URL, token: String?) -> HTTPCall {
        var headers = ["accept": "application/json"]
        if let token { headers["authorization"] = "Bearer \(token)" }
        if body != nil { headers["content-type"] = "application/json" }
        var address = url.appending(path: path)
        if !query.isEmpty { address.append(queryItems: query) }
        return HTTPCall(method: method, url: address, headers: headers, body: body.map { Array($0.text.utf8) })
    }
}
