package import GatehouseWire
package import HTTPServing
package import IdentityProviders

/// Resolves the name, checks every address and connects to these only. A proxy resolves the name itself
/// (``OutgoingHTTP/overNetwork(_:)``).
package struct ProviderCalls: Sendable {
    package let rule: OutgoingAddressRule
    private let http: OutgoingHTTP
    private let resolve: @Sendable (String) async throws -> [IPAddress]
    private let tracer: Tracer?

    /// - Parameters:
    ///   - tracer: nil without traces.
    ///   - resolve: Returns no addresses for a name that does not exist.
    package init(
        rule: OutgoingAddressRule, http: OutgoingHTTP, tracer: Tracer? = nil,
        resolve: @escaping @Sendable (String) async throws -> [IPAddress]
    ) {
        (self.rule, self.tracer) = (rule, tracer)
        self.resolve = resolve
        self.http = http
    }

    /// - Throws: ``ProviderTransportFailure``, or `CancellationError` as soon as the caller is cancelled.
    @Sendable package func send(_ request: ProviderRequest) async throws -> ProviderResponse {
        var headers = request.headers
        headers["authorization"] = request.authorization?.reveal()
        let call = OutgoingCall(
            method: request.method.rawValue, url: request.url.text, headers: headers,
            body: request.body.map { Array($0.reveal().utf8) }, maximumBytes: request.maximumBytes,
            timeLimit: request.timeLimit)
        let name = request.route.map { "\(call.method) \($0)" } ?? call.method
        return try await tracer.inSpan(name, .client, failure: OutgoingSpan.failure) { span in
            span?.note(call.method, request.url, route: request.route)
            let response = try await send(call, to: request.url)
            span?.note(status: response.status)
            return response
        }
    }

    /// Fetches at most ``ProviderLimits/keys`` bytes within ``ProviderLimits/documentTime``. Returns responses of any
    /// status.
    ///
    /// - Throws: As ``send(_:)``.
    package func document(_ url: ProviderURL) async throws -> ProviderResponse {
        try await send(
            OutgoingCall(
                url: url.text, headers: ["accept": "application/json"], maximumBytes: ProviderLimits.keys,
                timeLimit: ProviderLimits.documentTime), to: url)
    }

    private func send(_ call: OutgoingCall, to url: ProviderURL) async throws -> ProviderResponse {
        do {
            return try await limited(to: call.timeLimit, by: http.sleep) {
                var call = call
                call.addresses = try await checkedAddresses(url)
                let answer = try await http.answer(to: call)
                return ProviderResponse(status: answer.status, body: answer.body)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// - Returns: nil if the host is an address.
    private func checkedAddresses(_ url: ProviderURL) async throws -> [IPAddress]? {
        try rule.check(url)
        guard url.address == nil else { return nil }
        let addresses = try await resolve(url.host)
        try rule.check(addresses, of: url)
        return addresses
    }

    private static func failure(_ error: any Error) -> any Error {
        switch error {
        case let refusal as OutgoingAddressRule.Refusal: ProviderTransportFailure.addressRefused(refusal)
        case OutgoingFailure.tooLong: ProviderTransportFailure.tooLong
        case OutgoingFailure.timedOut, is TimeIsOver: ProviderTransportFailure.timedOut
        case OutgoingFailure.noConnection(let cause): ProviderTransportFailure.noConnection(cause)
        case is CancellationError: error
        default: ProviderTransportFailure.noConnection("\(error)")
        }
    }
}
