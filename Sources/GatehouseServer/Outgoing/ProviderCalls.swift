import Foundation
import GatehouseWire
package import IdentityProviders

/// Calls identity providers over Foundation's HTTP client, by the rule of what may be called.
///
/// The name is resolved and every address judged before the connection is made. Foundation connects to the name again
/// and may get another answer by then; but off this machine it is https alone, so who stands there needs the
/// certificate of that name to get to see anything or to be believed.
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

    /// A ``ProviderTransport``.
    ///
    /// - Throws: ``ProviderTransportFailure``; `CancellationError` when the caller is cancelled, at once.
    @Sendable package func send(_ request: ProviderRequest) async throws -> ProviderResponse {
        var headers = request.headers
        headers["authorization"] = request.authorization?.reveal()
        let call = OutgoingCall(
            method: request.method.rawValue, url: request.url.text, headers: headers,
            body: request.body.map { Array($0.reveal().utf8) }, maximumBytes: request.maximumBytes,
            timeLimit: request.timeLimit)
        return try await send(call, to: request.url)
    }

    /// A document that everybody may read, whatever the status is.
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
