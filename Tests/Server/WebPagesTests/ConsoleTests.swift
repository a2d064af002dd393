import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The console")
struct ConsoleTests {
    private func signedIn(_ server: TestServer) async throws -> WebBrowser {
        let browser = WebBrowser(server)
        try await browser.open("/console/sign-in")
        try await browser.press("Sign In with API Key", ["key": TestServer.secretKey])
        #expect(browser.page.title == "Overview")
        return browser
    }

    @Test("Without a sign-in every page leads to the question for one, and back after it")
    func signIn() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let user = try await server.signUp().userID
            let browser = WebBrowser(server)
            try await browser.open("/console/users/\(user)")
            #expect(browser.page.title == "Sign In to the Console")
            try await browser.press("Sign In with API Key", ["key": "sb_secret_wrong"])
            #expect(
                browser.page.problem
                    == "This is not one of this server's secret API keys. Copy it from the configuration again.")
            try await browser.press("Sign In with API Key", ["key": TestServer.secretKey])
            #expect(browser.page.title == "ada@example.com")
            let cookie = try #require(browser.cookies.first { $0.name == "gatehouse-console" })
            #expect(!cookie.value.contains(TestServer.secretKey))
            try await browser.press("Sign Out")
            #expect(browser.page.done == "You're signed out.")
            try await browser.open("/console/users")
            #expect(browser.page.title == "Sign In to the Console")
        }
    }

    @Test("An account signs in if its role is an administrator's, and its session ends otherwise")
    func administrators() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let user = try await server.signUp().userID
            let browser = WebBrowser(server)
            try await browser.open("/console/sign-in")
            try await browser.press("Sign In", ["email": "ada@example.com", "password": "wrong"])
            #expect(browser.page.problem == "Incorrect email or password. Please try again.")
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(
                browser.page.problem
                    == "This account is not an administrator. Sign in with one that is, or with a secret API key.")
            let path = "/auth/v1/admin/users/\(user)"
            let sessions = try await server.send(.get, path + "/sessions", bearer: TestServer.secretKey)
            #expect(try JSONReader.read(sessions.text)["sessions"]?.arrayValue?.count == 1)
            let raised = try await server.send(
                .put, path, bearer: TestServer.secretKey, json: ["role": "service_role"])
            #expect(raised.status == 200)
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(browser.page.title == "Overview")
            // The rights end with the role.
            _ = try await server.send(.put, path, bearer: TestServer.secretKey, json: ["role": "authenticated"])
            try await browser.open("/console/users")
            #expect(browser.page.title == "Sign In to the Console")
        }
    }

    @Test("A session in the console ends after 12 hours")
    func lifetime() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let browser = try await signedIn(server)
            server.clock.advance(by: .seconds(43_199))
            try await browser.open("/console/users")
            #expect(browser.page.title == "Users")
            server.clock.advance(by: .seconds(1))
            try await browser.open("/console/users")
            #expect(browser.page.title == "Sign In to the Console")
        }
    }

    @Test("The link of gatehouse dev signs in once, on this machine and by a loopback name only")
    func entry() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let link = try #require(server.consoleLink)
            func enter(_ path: String, peer: String = "127.0.0.1", authority: String = "127.0.0.1:9999") async throws
                -> TestAnswer
            {
                try await server.send(.get, path, peer: peer, authority: authority)
            }
            let strangers = [
                ("192.0.2.1", "127.0.0.1:9999"), ("127.0.0.1", "evil.example"), ("127.0.0.1", "192.0.2.9"),
            ]
            for (peer, name) in strangers {
                #expect(try await enter(link, peer: peer, authority: name).headers[.location] == "/console/sign-in")
                #expect(try await enter("/", peer: peer, authority: name).headers[.location] == "/console")
            }
            let entered = try await enter(link)
            #expect(entered.status == 200)
            #expect(entered.headers[.setCookie]?.contains("SameSite=Strict; Max-Age=43200") == true)
            #expect(try await enter(link).headers[.location] == "/console/sign-in")
            let fresh = try #require(try await enter("/").headers[.location])
            #expect(fresh.hasPrefix("/console/enter?key="))
            server.clock.advance(by: .seconds(61))
            #expect(try await enter(fresh).headers[.location] == "/console/sign-in")
            let forwarded = try await server.send(
                .get, "/", headers: [HTTPField.Name("x-forwarded-for")!: "192.0.2.7"], peer: "127.0.0.1",
                authority: "127.0.0.1:9999")
            #expect(forwarded.headers[.location] == "/console")
        }
    }

    @Test("A form of another site or of another session changes nothing")
    func forgery() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let user = try await server.signUp().userID
            let path = "/console/users/\(user)"
            let (browser, other) = (try await signedIn(server), try await signedIn(server))
            try await browser.open(path + "/delete")
            let form = try #require(browser.page.forms.first { $0.button == "Delete" })
            try await other.open(path + "/delete")
            let foreign = try #require(other.page.forms.first { $0.button == "Delete" })
            for (fields, origin) in [
                ([], WebBrowser.origin), (foreign.fields, WebBrowser.origin), (form.fields, "https://evil.example"),
            ] {
                let page = try await browser.send(path + "/delete", fields, headers: [.origin: origin])
                #expect(page.status == 403)
            }
            try await browser.open(path)
            #expect(browser.page.title == "ada@example.com")
        }
    }

    @Test("A link of another site leads on to its page and leaves the operator signed in")
    func foreignLink() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let browser = try await signedIn(server)
            let kept = browser.cookies
            for path in ["/console", "/console/users?q=a%22b&state=active", "/console/sign-in", "/console/enter?key=A"]
            {
                // Browsers leave a cookie with SameSite=Strict out.
                browser.cookies = []
                let page = try await browser.open(path, headers: [.fetchSite: "cross-site"])
                #expect(page.status == 200 && page.headers[.setCookie] == nil, "\(path)")
                #expect(page.text.contains("content=\"0;url=\(path.replacing("&", with: "&amp;"))\""), "\(path)")
                browser.cookies = kept
                try await browser.open("/console/users", headers: [.fetchSite: "same-origin"])
                #expect(browser.page.title == "Users", "\(path)")
            }
            browser.cookies = []
            let page = try await browser.send("/console/sign-out", [], headers: [.fetchSite: "cross-site"])
            #expect(page.status == 403 && page.headers[.setCookie] == nil)
        }
    }

    @Test("Users are found, and texts of theirs are shown and never run")
    func users() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let user = try await server.signUp().userID
            _ = try await server.signUp("bob@example.com")
            let hostile: AuthJSON = ["full_name": "<script>alert(1)</script>\"\u{301}>", "long": .string(longText)]
            let path = "/auth/v1/admin/users/\(user)"
            let changed = try await server.send(
                .put, path, bearer: TestServer.secretKey, json: ["user_metadata": hostile])
            #expect(changed.status == 200)
            let browser = try await signedIn(server)
            try await browser.open("/console/users")
            #expect(browser.page.text.contains("bob@example.com"))
            try await browser.open("/console/users?q=ada")
            #expect(browser.page.text.contains("ada@example.com") && !browser.page.text.contains("bob@example.com"))
            #expect(!browser.page.text.contains("<script"))
            try await browser.open("/console/users?q=zzz")
            #expect(browser.page.text.contains("No users match."))
            try await browser.open("/console/users/\(user)")
            #expect(!browser.page.text.contains("<script") && browser.page.text.contains("&lt;script"))
            #expect(browser.page.text.utf8.count < 60_000)
            try await browser.open("/console/users/\(String(repeating: "0", count: 300))")
            #expect(browser.page.status == 404)
            try await browser.open("/console/users?after=nonsense")
            #expect(browser.page.problem == "The server cannot search for this text. Change it, or show all users.")
        }
    }

    private var longText: String { String(repeating: "\"<", count: 1_000) }

    @Test("Every act asks, does what it says, and names the user")
    func acts() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let user = try await server.signUp().userID
            let id = user
            let browser = try await signedIn(server)
            func act(_ path: String, _ button: String, _ fields: [String: String] = [:]) async throws -> String? {
                try await browser.open("/console/users/\(id)/\(path)")
                #expect(browser.page.title.hasSuffix("ada@example.com"), "\(path)")
                try await browser.press(button, fields)
                return browser.page.done
            }
            #expect(try await act("ban", "Ban", ["duration": "1h"]) == "ada@example.com is banned.")
            #expect(try await server.signIn().status == 400)
            #expect(try await act("lift", "Lift Ban") == "ada@example.com is no longer banned.")
            #expect(try await server.signIn().status == 200)
            #expect(
                try await act("end-sessions", "Revoke All Sessions")
                    == "All of ada@example.com's sessions were revoked.")
            #expect(browser.page.text.contains("The user is not signed in anywhere."))
            // The sentence about the end names its author.
            #expect(!browser.page.text.contains("<span class=\"detail\">by "))
            _ = try await act("password", "Set Password", ["password": "short"])
            #expect(browser.page.problem?.hasPrefix("Password must be at least") == true)
            let password = "another horse battery"
            #expect(
                try await act("password", "Set Password", ["password": password])
                    == "ada@example.com has a new password.")
            #expect(try await act("delete", "Delete") == "ada@example.com's account was deleted.")
            #expect(browser.page.title == "Users" && !browser.page.text.contains("href=\"/console/users/\(id)\""))
            try await browser.open("/console/users/\(id)/nothing")
            #expect(browser.page.status == 404)
        }
    }

    @Test("A page of a user costs at most eleven statements, and the list at most five")
    func statements() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let user = try await server.signUp().userID
            let browser = try await signedIn(server)
            let list = try await server.statements { try await browser.open("/console/users") }
            #expect(list <= 5)
            let one = try await server.statements {
                try await browser.open("/console/users/\(user)")
            }
            #expect(one <= 11)
        }
    }

    @Test(
        "A page costs at most five statements, the overview eight, a search nine and a user's page thirteen, for a key and an account",
        arguments: TestDatabase.all)
    func statements(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hasConsole: true) { server in
            let user = try await server.signUp().userID
            let path = "/auth/v1/admin/users/\(user)"
            _ = try await server.send(.put, path, bearer: TestServer.secretKey, json: ["role": "service_role"])
            let (keyHolder, administrator) = (try await signedIn(server), WebBrowser(server))
            try await administrator.open("/console/sign-in")
            try await administrator.press("Sign In", SignInPageTests.person)
            // The next search after a change also indexes it.
            while try await server.auth.indexAccounts() > 0 {}
            let pages = [
                "", "/users", "/users?q=ada", "/users?q=ada@example.com&state=active", "/users/\(user)",
                "/users/\(user)/delete", "/mails", "/webhooks", "/keys", "/configuration", "/requests",
            ]
            for page in pages {
                for browser in [keyHolder, administrator] {
                    let count = try await server.statements { try await browser.open("/console" + page) }
                    let most = page == "/users/\(user)" ? 13 : page.contains("q=") ? 9 : page.isEmpty ? 8 : 5
                    #expect(count <= most, "\(page): \(count)")
                    #expect(browser.page.status == 200 && browser.page.title != "Sign In to the Console")
                }
            }
        }
    }

    @Test("The settings are shown by area, the changed ones first, each with its help and without Markdown")
    func configuration() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/console/configuration")
            #expect(browser.page.text.contains("/console/configuration?area=Access+tokens"))
            try await browser.open("/console/configuration?area=Access%20tokens")
            #expect(browser.page.title == "Access tokens")
            #expect(browser.page.text.contains("jwt_aud") && !browser.page.text.contains("smtp_host"))
            #expect(browser.page.text.contains("aud of new accounts."))
            for (query, count) in [("area=None", 0), ("area=Log", 2), ("area=%3Cscript%3E", 0)] {
                try await browser.open("/console/configuration?\(query)")
                let rows = WebPage.between("<tr role=\"row\"><td", ">", in: browser.page.text).count
                #expect(browser.page.status == 200 && rows == count, "\(query): \(rows)")
            }
        }
    }

    @Test("The log's new requests are answered to a script of its page, and no other page may have scripts")
    func liveLog() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/console/requests")
            let policy = try #require(browser.page.headers[.contentSecurityPolicy])
            #expect(policy.hasSuffix("; script-src 'self'; connect-src 'self'"))
            let next = try #require(WebPage.between("data-next=\"", "\"", in: browser.page.text).first)
            _ = try await server.send(.get, "/auth/v1/nothing")
            try await browser.open("/console/requests/new?after=\(next)")
            let json = try JSONReader.read(browser.page.text)
            let newest = json["rows"]?.arrayValue?.last
            #expect(newest?["status"] == "404" && newest?["tone"] == "plain")
            #expect(json["next"]?.intValue ?? 0 > Int64(next) ?? 0)
            for after in ["-1", "x", "99999999999999999999"] {
                try await browser.open("/console/requests/new?after=\(after)")
                #expect(browser.page.status == 200)
            }
            let stranger = WebBrowser(server)
            try await stranger.open("/console/requests/new?after=0")
            #expect(stranger.page.title == "Sign In to the Console")
            for path in ["/console", "/console/users", "/console/keys"] {
                try await browser.open(path)
                #expect(browser.page.headers[.contentSecurityPolicy]?.contains("script-src") == false)
                #expect(!browser.page.text.contains("<script"))
            }
        }
    }
}
