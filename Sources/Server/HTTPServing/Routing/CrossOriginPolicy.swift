import GatehouseWire
import HTTPTypes
import Hummingbird

/// CORS (Fetch standard §3.2). Allows every origin: callers authenticate with a token, never with a cookie.
package struct CrossOriginPolicy: Sendable {
    private let allowedHeaders: Set<ExternalName>
    private static let allowedMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    /// Supabase Auth's, and those of Docs/compatibility.md and Docs/operations.md.
    private static let exposedHeaders =
        "X-Total-Count, Link, X-Supabase-Api-Version, X-SB-Error-Code, X-Request-Id, Retry-After, X-RateLimit-Bucket, "
        + "X-Gatehouse-Session-End, DPoP-Nonce"

    /// - Parameter additionalHeaders: Case-insensitive; in addition to those of Supabase's clients.
    package init(additionalHeaders: [String] = []) {
        allowedHeaders = Set<ExternalName>(
            [
                "accept", "authorization", "content-type", "x-client-ip", "x-client-info", "x-jwt-aud", "x-use-cookie",
                "x-supabase-api-version", "apikey", "dpop", "mcp-protocol-version",
            ] + additionalHeaders.map { ExternalName(trusted: $0.lowercased()) })
    }

    /// nil if the request is no preflight. One that asks for too much gets a 204 without permissions.
    func preflight(_ request: Request) -> Response? {
        guard let method = Self.preflightMethod(request) else { return nil }
        var answer = Answer.empty()
        let asked = request.headers[.accessControlRequestHeaders] ?? ""
        guard Self.allowedMethods.contains(method.uppercased()), allows(asked) else { return answer }
        answer.headers.append(HTTPField(name: .accessControlAllowOrigin, value: "*"))
        answer.headers.append(HTTPField(name: .accessControlAllowMethods, value: method.uppercased()))
        if !asked.isEmpty { answer.headers.append(HTTPField(name: .accessControlAllowHeaders, value: asked)) }
        answer.headers.append(HTTPField(name: .accessControlAllowCredentials, value: "true"))
        return answer
    }

    func mark(_ answer: inout Response, to request: Request) {
        // Preflights have their own response; a refused one must not look allowed.
        guard request.headers[.origin] != nil, Self.preflightMethod(request) == nil else { return }
        answer.headers.append(HTTPField(name: .accessControlAllowOrigin, value: "*"))
        answer.headers.append(HTTPField(name: .accessControlAllowCredentials, value: "true"))
        answer.headers.append(HTTPField(name: .accessControlExposeHeaders, value: Self.exposedHeaders))
    }

    /// nil for other requests.
    private static func preflightMethod(_ request: Request) -> String? {
        guard request.method == .options, request.headers[.origin] != nil,
            let method = request.headers[.accessControlRequestMethod], !method.isEmpty
        else { return nil }
        return method
    }

    private func allows(_ names: String) -> Bool {
        names.utf8.split(separator: UInt8(ascii: ",")).allSatisfy { name in
            let trimmed = name.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") }
            return ExternalName(Substring(trimmed).lowercased()).map(allowedHeaders.contains) ?? false
        }
    }
}
