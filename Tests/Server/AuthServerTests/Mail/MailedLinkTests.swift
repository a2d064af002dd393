import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Mailed links")
struct MailedLinkTests {
    static let verifier = "a-verifier-of-more-than-forty-three-characters-0001"
    static let challenge = "xCQLDnsvQE3aYFg46AmNN8eBcY1SOEkfclHh_2vn254"

    static func form(_ path: String, code: String? = nil) -> [UInt8] {
        let query = String(path.split(separator: "?").last ?? "")
        return Array((query + (code.map { "&code=\($0)" } ?? "")).utf8)
    }

    private func press(
        _ server: TestServer, _ path: String, code: String? = nil, cookie: String? = nil
    ) async throws -> TestAnswer {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        headers[.cookie] = cookie
        return try await server.send(
            .post, "/auth/v1/verify/page", headers: headers, raw: Self.form(path, code: code))
    }

    private func signUp(_ server: TestServer, _ more: AuthJSONObject = [:], headers: HTTPFields = [:]) async throws -> (
        answer: TestAnswer, code: String, path: String
    ) {
        var json: AuthJSONObject = ["email": "ada@example.com", "password": .string(TestServer.password)]
        json.merge(more) { $1 }
        let answer = try await server.post("/signup", .object(json), headers: headers)
        let (code, path, _) = try await server.deliveredMail()
        return (answer, code, path)
    }

    @Test("Pitfall 11: A scanner that opens a link and presses its button confirms nothing and gets no session")
    func scanner() async throws {
        try await TestServer.mailing(change: { $0.allowsImplicitFlow = true }) { server in
            let (_, code, path) = try await signUp(server)
            for _ in 0..<3 {
                let page = try await server.send(.get, path)
                #expect(page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8")
                #expect(try await server.send(.head, path).status == 405)
                let pressed = try await press(server, path)
                #expect(pressed.status == 200 && pressed.headers[.location] == nil)
            }
            #expect(try await server.signIn().code == "email_not_confirmed")
            #expect(try await server.verify("signup", code: code).status == 200)
        }
    }

    @Test("Pitfall 11: With PKCE the button leads to a code for the client with the verifier, which spends the link")
    func proofKey() async throws {
        try await TestServer.mailing { server in
            let key: AuthJSONObject = ["code_challenge": .string(Self.challenge), "code_challenge_method": "s256"]
            let (_, _, path) = try await signUp(server, key)
            // A scanner presses first.
            #expect(try await press(server, path).status == 303)
            #expect(try await server.signIn().code == "email_not_confirmed")
            let location = try #require(try await press(server, path).headers[.location])
            let code = try #require(location.split(separator: "code=").last.map(String.init))
            func redeem(_ verifier: String) async throws -> TestAnswer {
                try await server.post(
                    "/token?grant_type=pkce", ["auth_code": .string(code), "code_verifier": .string(verifier)])
            }
            #expect(try await redeem(String(Self.verifier.reversed())).code == "bad_code_verifier")
            #expect(try await redeem(Self.verifier)["user"]?["email_confirmed_at"] != nil)
            let late = try await press(server, path)
            #expect(late.headers[.location]?.contains("error_code=otp_expired") == true)
        }
    }

