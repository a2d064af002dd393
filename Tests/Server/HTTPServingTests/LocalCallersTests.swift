import HTTPServing
import HTTPTypes
import Testing

@Suite("Allowed callers of a development server")
struct LocalCallersTests {
    private func answer(
        host: String, origin: String? = nil, site: String? = nil, _ method: HTTPRequest.Method = .get
    ) async throws -> TestAnswer {
        var router = TestRouter()
        router.callers = LocalCallers(names: ["My-Mac.local"])
        let table = router.table([Route(.get, "/a") { _, _ in Answer.text("a") }])
        var headers = HTTPFields()
        headers[.origin] = origin
        headers[.init("sec-fetch-site")!] = site
        return try await router.send(method, "/a", headers, host: host, to: table)
    }

    @Test(
        "An address, localhost and the server's own names are allowed",
        arguments: [
            "127.0.0.1:9999", "localhost", "LOCALHOST:3000", "[::1]:9999", "[fe80::1]", "192.168.1.5:9999",
            "10.0.2.2:9999", "my-mac.local:9999", "",
        ])
    func admitted(host: String) async throws {
        #expect(try await answer(host: host).status == 200)
    }

    @Test(
        "DNS rebinding: no other name is allowed, whatever its owner",
        arguments: [
            "evil.example:9999", "localhost.evil.example", "127.0.0.1.evil.example", "localhost.", "my-mac.local.",
            "2130706433", "0x7f000001", "127.1", "evil.example:[::1]", "a\u{301}.example",
        ])
    func foreignHost(host: String) async throws {
        for method in [HTTPRequest.Method.get, .head, .post, .options] {
            let answer = try await answer(host: host, method)
            #expect(answer.status == 403)
            #expect(method == .head || answer.body.contains("foreign_host"))
        }
    }

    @Test(
        "Pages of this machine and apps are allowed",
        arguments: [
            ("127.0.0.1:9999", "http://localhost:3000"), ("localhost:9999", "http://127.0.0.1:5173"),
            ("localhost:9999", "https://localhost"), ("localhost:9999", "http://[::1]:3000"),
            ("localhost:9999", "http://my-mac.local:3000"), ("192.168.1.5:9999", "http://192.168.1.5:3000"),
            ("localhost:9999", "capacitor://localhost"), ("localhost:9999", "chrome-extension://abcdef"),
        ])
    func admitted(host: String, origin: String) async throws {
        #expect(try await answer(host: host, origin: origin).status == 200)
    }

    @Test(
        "Pages of other websites are refused, whatever they request",
        arguments: [
            "https://evil.example", "http://evil.example:9999", "http://localhost.evil.example", "null", "",
            "http://93.184.216.34", "http://192.168.1.6:3000", "HTTP://evil.example", "localhost", "http:localhost",
            "https://e\u{301}vil.example",
        ])
    func foreignOrigin(origin: String) async throws {
        for method in [HTTPRequest.Method.get, .post, .options] {
            let answer = try await answer(host: "localhost:9999", origin: origin, method)
            #expect(answer.status == 403 && answer.body.contains("foreign_origin"))
        }
    }

    @Test("A form of an own page without referrers is allowed, that of another website's frame is not")
    func opaqueOrigin() async throws {
        #expect(try await answer(host: "localhost:9999", origin: "null", site: "same-origin").status == 200)
        for site in ["cross-site", "same-site", "none", "same-origin, same-origin", ""] {
            #expect(try await answer(host: "localhost:9999", origin: "null", site: site).status == 403)
        }
        let foreign = try await answer(host: "localhost:9999", origin: "https://evil.example", site: "same-origin")
        #expect(foreign.status == 403)
    }
}
