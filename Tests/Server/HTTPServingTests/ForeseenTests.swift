import HTTPServing
import HTTPTypes
import Hummingbird
import Testing

@Suite("Transient failures")
struct ForeseenTests {
    private struct Away: Error {}
    private struct CutOff: Error {}

    private func answer(
        _ failure: any Error, _ format: RefusalFormat = .auth, _ headers: HTTPFields = [:]
    ) async throws -> (answer: TestAnswer, log: String) {
        let router = TestRouter()
        let runtime = ServerRuntime(
            now: router.clock.now, uptime: router.clock.uptime, sleep: { _ in try await untilCancelled() },
            makeRequestID: { "made-here" }, metrics: router.metrics, limiter: nil,
            clientAddress: ClientAddressRule(.peer),
            foreseen: { error in
                switch error {
                case is Away: .unavailable(error)
                case is CutOff: .unknownOutcome(error)
                default: nil
                }
            })
        let table = RouteTable(
            group: RouteGroup(prefixes: [""], format: format, crossOrigin: nil), runtime: runtime,
            [Route(.get, "/x") { _, _ in throw failure }])
        return (try await router.send(.get, "/x", headers, to: table), router.lines.text)
    }

    @Test("During a database outage both servers answer with a retry error, and nothing else")
    func away() async throws {
        let (auth, log) = try await answer(Away(), .auth, [.supabaseAPIVersion: "2024-01-01"])
        let message = "The service is not available at the moment, please try again."
        #expect(auth.status == 503)
        #expect(auth.headers[.retryAfter] == "1")
        #expect(auth.headers[.supabaseErrorCode] == "service_unavailable")
        #expect(auth.body == #"{"code":"service_unavailable","message":"\#(message)"}"#)
        #expect(log.contains("Away") && log.contains("error"))
        let profile = try await answer(Away(), .profile).answer
        #expect(profile.status == 503)
        #expect(profile.headers[.retryAfter] == "1")
        #expect(profile.body == #"{"error":"UNAVAILABLE","message":"\#(message)"}"#)
    }

    @Test("An unknown outcome is reported as such, with a request to retry")
    func cutOff() async throws {
        let auth = try await answer(CutOff()).answer
        #expect(auth.status == 503)
        #expect(auth.headers[.retryAfter] == "1")
        #expect(auth.headers[.supabaseErrorCode] == "outcome_unknown")
        let profile = try await answer(CutOff(), .profile).answer
        #expect(profile.status == 503)
        #expect(profile.body.hasPrefix(#"{"error":"OUTCOME_UNKNOWN","#))
    }

    @Test("An unforeseen error stays a 500")
    func unforeseen() async throws {
        let auth = try await answer(UnknownError()).answer
        #expect(auth.status == 500)
        #expect(auth.headers[.supabaseErrorCode] == "unexpected_failure")
        #expect(auth.headers[.retryAfter] == nil)
    }

    private struct UnknownError: Error {}
}