    @Test("Wrong codes do not end a link", arguments: TestDatabase.all)
    func guessed(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let key: AuthJSONObject = ["code_challenge": .string(Self.challenge), "code_challenge_method": "s256"]
            let (_, code, path) = try await signUp(server, key)
            for _ in 0..<5 { _ = try await server.verify("signup", code: TestServer.wrong(code)) }
            #expect(try await server.verify("signup", code: code).code == "otp_expired")
            let location = try #require(try await press(server, path).headers[.location])
            let given = try #require(location.split(separator: "code=").last.map(String.init))
            let json: AuthJSON = ["auth_code": .string(given), "code_verifier": .string(Self.verifier)]
            #expect(try await server.post("/token?grant_type=pkce", json)["user"]?["email_confirmed_at"] != nil)
        }
    }

    @Test("The browser that asked needs only the button")
    func sameBrowser() async throws {
        try await TestServer.mailing(change: { $0.allowsImplicitFlow = true }) { server in
            let (answer, _, path) = try await signUp(server, headers: [.origin: "https://app.example.org"])
            let cookie = try #require(answer.headers[.setCookie]?.split(separator: ";").first.map(String.init))
            let pressed = try await press(server, path, cookie: cookie)
            #expect(pressed.status == 303)
            #expect(pressed.headers[.location]?.hasPrefix("https://app.example.org#access_token=") == true)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("An invitation needs its code, which the page takes")
    func invitation() async throws {
        try await TestServer.mailing(change: { $0.allowsImplicitFlow = true }) { server in
            let invited = try await server.send(
                .post, "/auth/v1/invite", bearer: TestServer.secretKey, json: ["email": "ada@example.com"])
            #expect(invited.status == 200 && invited["invited_at"] != nil)
            let (code, path, _) = try await server.deliveredMail()
            #expect(try await press(server, path).status == 200)
            #expect(try await press(server, path, code: TestServer.wrong(code)).headers[.location] == nil)
            let pressed = try await press(server, path, code: code)
            #expect(pressed.headers[.location]?.contains("type=invite") == true)
        }
    }

    @Test("Without the implicit flow an invitation's page confirms the address and gives no session")
    func invitationWithoutTokens() async throws {
        try await TestServer.mailing { server in
            _ = try await server.send(
                .post, "/auth/v1/invite", bearer: TestServer.secretKey, json: ["email": "ada@example.com"])
            let (code, path, _) = try await server.deliveredMail()
            #expect(try await server.send(.get, path).text.contains("name=\"code\""))
            let pressed = try await press(server, path, code: code)
            let location = try #require(pressed.headers[.location])
            #expect(location.contains("#message=") && !location.contains("token"))
            server.passInterval()
            #expect(try await server.post("/recover", ["email": "ada@example.com"]).status == 200)
            let recovery = try await server.deliveredMail().code
            #expect(try await server.verify("recovery", code: recovery).status == 200)
        }
    }

    @Test("Without the implicit flow no opened link has tokens, whatever else is set")
    func atOnceWithoutTokens() async throws {
        try await TestServer.mailing(change: { $0.mail?.opensLinksAtOnce = true }) { server in
            let (_, code, path) = try await signUp(server)
            let opened = try await server.send(.get, path)
            #expect(opened.status == 200 && opened.headers[.location] == nil)
            #expect(try await server.verify("signup", code: code).status == 200)
        }
    }

    @Test("Both links of a change of address work with PKCE")
    func addressChange() async throws {
        try await TestServer.mailing { server in
            try await server.confirmed()
            let session = try #require(TestSession(try await server.signIn()))
            let asked = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken,
                json: [
                    "email": "new@example.com", "code_challenge": .string(Self.challenge),
                    "code_challenge_method": "s256",
                ])
            #expect(asked.status == 200)
            let mails = try await server.deliveredMails()
            func path(_ email: String) throws -> (path: String, code: String) {
                let mail = try #require(mails.first { $0.content.recipient.text == email })
                let path = try #require(mail.link).replacing(server.settings.externalURL, with: "/auth/v1")
                return (path, mail.content.code?.reveal() ?? "")
            }
            let (old, new) = (try path("ada@example.com"), try path("new@example.com"))
            // A scanner presses both.
            #expect(try await press(server, old.path).headers[.location] == nil)
            #expect(try await press(server, new.path).headers[.location] == nil)
            let first = try await press(server, old.path, code: old.code)
            #expect(first.headers[.location]?.contains("message=") == true)
            let second = try await press(server, new.path)
            let code = try #require(second.headers[.location]?.split(separator: "code=").last.map(String.init))
            let json: AuthJSON = ["auth_code": .string(code), "code_verifier": .string(Self.verifier)]
            let redeemed = try await server.post("/token?grant_type=pkce", json)
            #expect(redeemed["user"]?["email"] == "new@example.com")
        }
    }

    @Test("Opening a link spends it if the settings say so")
    func atOnce() async throws {
        try await TestServer.mailing { settings in
            settings.allowsImplicitFlow = true
            settings.mail?.opensLinksAtOnce = true
        } _: { server in
            let (_, _, path) = try await signUp(server)
            let opened = try await server.send(.get, path)
            #expect(opened.status == 303)
            #expect(opened.headers[.location]?.contains("type=signup") == true)
            let again = try await server.send(.get, path)
            #expect(again.headers[.location]?.contains("#error=access_denied&error_code=otp_expired") == true)
        }
    }

    @Test("An administrator gets a link and its code instead of a mail")
    func generated() async throws {
        try await TestServer.mailing { server in
            try await server.confirmed()
            let made = try await server.admin(
                .post, "/generate_link", json: ["type": "recovery", "email": "ada@example.com"])
            #expect(made["verification_type"] == "recovery" && made["email"] == "ada@example.com")
            #expect(try await server.deliveredMails().isEmpty)
            let hash = try #require(made["hashed_token"])
            #expect(try await server.post("/verify", ["type": "recovery", "token_hash": hash]).status == 200)
            let unknown = try await server.admin(
                .post, "/generate_link", json: ["type": "recovery", "email": "nobody@example.com"])
            #expect(unknown.status == 404)
        }
    }

    @Test("The page escapes what the link says, and forbids scripts and frames")
    func page() async throws {
        try await TestServer.mailing { server in
            let key: AuthJSONObject = ["code_challenge": .string(Self.challenge), "code_challenge_method": "s256"]
            let (_, _, path) = try await signUp(server, key)
            let page = try await server.send(.get, path + "&redirect_to=%22%3E%3Cscript%3E")
            #expect(page.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
            #expect(!page.text.contains("<script"))
            #expect(page.headers[HTTPField.Name("referrer-policy")!] == "no-referrer")
        }
    }
}
