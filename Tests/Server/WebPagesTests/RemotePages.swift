import GatehouseServer
import GatehouseWire
import HTTPTypes
import Synchronization
import TestSupport
import Testing
import WebPages

/// `serve --only pages` in front of a test server. A test sees their calls, and may respond in its place.
final class RemotePages: Sendable {
    typealias Answer = @Sendable (OutgoingCall) -> OutgoingHTTP.Answer?

    private struct State {
        var calls: [OutgoingCall] = []
        var answer: Answer = { _ in nil }
    }

    /// Apart, because the server's wire keeps it.
    private final class Script: Sendable {
        let state = Mutex(State())
    }

    private let script = Script()
    let caller: DirectCaller
    private let watch: BrandingWatch?

    init(_ server: TestServer, _ settings: [String: String] = [:]) throws {
        let least = ["API_EXTERNAL_URL": TestServer.issuer, "GATEHOUSE_SECRETS": "1:\(GivenValues.secret)"]
        let given = GivenSettings(environment: least.merging(settings) { $1 })
        let pages = try #require(try PagesServer(ServerSettings(given, parts: [.pages]), server.world))
        (caller, watch) = (DirectCaller(pages), pages.branding)
        // Weak: the server keeps the wire, and with it a database.
        server.wire.connect { [script, weak server] call in
            let answer = script.state.withLock { state in
                state.calls.append(call)
                return state.answer
            }
            if let answer = answer(call) { return answer }
            guard let server else { throw OutgoingFailure.noConnection("a test") }
            return try await server.answer(to: call)
        }
    }

    /// Of the operator's files.
    var branding: BrandingWatch { get throws { try #require(watch) } }

    var calls: [OutgoingCall] { script.state.withLock { $0.calls } }

    /// Instead of the server's; nil leaves a call to the server.
    func answer(_ answer: @escaping Answer) { script.state.withLock { $0.answer = answer } }

    /// Refuses calls whose path begins so.
    func refuse(_ path: String, _ status: Int, _ code: String) {
        answer { call in
            guard call.url.hasPrefix(TestServer.issuer + path) else { return nil }
            return OutgoingHTTP.Answer(status: status, body: Array(#"{"code":"\#(code)","message":"no"}"#.utf8))
        }
    }

    var browser: WebBrowser {
        WebBrowser { [caller] method, path, headers, body in
            try await caller.send(method, path, headers: headers, raw: body, authority: "127.0.0.1:9999")
        }
    }

    /// A browser whose user is signed in.
    func signedIn(_ server: TestServer) async throws -> WebBrowser {
        _ = try await server.signUp()
        let browser = browser
        try await browser.open("/account/sign-in")
        try await browser.press("Sign In", SignInPageTests.person)
        #expect(browser.page.title == "Account")
        return browser
    }
}
