import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import Testing

@Suite("Route tables")
struct RouteTableTests {
    private let router = TestRouter()

    private func table(_ prefix: String = "", _ format: RefusalFormat = .auth) -> RouteTable {
        let refuse: Route.Guard = { request, _ in
            if request.headers.bearerToken == nil {
                throw Refusal(.unauthorized, RefusalCode("no_authorization"), "No.")
            }
        }
        return router.table(
            prefix, format,
            [
                Route(.post, "/token") { _, _ in Answer.text("token") },
                Route(.get, "/user", acceptsTrailingSlash: true, guardedBy: refuse) { _, _ in Answer.text("user") },
                Route(.delete, "/user/{id}", wrongMethodGuardedBy: refuse) { _, context in
                    Answer.text(context.parameters.get("id") ?? "")
                },
            ])
    }

    @Test(
        "Paths and methods",
        arguments: [
            (HTTPRequest.Method.post, "/token?grant_type=x", 200, "token"), (.get, "/token", 405, ""),
            (.post, "/token/", 404, "404 page not found\n"), (.post, "//token", 404, "404 page not found\n"),
            (.get, "/nothing", 404, "404 page not found\n"), (.head, "/token", 405, ""), (.options, "/token", 405, ""),
            (.delete, "/user/7?a=/", 200, "7"), (.trace, "/token", 405, ""),
            (.trace, "/nothing", 404, "404 page not found\n"),
            (.get, "/", 404, "404 page not found\n"),
        ])
    func paths(_ method: HTTPRequest.Method, _ path: String, _ status: Int, _ body: String) async throws {
        let answer = try await router.send(method, path, to: table())
        #expect(answer.status == status)
        #expect(answer.body == body)
        if status == 404 { #expect(answer.headers[.contentType] == "text/plain; charset=utf-8") }
        if status == 405 { #expect(answer.headers[.contentType] == nil) }
    }

    @Test(
        "A wrong method gets the list of right ones, also one that no route has",
        arguments: [
            (HTTPRequest.Method.get, "/token", "POST"), (.trace, "/token", "POST"), (.connect, "/token", "POST"),
            (.init("PROPFIND")!, "/token", "POST"), (.init("OTHER")!, "/token", "POST"),
            (.init("get")!, "/token", "POST"),
            (.trace, "/user", "GET, HEAD"), (.trace, "/user/7", "DELETE"),
        ])
    func allow(_ method: HTTPRequest.Method, _ path: String, _ allowed: String) async throws {
        let answer = try await router.send(method, path, [.authorization: "Bearer x"], to: table())
        #expect(answer.status == 405)
        #expect(answer.headers[.allow] == allowed)
    }

    @Test(
        "HEAD is answered like GET, without the body",
        arguments: [
            ("/user", "Bearer x", 200), ("/user/", "Bearer x", 200), ("/user", nil as String?, 401),
            ("/nothing", nil, 404), ("//user", nil, 404), ("/token", nil, 405), ("/user/1", nil, 401),
        ])
    func head(_ path: String, _ bearer: String?, _ status: Int) async throws {
        let headers: HTTPFields = bearer.map { [.authorization: $0] } ?? [:]
        let get = try await router.send(.get, path, headers, to: table())
        let head = try await router.send(.head, path, headers, to: table())
        #expect(head.status == status && get.status == status)
        #expect(head.body.isEmpty && head.headers == get.headers)
        #expect(head.headers[.contentLength] == String(get.body.utf8.count))
    }

    @Test("A route whose GET changes state refuses HEAD and does nothing")
    func noHead() async throws {
        let table = router.table([
            Route(.get, "/once", answersHead: false) { _, _ in throw Refusal(.gone, RefusalCode("used"), "Used.") }
        ])
        let answer = try await router.send(.head, "/once", to: table)
        #expect(answer.status == 405 && answer.headers[.allow] == "GET")
        #expect(try await router.send(.get, "/once", to: table).status == 410)
    }

    @Test("A request without a valid Host is refused first, also on unknown paths and preflights")
    func noHost() async throws {
        for (method, path) in [(HTTPRequest.Method.post, "/token"), (.get, "/nothing"), (.options, "/token")] {
            let answer = try await router.send(
                method, path, [.origin: "https://app.example", .accessControlRequestMethod: "POST"], host: nil,
                to: table())
            #expect(answer.status == 400 && answer.body.contains("validation_failed"))
        }
    }

    @Test(
        "A required bearer is checked before the method",
        arguments: [
            (HTTPRequest.Method.get, "/user", nil as String?, 401), (.get, "/user/", "Bearer x", 200),
            (.post, "/user", nil, 401), (.post, "/user", "Bearer x", 405), (.options, "/user", nil, 401),
            (.get, "/user/1", nil, 401), (.get, "/user/1", "bearer x", 405), (.delete, "/user/1", nil, 200),
        ])
    func guards(_ method: HTTPRequest.Method, _ path: String, _ bearer: String?, _ status: Int) async throws {
        let headers: HTTPFields = bearer.map { [.authorization: $0] } ?? [:]
        #expect(try await router.send(method, path, headers, to: table()).status == status)
    }

    @Test(
        "An unknown path is answered by the nearest API",
        arguments: [
            ("/v1/nothing", #"{"error":"NOT_FOUND","message":"There is nothing at this address."}"#),
            ("/v1", #"{"error":"NOT_FOUND","message":"There is nothing at this address."}"#),
            ("/v10", "404 page not found\n"), ("/nothing", "404 page not found\n"),
        ])
    func nearest(_ path: String, _ body: String) async throws {
        let answer = try await router.send(.get, path, to: table(), table("/v1", .profile))
        #expect(answer.status == 404)
        #expect(answer.body == body)
    }

    @Test(
        "A request keeps a well-formed id",
        arguments: [
            ("abc-DEF_9", "abc-DEF_9"), ("a b", "made-here"), (String(repeating: "x", count: 65), "made-here"),
            ("", "made-here"),
        ])
    func requestID(_ sent: String, _ answered: String) async throws {
        let answer = try await router.send(.post, "/token", [.requestID: sent], to: table())
        #expect(answer.headers[.requestID] == answered)
        #expect(answer.headers[HTTPField.Name("x-content-type-options")!] == "nosniff")
    }

    @Test("The API's cache-control yields to the handler's")
    func cacheControl() async throws {
        let table = router.table(
            "", .profile, cacheControl: "no-store",
            [
                Route(.get, "/mine") { _, _ in Answer.text("x") },
                Route(.get, "/ours") { _, _ in
                    var response = Answer.text("x")
                    response.headers[.cacheControl] = "public"
                    return response
                },
            ])
        #expect(try await router.send(.get, "/mine", to: table).headers[.cacheControl] == "no-store")
        #expect(try await router.send(.get, "/ours", to: table).headers[.cacheControl] == "public")
        #expect(try await router.send(.get, "/none", to: table).headers[.cacheControl] == "no-store")
    }

    @Test("A route takes from its limit, by address, after its guard")
    func limits() async throws {
        let limit = RateLimit("user", 1, per: .seconds(60), burst: 1)
        let table = router.table("", limits: [limit], [Route(.get, "/a", limitedBy: "user") { _, _ in Answer.empty() }])
        #expect(try await router.send(.get, "/a", to: table).status == 204)
        let refused = try await router.send(.get, "/a", to: table)
        #expect(refused.status == 429)
        #expect(refused.headers[.retryAfter] == "60")
        router.clock.advance(by: .seconds(60))
        #expect(try await router.send(.get, "/a", to: table).status == 204)
    }

    @Test("A handler that takes too long is cancelled, and the caller gets an error")
    func timeLimit() async throws {
        let table = router.table(
            "", sleep: { _ in },
            [
                Route(.get, "/slow", timeLimit: .seconds(10)) { _, _ in
                    try await untilCancelled()
                    return Answer.empty()
                }
            ])
        let answer = try await router.send(.get, "/slow", to: table)
        #expect(answer.status == 504)
        #expect(answer.headers[.supabaseErrorCode] == "request_timeout")
    }

    @Test("Work that finished after the time limit is acknowledged")
    func late() async throws {
        let table = router.table(
            "", sleep: { _ in },
            [
                Route(.get, "/slow", timeLimit: .seconds(10)) { _, _ in
                    // Ignored: the cancellation, as in a handler after its commit.
                    try? await untilCancelled()
                    return Answer.text("done")
                }
            ])
        #expect(try await router.send(.get, "/slow", to: table).body == "done")
    }

    @Test("A 204 has no body and no length")
    func empty() async throws {
        let table = router.table([Route(.get, "/a") { _, _ in Answer.empty() }])
        let answer = try await router.send(.get, "/a", to: table)
        #expect(answer.headers[.contentLength] == nil)
        #expect(answer.headers[.contentType] == nil)
    }
}
