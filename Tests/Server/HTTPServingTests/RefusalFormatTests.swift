import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import Testing

@Suite("Refusals")
struct RefusalFormatTests {
    private static let new: HTTPFields = [.supabaseAPIVersion: "2024-01-01"]
    private static let plain = Refusal(.badRequest, RefusalCode("invalid_credentials"), "Invalid login credentials")

    private func answer(
        _ refusal: Refusal, _ headers: HTTPFields = [:], _ format: RefusalFormat = .auth
    ) async throws -> TestAnswer {
        let router = TestRouter()
        return try await router.send(
            .get, "/x", headers, to: router.table("", format, [Route(.get, "/x") { _, _ in throw refusal }]))
    }

    @Test("The Auth API's old error format has the status as a number")
    func old() async throws {
        let answer = try await answer(Self.plain)
        #expect(answer.status == 400)
        #expect(answer.body == #"{"code":400,"error_code":"invalid_credentials","msg":"Invalid login credentials"}"#)
        #expect(answer.headers[.contentType] == "application/json")
        #expect(answer.headers[.supabaseErrorCode] == "invalid_credentials")
        #expect(answer.headers[.supabaseAPIVersion] == nil)
        #expect(answer.headers[.cacheControl] == nil)
    }

    @Test(
        "The requested API version",
        arguments: [
            ("2024-01-01", true), ("2030-06-01", true), ("2023-12-31", false), ("banana", false), ("2024-13-01", false),
            ("2024-01-011", false), ("", false),
        ])
    func version(_ sent: String, _ isNew: Bool) async throws {
        let answer = try await answer(Self.plain, [.supabaseAPIVersion: sent])
        #expect(answer.headers[.supabaseAPIVersion] == (isNew ? "2024-01-01" : nil))
        #expect(answer.body.hasPrefix(isNew ? #"{"code":"invalid_credentials","message":"# : #"{"code":400,"#))
    }

    @Test("A weak password names its reasons; only the old format repeats the code in a header")
    func weakPassword() async throws {
        let refusal = Refusal(
            .unprocessableContent, RefusalCode("weak_password"), "Too short.", weakPasswordReasons: ["length"])
        let new = try await answer(refusal, Self.new)
        #expect(
            new.body
                == #"{"code":"weak_password","message":"Too short.","weak_password":{"reasons":["length"]}}"#)
        #expect(new.headers[.supabaseErrorCode] == nil)
        #expect(try await answer(refusal).headers[.supabaseErrorCode] == "weak_password")
    }

    @Test("OAuth's error format is 400 in both versions and has no code header")
    func oauth() async throws {
        let answer = try await answer(.oauth("invalid request", "Bad ID token"), Self.new)
        #expect(answer.status == 400)
        #expect(answer.body == #"{"error":"invalid request","error_description":"Bad ID token"}"#)
        #expect(answer.headers[.supabaseErrorCode] == nil)
        #expect(answer.headers[.supabaseAPIVersion] == "2024-01-01")
    }

    @Test("A server failure has the request's id, in the old format")
    func failure() async throws {
        let answer = try await answer(
            Refusal(.internalServerError, .unexpectedFailure, "No."), [.requestID: "from-caller_1"])
        #expect(
            answer.body
                == #"{"code":500,"error_code":"unexpected_failure","msg":"No.","error_id":"from-caller_1"}"#)
        #expect(answer.headers[.supabaseErrorCode] == "unexpected_failure")
    }

    @Test(
        "The profile API has its own error codes",
        arguments: [
            (Refusal.badJSON("x"), 400, "BAD_REQUEST"), (.bodyTooLarge(limit: 1), 413, "PAYLOAD_TOO_LARGE"),
            (.timeout, 504, "TIMEOUT"), (.unknownAddress, 404, "NOT_FOUND"),
            (.tooManyRequests(retryAfter: .milliseconds(1), bucket: "b"), 429, "RATE_LIMITED"),
            (Refusal(.unauthorized, RefusalCode("TOKEN_EXPIRED"), "x"), 401, "TOKEN_EXPIRED"),
        ])
    func profile(_ refusal: Refusal, _ status: Int, _ code: String) async throws {
        let answer = try await answer(refusal, [:], .profile)
        #expect(answer.status == status)
        #expect(answer.body == #"{"error":"\#(code)","message":"\#(refusal.message)"}"#)
        #expect(answer.headers[.supabaseErrorCode] == nil)
    }

    @Test(
        "Retry-After is in whole seconds, rounded up, never 0",
        arguments: [
            (Duration.zero, "1"), (.milliseconds(1_200), "2"), (.seconds(3), "3"),
        ])
    func retryAfter(_ wait: Duration, _ seconds: String) async throws {
        let answer = try await answer(.tooManyRequests(retryAfter: wait, bucket: "token"))
        #expect(answer.headers[.retryAfter] == seconds)
        #expect(answer.headers[.rateLimitBucket] == "token")
    }

    @Test("An unforeseen error is one opaque response; its cause is only in the log")
    func unforeseen() async throws {
        struct DiskOnFire: Error { let sector = 7 }
        let router = TestRouter()
        let table = router.table("", .profile, [Route(.get, "/x") { _, _ in throw DiskOnFire() }])
        let answer = try await router.send(.get, "/x?secret=1", [.authorization: "Bearer hidden"], to: table)
        #expect(answer.status == 500)
        #expect(answer.body == #"{"error":"INTERNAL_ERROR","message":"Something went wrong on our side."}"#)
        #expect(router.lines.text.contains("DiskOnFire(sector: 7)"))
        #expect(router.lines.text.contains(#""level":"error""#))
        #expect(!router.lines.text.contains("hidden"))
        #expect(!router.lines.text.contains("secret"))
    }
}
