import AccountDomain
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Signing in here for an app")
struct HandoverTests {
    // RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let start =
        "/auth/v1/authorize?code_challenge=\(challenge)&code_challenge_method=s256&redirect_to=myapp://callback"

    private func code(_ browser: WebBrowser) throws -> AnyJSON {
        let onward = try #require(WebPage.between("0;url=", "\"", in: browser.page.text).first)
        #expect(onward.hasPrefix("myapp://callback?code="))
        return .string(String(onward.split(separator: "=").last ?? ""))
    }

    @Test("authorize without a provider leads here, and a sign-in back to the app with a code")
    func signIn() async throws {
        try await TestServer.with(hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open(Self.start)
            #expect(browser.page.title == "Sign In")
            try await browser.press("Sign In", SignInPageTests.person)
            let grant: AnyJSON = ["auth_code": try code(browser), "code_verifier": .string(Self.verifier)]
            let session = try await server.send(.post, "/auth/v1/token?grant_type=pkce", json: grant)
            #expect(session["user"]?["email"] == "ada@example.com")
            #expect(try await server.send(.post, "/auth/v1/token?grant_type=pkce", json: grant).status == 404)
            // The browser stays signed in, with a session of its own.
            try await browser.open("/account/devices")
            #expect(browser.page.text.contains("Sign Out All Other Devices"))
        }
    }

    @Test("Who is signed in already is asked first")
    func question() async throws {
        try await TestServer.with(hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.open(Self.start)
            #expect(browser.page.text.contains("Continue as"))
            #expect(!browser.page.text.contains("code="))
            try await browser.press("Continue")
            _ = try code(browser)
        }
    }

    @Test("An old sign-in is not handed over where the policy asks for a fresh one")
    func freshSignIn() async throws {
        var policy = SessionPolicy()
        policy.freshSignIn = .seconds(600)
        try await TestServer.with(policy: policy, hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            server.clock.advance(by: .seconds(1_200))
            try await browser.open(Self.start)
            try await browser.press("Continue")
            #expect(browser.page.title == "Sign In")
            try await browser.press("Sign In", SignInPageTests.person)
            _ = try code(browser)
        }
    }

    @Test("The app's session is as old as the browser's, and needs it to be active", arguments: TestDatabase.all)
    func age(_ kind: TestDatabase) async throws {
        var policy = SessionPolicy()
        policy.timebox = .seconds(3_600)
        policy.inactivity = .seconds(3_200)
        try await TestServer.with(on: kind, policy: policy, hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            server.clock.advance(by: .seconds(3_090))
            func handOver() async throws -> AnyJSON {
                try await browser.open(Self.start)
                try await browser.press("Continue")
                return ["auth_code": try code(browser), "code_verifier": .string(Self.verifier)]
            }
            func redeem(_ grant: AnyJSON) async throws -> TestAnswer {
                try await server.send(.post, "/auth/v1/token?grant_type=pkce", json: grant)
            }
            let session = try #require(TestSession(try await redeem(try await handOver())))
            let late = try await handOver()
            try await browser.open("/account")
            try await browser.press("Sign Out")
            #expect(try await redeem(late).status == 404)
            server.clock.advance(by: .seconds(299))
            #expect(try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).status == 200)
            server.clock.advance(by: .seconds(299))
            // An hour after the sign-in in the browser.
            #expect(try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).status == 403)
        }
    }

    @Test("Without the pages, and without PKCE, authorize refuses a missing provider as before")
    func refusals() async throws {
        try await TestServer.with { server in
            let answer = try await server.send(.get, Self.start)
            #expect(answer.code == "validation_failed")
            #expect(try await server.send(.post, "/auth/v1/authorize").status == 405)
        }
        try await TestServer.with(hasPages: true) { server in
            let answer = try await server.send(.get, "/auth/v1/authorize?redirect_to=myapp://callback")
            #expect(answer.code == "validation_failed")
        }
    }

    @Test("An access token alone becomes no session: it takes a refresh token of the same session")
    func tokens() async throws {
        try await TestServer.with(hasPages: true) { server in
            let ada = try await server.signUp()
            let bob = try await server.signUp("bob@example.com")
            for refresh in ["", "abc", bob.refreshToken] {
                let body: AnyJSON = [
                    "refresh_token": .string(refresh), "code_challenge": .string(Self.challenge),
                    "code_challenge_method": "s256", "redirect_to": "myapp://callback",
                ]
                let answer = try await server.send(
                    .post, "/auth/v1/authorize", bearer: ada.accessToken, json: body)
                #expect(answer.code == "validation_failed", "\(refresh)")
            }
        }
    }
}
