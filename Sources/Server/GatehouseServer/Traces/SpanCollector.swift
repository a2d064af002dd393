import GatehouseWire
import HTTPServing
import IdentityProviders

/// An OTLP endpoint that the operator named. https may reach any address; http only this machine and private networks,
/// because spans and headers are readable on the way.
struct SpanCollector: Sendable {
    enum Outcome: Sendable {
        /// The collector may reject some of the spans.
        case accepted(rejected: Int)
        /// A retry would fail the same way.
        case refused(cause: String)
        /// - Parameter pause: The collector's wish.
        case later(pause: Duration?, cause: String)
    }

    static let timeLimit: Duration = .seconds(10)
    private static let maximumBytes = 65_536

    let settings: TraceSettings
    let body: OTLPBatch
    let http: OutgoingHTTP
    let resolve: @Sendable (String) async throws -> [IPAddress]

    /// - Throws: `CancellationError`.
    func send(_ spans: ArraySlice<FinishedSpan>) async throws -> Outcome {
        var headers = ["content-type": "application/json"]
        for header in settings.headers { headers[header.name] = header.value.reveal() }
        var call = OutgoingCall(
            method: "POST", url: settings.endpoint.text, headers: headers, body: body.bytes(spans),
            maximumBytes: Self.maximumBytes, timeLimit: Self.timeLimit)
        call.line = "traces"
        do {
            let answer = try await limited(to: Self.timeLimit, by: http.sleep) { [call] in
                var call = call
                call.addresses = try await addresses()
                return try await http.answer(to: call)
            }
            return Self.outcome(of: answer)
        } catch {
            return try Self.outcome(of: error)
        }
    }

    /// - Returns: nil to leave the name to the client for outgoing calls, and its proxy.
    private func addresses() async throws -> [IPAddress]? {
        let url = settings.endpoint
        guard !url.isSecure, url.address == nil else { return nil }
        let found = try await resolve(url.host)
        guard !found.isEmpty else { throw OutgoingFailure.noConnection("the name has no address") }
        guard found.allSatisfy({ !$0.isPublic }) else { throw OutgoingFailure.notAllowed }
        return found
    }

    /// The statuses to retry are OTLP's.
    private static func outcome(of answer: OutgoingHTTP.Answer) -> Outcome {
        switch answer.status {
        case 200..<300:
            // Ignored: a collector may respond without a body.
            let members = (try? JSONReader.read(answer.body))?["partialSuccess"]
            let rejected = members?["rejectedSpans"]
            return .accepted(
                rejected: rejected?.intValue.map(Int.init) ?? rejected?.stringValue.flatMap { Int($0) } ?? 0)
        case 429, 502, 503, 504:
            let seconds = answer.headers["retry-after"].flatMap { Int($0) }
            return .later(
                pause: seconds.map { .seconds(min(max(0, $0), 3_600)) }, cause: "status \(answer.status)")
        default: return .refused(cause: "status \(answer.status)")
        }
    }

    private static func outcome(of error: any Error) throws -> Outcome {
        switch error {
        case is CancellationError: throw error
        case OutgoingFailure.notAllowed: .refused(cause: "http is only for this machine and private networks")
        case OutgoingFailure.tooLong: .refused(cause: "the response is too long")
        case OutgoingFailure.noConnection(let cause): .later(pause: nil, cause: cause)
        case OutgoingFailure.timedOut, is TimeIsOver: .later(pause: nil, cause: "timed out")
        default: .later(pause: nil, cause: "\(error)")
        }
    }
}
