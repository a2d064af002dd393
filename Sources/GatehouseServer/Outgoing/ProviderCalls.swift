import Foundation
package import GatehouseWire
package import IdentityProviders

/// Calls identity providers with Foundation's HTTP client, if the rule for outgoing addresses allows it.
///
/// Resolves the name and checks every address before connecting. Foundation then resolves the name again and may get a
/// different address. Beyond loopback only https is allowed, so such a server would need the name's certificate.
package struct ProviderCalls: Sendable {
    package let rule: OutgoingAddressRule
    private let http: OutgoingHTTP
    private let resolve: @Sendable (String) async throws -> [IPAddress]

    /// - Parameter resolve: The addresses of a host; none for a name that does not exist.
    package init(
        rule: OutgoingAddressRule, http: OutgoingHTTP,
        resolve: @escaping @Sendable (String) async throws -> [IPAddress]
    ) {
        self.rule = rule
        self.resolve = resolve
        self.http = http
    }

    /// Sends a request, as a ``ProviderTransport``.
    ///
    /// - Throws: ``ProviderTransportFailure``, or `CancellationError` as soon as the caller is cancelled.
    @Sendable package func send(_ request: ProviderRequest) async throws -> ProviderResponse {
        var headers = request.headers
        headers["authorization"] = request.authorization?.reveal()
        let call = OutgoingCall(
            method: request.method.rawValue, url: request.url.text, headers: headers,
            body: request.body.map { Array($0.reveal().utf8) }, maximumBytes: request.maximumBytes,
            timeLimit: request.timeLimit)
        return try await send(call, to: request.url)
    }

    /// Fetches a public document, and returns responses of any status.
    package func document(_ url: ProviderURL) async throws -> ProviderResponse {
        try await send(
            OutgoingCall(
                url: url.text, headers: ["accept": "application/json"], maximumBytes: ProviderLimits.keys,
                timeLimit: ProviderLimits.documentTime), to: url)
    }

    private func send(_ call: OutgoingCall, to url: ProviderURL) async throws -> ProviderResponse {
        do {
            return try await limited(to: call.timeLimit, by: http.sleep) {
                try await checkAddresses(url)
                let answer = try await http.answer(to: call)
                return ProviderResponse(status: answer.status, body: answer.body)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private func checkAddresses(_ url: ProviderURL) async throws {
        try rule.check(url)
        guard url.address == nil else { return }
        try rule.check(await resolve(url.host), of: url)
    }

    private static func failure(_ error: any Error) -> any Error {
        switch error {
        case let refusal as OutgoingAddressRule.Refusal: ProviderTransportFailure.addressRefused(refusal)
        case OutgoingFailure.tooLong: ProviderTransportFailure.tooLong
        case OutgoingFailure.noAnswer(URLError.timedOut.rawValue), is TimeIsOver: ProviderTransportFailure.timedOut
        case is CancellationError: error
        default: ProviderTransportFailure.noConnection
        }
    }
}
