package import AuthServer
import GatehouseWire
package import HTTPServing
package import IdentityProviders

/// Calls hooks and webhooks that the address rule allows. Connects only to the checked addresses.
package struct SignedCalls: Sendable {
    private let rule: OutgoingAddressRule
    private let http: OutgoingHTTP
    private let resolve: @Sendable (String) async throws -> [IPAddress]
    private let tracer: Tracer?
    private let continuesTrace: Bool

    /// - Parameters:
    ///   - tracer: nil without traces.
    ///   - continuesTrace: Sends `traceparent`; for the operator's own receivers only.
    package init(
        _ rule: OutgoingAddressRule, _ world: World, tracer: Tracer? = nil, continuesTrace: Bool = false
    ) {
        (self.rule, http, resolve) = (rule, world.http, world.resolve)
        (self.tracer, self.continuesTrace) = (tracer, continuesTrace)
    }

    @Sendable package func send(_ call: SignedCall) async throws -> SignedCallAnswer {
        try await tracer.inSpan(call.name, .client, beginsTrace: true, failure: OutgoingSpan.failure) { span in
            span?.note("POST", ProviderURL(call.url))
            let answer = try await answer(to: call)
            span?.note(status: answer.status)
            return answer
        }
    }

    private func answer(to call: SignedCall) async throws -> SignedCallAnswer {
        let context = continuesTrace ? ActiveSpan.current?.context : nil
        let headers = context.map { call.headers.merging($0.headers) { own, _ in own } } ?? call.headers
        do {
            return try await limited(to: call.timeLimit, by: http.sleep) {
                guard let url = ProviderURL(call.url) else { throw OutgoingFailure.notAllowed }
                try rule.check(url)
                var addresses: [IPAddress]?
                if url.address == nil {
                    let found = try await resolve(url.host)
                    try rule.check(found, of: url)
                    addresses = found
                }
                var outgoing = OutgoingCall(
                    method: "POST", url: call.url, headers: headers, body: call.body,
                    maximumBytes: call.maximumBytes ?? 0, timeLimit: call.timeLimit, addresses: addresses)
                (outgoing.readsBody, outgoing.line) = (call.maximumBytes != nil, call.line)
                let answer = try await http.answer(to: outgoing)
                return SignedCallAnswer(
                    status: answer.status, contentType: answer.headers["content-type"],
                    retryAfter: answer.headers["retry-after"], body: answer.body)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError: error
        case let refusal as OutgoingAddressRule.Refusal: SignedCallFailure.addressRefused(refusal.words)
        case OutgoingFailure.notAllowed: SignedCallFailure.addressRefused("the URL is malformed")
        case OutgoingFailure.tooLong: SignedCallFailure.tooLong
        case OutgoingFailure.timedOut, is TimeIsOver: SignedCallFailure.timedOut
        case OutgoingFailure.noConnection(let cause): SignedCallFailure.noConnection(cause)
        default: SignedCallFailure.noConnection("\(error)")
        }
    }
}

extension OutgoingAddressRule.Refusal {
    /// Without the host, for logs and statuses.
    fileprivate var words: String {
        switch self {
        case .notHTTPS: "only https is allowed"
        case .notPublic: "the address is not public"
        case .noAddress: "the name has no address"
        }
    }
}
