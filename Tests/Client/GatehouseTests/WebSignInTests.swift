import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseWire
import Testing

@Suite("Signing in with a provider's pages")
struct WebSignInTests {
    private let redirect = URL(string: "myapp://Login-Callback/a%2Fb?x=1&y=%2B+z")!

    private func signIn(_ client: GatehouseClient, _ back: @Sendable () throws -> URL) async throws {
        try await client.signInWithOAuth(provider: .google, redirectTo: redirect) { _ in try back() }
    }

    @Test("E9: The flow's own verifier is exchanged for the session, and the redirect address is sent byte for byte")
    func signIn() async throws {
        let server = ScriptedServer()
        let client = try server.client()
        _ = try await client.getOAuthSignInURL(provider: .apple)
        let session = try await client.signInWithOAuth(
            provider: .google, redirectTo: redirect, scopes: "a b", queryParams: [("prompt", "consent")]
        ) { [redirect] address in
            let items = URLComponents(url: address, resolvingAgainstBaseURL: false)?.queryItems ?? []
            #expect(
                address.absoluteString.hasPrefix("https://a.example/auth/v1/authorize?provider=google&scopes=a%20b&"))
            #expect(items.first { $0.name == "redirect_to" }?.value == redirect.absoluteString)
            #expect(items.first { $0.name == "prompt" }?.value == "consent")
            #expect(items.first { $0.name == "code_challenge" }?.value?.count == 43)
            #expect(!address.absoluteString.contains(ScriptedServer.verifier(2)))
            return URL(string: "MYAPP://login-callback/a%2Fb?code=c-1&x=1#sb=")!
        }
        #expect(session.accessToken == "access")
        #expect(await client.currentSession?.accessToken == "access")
        #expect(
            server.requests == [
                #"POST /token?grant_type=pkce {"auth_code":"c-1","code_verifier":"\#(ScriptedServer.verifier(2))"}"#
            ])
        #expect(await server.pendingVerifiers == [ScriptedServer.verifier(1)])
    }

    @Test(
        "E9: A response to another address is not used, and leaves nothing behind",
        arguments: [
            "myapp://other/a%2Fb?code=c", "myapp://login-callback/a/b?code=c", "myapp://login-callback?code=c",
            "other://login-callback/a%2Fb?code=c", "myapp://login-callback:1/a%2Fb?code=c",
            "myapp://user@login-callback/a%2Fb?code=c", "https://login-callback/a%2Fb?code=c", "?code=c",
        ])
    func invalidCallback(_ back: String) async throws {
        let server = ScriptedServer()
        let client = try server.client()
        await #expect(throws: AuthClientError.invalidCallback) {
            try await signIn(client) { URL(string: back)! }
        }
        #expect(server.requests.isEmpty)
        #expect(await server.pendingVerifiers == [])
    }

    @Test("An empty path and a slash are equal")
    func emptyPath() async throws {
        let client = try ScriptedServer().client()
        for (sent, back) in [("https://app.example", "https://app.example/?code=c"), ("app://x/", "app://x?code=c")] {
            try await client.signInWithOAuth(provider: .google, redirectTo: URL(string: sent)) { _ in URL(string: back)!
            }
        }
    }

    @Test("An error of the page is the refusal; a closed sheet is distinguished")
    func errors() async throws {
        let server = ScriptedServer()
        let client = try server.client()
        let query = "error=access_denied&error_code=signup_disabled&error_description=not+here"
        let back = URL(string: "myapp://login-callback/a%2Fb?\(query)#\(query)&sb=")!
        let refusal = AuthRefusal(status: 0, code: .signupDisabled, message: "not here")
        await #expect(throws: AuthClientError.refused(refusal)) { try await signIn(client) { back } }
        await #expect(throws: AuthClientError.unknownFlow) { try await signIn(client) { redirect } }
        await #expect(throws: AuthClientError.cancelled) {
            try await signIn(client) { throw AuthClientError.cancelled }
        }
        #expect(server.requests.isEmpty)
        #expect(await server.pendingVerifiers == [])
        #expect(await client.currentSession == nil)
    }

    @Test("E9: From opening the browser to the session, over a real listener")
    func loopback() async throws {
        let (server, browser) = (ScriptedServer(), TinyBrowser())
        let client = try server.client()
        let session = try await client.signInWithOAuth(
            provider: .google,
            in: LoopbackWebAuthentication(clock: HandClock().clock) { address in
                let items = URLComponents(url: address, resolvingAgainstBaseURL: false)?.queryItems ?? []
                let redirect = items.first { $0.name == "redirect_to" }?.value ?? ""
                await browser.visit(URL(string: redirect + "?code=c%2D1")!)
            })
        #expect(session.refreshToken == "refresh")
        #expect(
            server.requests == [
                #"POST /token?grant_type=pkce {"auth_code":"c-1","code_verifier":"\#(ScriptedServer.verifier(1))"}"#
            ])
        #expect(await browser.answers[0].contains("You can close this window"))
    }

    @Test("A browser that returns another address than its own is refused")
    func lyingBrowser() async throws {
        struct Liar: WebAuthenticator {
            func authenticate(_ address: @Sendable (URL) async throws -> URL) async throws -> URL {
                _ = try await address(URL(string: "app://mine")!)
                return URL(string: "app://other?code=c")!
            }
        }
        let server = ScriptedServer()
        let client = try server.client()
        await #expect(throws: AuthClientError.invalidCallback) {
            try await client.signInWithOAuth(provider: .google, in: Liar())
        }
        #expect(server.requests.isEmpty)
    }

    @Test("Linking requests the page with the user's token, and keeps the returned session")
    func link() async throws {
        let server = ScriptedServer()
        let client = try server.client()
        try await client.signIn(email: "a@b.c", password: "p")
        try await client.linkIdentity(provider: .google, redirectTo: redirect) { address in
            #expect(address.absoluteString == "https://p.example/")
            return URL(string: "myapp://login-callback/a%2Fb?code=c-1")!
        }
        #expect(server.requests.count == 3)
        #expect(
            server.requests[1].hasPrefix("GET /user/identities/authorize?provider=google&redirect_to=myapp%3A%2F%2F"))
        #expect(server.requests[2].hasPrefix("POST /token?grant_type=pkce "))
    }

    @Test("Without a session there is nothing to link to: no browser opens, and no flow is left")
    func linkWithoutSession() async throws {
        let server = ScriptedServer()
        let client = try server.client()
        await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) {
            try await client.linkIdentity(provider: .google) { _ in
                Issue.record("a browser was opened")
                throw AuthClientError.cancelled
            }
        }
        #expect(await server.pendingVerifiers == [])
    }
}

