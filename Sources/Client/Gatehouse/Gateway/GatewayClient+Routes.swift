public import Foundation

/// A custom route's method.
public enum GatewayMethod: String, Hashable, Sendable {
    /// Reads.
    case get = "GET"
    /// Replaces.
    case put = "PUT"
    /// Creates, or acts.
    case post = "POST"
    /// Changes.
    case patch = "PATCH"
    /// Deletes.
    case delete = "DELETE"
}

extension GatewayClient {
    /// The largest response of ``send(_:_:query:body:needsToken:)`` in bytes.
    public static let largestAnswer = 4_194_304

    /// Calls a custom route at the gateway's URL, with the user's token and this client's time limits, retries and
    /// circuit breaker. Never retries `POST` and `PATCH` without a response.
    ///
    /// ```swift
    /// let scores = try await gateway.send(.get, "/v1/scores", needsToken: false)
    /// ```
    ///
    /// - Parameters:
    ///   - path: Begins with a slash; no segment is `.` or `..`, because the token is sent along.
    ///   - needsToken: False for a route without authorization.
    /// - Returns: The response's JSON; nil for an empty body.
    /// - Throws: ``AuthClientError`` or `CancellationError`: `refused` for 4xx, 5xx and, unsent, an invalid path;
    ///   `unexpectedAnswer` for over ``largestAnswer`` bytes; `signedOut` only if the call needs a token.
    @discardableResult
    public func send(
        _ method: GatewayMethod, _ path: String, query: [URLQueryItem] = [], body: AuthJSON? = nil,
        needsToken: Bool = true
    ) async throws -> AuthJSON? {
        let steps = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.hasPrefix("/"), !steps.contains(where: { $0 == "." || $0 == ".." }) else {
            throw AuthClientError.refused(
                AuthRefusal(
                    status: 400, code: AuthErrorCode("BAD_REQUEST"), message: "The path is invalid, nothing was sent."))
        }
        var request = GatewayRequest(method: method.rawValue, path: path, body: body, needsToken: needsToken)
        request.query = query
        let reply = try await send(request)
        guard reply.body.count <= Self.largestAnswer else { throw AuthClientError.unexpectedAnswer("too long") }
        return reply.body.isEmpty ? nil : try Self.read(reply) { json throws(WireProblem) in json }
    }
}
