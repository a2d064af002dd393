import HTTPServing
import HTTPTypes
import Hummingbird
import Testing

@Suite("Cross-origin requests")
struct CrossOriginTests {
    private let router = TestRouter()

    private func send(_ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields) async throws -> TestAnswer {
        let table = router.table([Route(.post, "/token") { _, _ in Answer.text("x") }])
        return try await router.send(method, path, headers, to: table)
    }

    @Test("A preflight is granted its request", arguments: ["/token?grant_type=password", "/nothing"])
    func preflight(_ path: String) async throws {
        let asked = "authorization,content-type,x-client-info,x-supabase-api-version,apikey, X-App"
        let answer = try await send(
            .options, path,
            [
                .origin: "https://app.example.org", .accessControlRequestMethod: "POST",
                .accessControlRequestHeaders: asked,
            ])
        #expect(answer.status == 204)
        #expect(answer.headers[.accessControlAllowOrigin] == "*")
        #expect(answer.headers[.accessControlAllowMethods] == "POST")
        #expect(answer.headers[.accessControlAllowHeaders] == asked)
        #expect(answer.headers[.accessControlAllowCredentials] == "true")
        #expect(answer.headers[.accessControlExposeHeaders] == nil)
    }

    @Test(
        "A preflight that asks for too much is granted nothing",
        arguments: [
            ("POST", "x-other"), ("TRACE", "apikey"), ("POST", "apikey, a\u{301}"), ("POST", "apikey,\u{301}"),
            ("POST\u{301}", "apikey"), ("POST", String(repeating: "x", count: 257)),
        ])
    func refused(_ method: String, _ headers: String) async throws {
        let answer = try await send(
            .options, "/token",
            [
                .origin: "https://app.example.org", .accessControlRequestMethod: method,
                .accessControlRequestHeaders: headers,
            ])
        #expect(answer.status == 204)
        #expect(answer.headers[.accessControlAllowOrigin] == nil)
        #expect(answer.headers[.accessControlAllowMethods] == nil)
    }

    @Test(
        "Other origins may read responses, refusals too", arguments: [(HTTPRequest.Method.post, 200), (.get, 405)])
    func actual(_ method: HTTPRequest.Method, _ status: Int) async throws {
        let answer = try await send(method, "/token", [.origin: "https://app.example.org"])
        #expect(answer.status == status)
        #expect(answer.headers[.accessControlAllowOrigin] == "*")
        let exposed = answer.headers[.accessControlExposeHeaders]?.lowercased().split(separator: ", ").sorted() ?? []
        #expect(
            exposed == [
                "dpop-nonce", "link", "retry-after", "x-gatehouse-session-end", "x-ratelimit-bucket", "x-request-id",
                "x-sb-error-code",
                "x-supabase-api-version", "x-total-count",
            ])
    }

    @Test("Without an origin there are no CORS headers")
    func sameOrigin() async throws {
        #expect(try await send(.post, "/token", [:]).headers[.accessControlAllowOrigin] == nil)
    }
}