/// Like the Auth API. Records the requests, and knows every flow's verifier.
private final class ScriptedServer: Sendable {
    private let calls = Locked<[HTTPCall]>([])
    private let count = Locked<UInt8>(0)
    private let storage = MemoryStorage()

    static func verifier(_ number: UInt8) -> String { Base64URL.text(Array(repeating: number, count: 32)) }

    var requests: [String] {
        calls.withLock { $0 }.map { call in
            let path = call.url.absoluteString.dropFirst("https://a.example/auth/v1".count)
            return "\(call.method) \(path)" + (call.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
        }
    }

    var pendingVerifiers: [String] {
        get async {
            guard case .value(let bytes) = await storage.read("gatehouse.pkce-flows") else { return [] }
            // Ignored: unreadable JSON has no flows.
            return ((try? JSONReader.read(bytes))?.arrayValue ?? []).compactMap { $0["verifier"]?.stringValue }
        }
    }

    func client() throws -> GatehouseClient {
        try GatehouseClient(
            url: URL(string: "https://a.example/auth/v1")!, publishableKey: "key", storage: storage,
            transport: { [calls] call in
                calls.withLock { $0.append(call) }
                let isLink = call.url.path.hasSuffix("/authorize")
                let json = isLink ? AuthJSON.object(["url": "https://p.example/"]) : GoldenRequest.session
                return HTTPReply(status: 200, body: Array(json.text.utf8))
            }, clock: HandClock().clock,
            randomness: { [count] length in
                // Verifiers are the only secrets of 32 bytes.
                guard length == 32 else { return Array(repeating: 0, count: length) }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return Array(repeating: number, count: length)
            })
    }
}
