import AccountDomain
import AuthServer
import GatehouseServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import SQLDatabase
import TestSupport
import Testing

/// The spans that the collector received.
private struct Received {
    let spans: [AuthJSON]
    let text: String

    init(_ server: TestServer) {
        let bodies = server.receiver.calls.filter { $0.name == "v1/traces" }.map(\.json)
        text = bodies.map(\.text).joined()
        spans = bodies.flatMap { body in
            (body["resourceSpans"]?.arrayValue ?? []).flatMap { $0["scopeSpans"]?.arrayValue ?? [] }
                .flatMap { $0["spans"]?.arrayValue ?? [] }
        }
    }

    func named(_ name: String) -> [AuthJSON] { spans.filter { $0["name"]?.stringValue == name } }
    func child(_ name: String, of span: AuthJSON) -> AuthJSON? {
        named(name).first { $0["parentSpanId"]?.stringValue == span["spanId"]?.stringValue }
    }
}

extension AuthJSON {
    fileprivate func attribute(_ name: String) -> String? {
        let found = self["attributes"]?.arrayValue?.first { $0["key"]?.stringValue == name }?["value"]
        return found?["stringValue"]?.stringValue ?? found?["intValue"]?.stringValue
    }
}

@Suite("Traces")
struct TraceTests {
    private static let email = "ada@example.org"
    private static let password = "correct horse 42 battery"
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    private static func settings(_ more: [String: String] = [:]) throws -> TraceSettings? {
        let given = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9998"].merging(more) { $1 }
        return try GivenValues.settings(given).traces
    }

    /// Signs up and in, and stops the server, which sends its spans.
    private static func signIn(_ server: TestServer, headers: HTTPFields = [:]) async throws -> Received {
        let person: AuthJSON = [
            "email": .string(email), "password": .string(password),
            "gotrue_meta_security": ["captcha_token": "a captcha"],
        ]
        #expect(try await server.send(.post, "/auth/v1/signup", json: person).status == 200)
        let signedIn = try await server.send(
            .post, "/auth/v1/token?grant_type=password", headers: headers, json: person)
        #expect(signedIn.status == 200)
        await server.stop()
        return Received(server)
    }

    @Test("A sign-in's request has its transactions, statements and hash below it", arguments: TestDatabase.all)
    func signIn(_ kind: TestDatabase) async throws {
        let server = try await TestServer(on: kind, hooks: TestHooks(traces: Self.settings()))
        let received = try await Self.signIn(server)
        let request = try #require(received.named("POST /auth/v1/token").first)
        #expect(request["parentSpanId"] == nil && request["kind"] == 2)
        #expect(request.attribute("http.response.status_code") == "200")
        let hash = try #require(received.child("hash password", of: request))
        #expect(hash.attribute("gatehouse.hash.algorithm") == "argon2id")
        #expect(hash.attribute("gatehouse.hash.wait_us") != nil)
        let write = try #require(received.child("write transaction", of: request))
        let insert = try #require(received.child("INSERT sessions", of: write))
        #expect(insert["traceId"] == request["traceId"] && insert["kind"] == 3)
        #expect(["sqlite", "postgresql"].contains(insert.attribute("db.system.name") ?? ""))
        let read = received.spans.filter { $0["name"]?.stringValue == "SELECT users" }
        #expect(read.contains { $0["traceId"] == request["traceId"] })
        for secret in [Self.email, "ada", Self.password, "argon2id$", "eyJ", "grant_type", "192.0.2.1"] {
            #expect(!received.text.contains(secret), "\(secret)")
        }
    }

    @Test("A failed sign-in does not fail its span, and a failed statement does")
    func failures() async throws {
        // Only the owner of a table may drop it, and on PostgreSQL that is not the server.
        let server = try await TestServer(on: .sqlite, hooks: TestHooks(traces: Self.settings()))
        let wrong: AuthJSON = ["email": "ada@example.org", "password": "wrong"]
        let answer = try await server.send(.post, "/auth/v1/token?grant_type=password", json: wrong)
        #expect(answer.status == 400)
        try await server.database.write { db in _ = try db.run("DROP TABLE users") }
        #expect(try await server.send(.post, "/auth/v1/token?grant_type=password", json: wrong).status == 500)
        await server.stop()
        let received = Received(server)
        let requests = received.named("POST /auth/v1/token")
        #expect(requests.map { $0["status"]?["code"] } == [nil, 2])
        #expect(requests.map { $0.attribute("gatehouse.error_code") } == ["invalid_credentials", "unexpected_failure"])
        let read = try #require(received.child("SELECT users", of: requests[1]))
        #expect(read["status"]?["code"] == 2 && read.attribute("error.type") == "unknownName")
        // Outside of a request there is no trace.
        #expect(received.named("write transaction").isEmpty)
    }

    @Test("Hooks and webhooks continue the trace; a captcha's provider learns nothing of it")
    func outgoing() async throws {
        let hooks = TestHooks(
            [.customAccessToken], webhooks: [TestHooks.webhook()], needsCaptcha: true,
            traces: try Self.settings(["GATEHOUSE_TRACE_CALLERS": "192.0.2.0/24"]))
        let server = try await TestServer(hooks: hooks)
        server.receiver.answers { call in
            switch call.name {
            case "captcha": (200, ["success": true])
            case "custom_access_token": (200, ["claims": call.json["claims"] ?? [:]])
            default: (200, [:])
            }
        }
        let person: AuthJSON = [
            "email": .string(Self.email), "password": .string(Self.password),
            "gotrue_meta_security": ["captcha_token": "a captcha"],
        ]
        let caller: HTTPFields = [.traceparent: "00-\(Self.trace)-00f067aa0ba902b7-01", .tracestate: "vendor=1"]
        #expect(try await server.send(.post, "/auth/v1/signup", headers: caller, json: person).status == 200)
        let endpoint = try #require(server.auth.events.webhookEndpoints.first)
        while try await server.auth.events.deliverEvents(to: endpoint) > 0 {}
        await server.stop()
        let received = Received(server)
        let request = try #require(received.named("POST /auth/v1/signup").first)
        #expect(request["traceId"] == .string(Self.trace) && request["parentSpanId"] == "00f067aa0ba902b7")
        let hook = try #require(received.child("hook custom_access_token", of: request))
        #expect(hook.attribute("server.address") == "127.0.0.1" && hook.attribute("server.port") == "9998")
        #expect(received.child("captcha", of: request) != nil)
        let calls = server.receiver.calls
        let headers = try #require(calls.first { $0.name == "custom_access_token" }?.headers)
        let id = hook["spanId"]?.stringValue ?? ""
        #expect(headers["traceparent"] == "00-\(Self.trace)-\(id)-01" && headers["tracestate"] == "vendor=1")
        let captcha = try #require(calls.first { $0.name == "captcha" }?.headers)
        #expect(captcha["traceparent"] == nil && captcha["tracestate"] == nil)
        // Deliveries have traces of their own.
        let delivery = try #require(received.named("webhook app").first)
        #expect(delivery["parentSpanId"] == nil && delivery["traceId"] != request["traceId"])
        let webhook = try #require(calls.first { $0.name == "app" }?.headers["traceparent"])
        #expect(webhook.contains(delivery["traceId"]?.stringValue ?? "none"))
    }

    @Test("An email is sent in a trace of its own, without its address")
    func email() async throws {
        let server = try await TestServer(hooks: TestHooks(traces: Self.settings())) { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = false
        }
        let person: AuthJSON = ["email": .string(Self.email), "password": .string(Self.password)]
        #expect(try await server.send(.post, "/auth/v1/signup", json: person).status == 200)
        for lane in server.auth.mailDelivery.lanes {
            while try await server.auth.mailDelivery.workMails(lane, logger: server.world.logger) > 0 {}
        }
        await server.stop()
        let received = Received(server)
        let mail = try #require(received.named("send email").last)
        #expect(mail["parentSpanId"] == nil && mail.attribute("gatehouse.mail.outcome") == "sent")
        #expect(!received.text.contains("ada@"))
    }

    @Test("Calls to providers are spans with host and path, without a query or body")
    func providers() async throws {
        let hooks = TestHooks(traces: try Self.settings())
        let server = try await TestServer(providers: TestProviders(), hooks: hooks) { $0.allowsImplicitFlow = true }
        _ = try await TestBrowser(server).signIn("/auth/v1/authorize?provider=google", as: "verified")
        await server.stop()
        let received = Received(server)
        let request = try #require(received.named("GET /auth/v1/callback").first)
        let calls = received.spans.filter {
            $0["traceId"] == request["traceId"] && $0.attribute("url.template") != nil
        }
        let call = try #require(calls.first { $0["name"]?.stringValue?.hasPrefix("POST /") == true })
        #expect(call["kind"] == 3 && call.attribute("http.response.status_code") == "200")
        #expect(call.attribute("server.address") == "127.0.0.1")
        #expect(call["name"] == .string("POST " + (call.attribute("url.template") ?? "")))
        #expect(!received.text.contains("code=") && !received.text.contains("client_secret"))
    }

    @Test("An unrecorded trace sends nothing, and tells hooks so")
    func unrecorded() async throws {
        let hooks = TestHooks([.customAccessToken], traces: try Self.settings(["OTEL_TRACES_SAMPLER": "always_off"]))
        let server = try await TestServer(hooks: hooks)
        server.receiver.answers { (200, ["claims": $0.json["claims"] ?? [:]]) }
        let received = try await Self.signIn(server)
        #expect(received.spans.isEmpty)
        let headers = server.receiver.calls.map { $0.headers["traceparent"] ?? "" }
        #expect(headers.count == 2 && headers.allSatisfy { $0.hasPrefix("00-") && $0.hasSuffix("-00") })
    }

    @Test("Without a collector nothing is traced: no call, no header, no metric")
    func off() async throws {
        let server = try await TestServer(hooks: TestHooks([.customAccessToken]))
        server.receiver.answers { (200, ["claims": $0.json["claims"] ?? [:]]) }
        let received = try await Self.signIn(
            server, headers: [.traceparent: "00-\(Self.trace)-00f067aa0ba902b7-01"])
        #expect(received.spans.isEmpty)
        #expect(server.receiver.calls.map(\.name) == ["custom_access_token", "custom_access_token"])
        #expect(server.receiver.calls.allSatisfy { $0.headers["traceparent"] == nil })
        #expect(!server.metrics.render().contains("gatehouse_spans"))
    }
}
