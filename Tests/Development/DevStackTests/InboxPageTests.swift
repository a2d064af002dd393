import DevStack
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite("The pages of the inbox")
struct InboxPageTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let attack = #""'><script>alert(1)</script>&amp;<img src=x onerror=alert(2)>"#

    private static func mail(_ id: String = "one") -> InboxMail {
        InboxMail(
            id: id, sentAt: Instant(seconds: 1_800_000_000), recipient: attack, subject: attack, text: attack,
            html: "<html><head><title>x</title></head></html>", source: attack,
            link: "http://127.0.0.1:9999/auth/v1/verify?token=a&type=signup", code: "042917")
    }

    private func router(_ mails: InboxMail...) throws -> DevRouter {
        let inbox = try Inbox(folder: scratch.path)
        for mail in mails { try inbox.keep(mail) }
        return try DevRouter(inbox: inbox)
    }

    @Test("An empty inbox says what to do")
    func empty() async throws {
        let answer = try await router().get("/dev/inbox")
        #expect(answer.status == 200 && answer.text.contains("No mail yet."))
        let searched = try await router(Self.mail()).get("/dev/inbox", ["q": "nothing"])
        #expect(searched.text.contains("Nothing found.") && searched.text.contains("0 mails of 1"))
    }

    @Test(
        "Values of mails are text on the pages, never markup",
        arguments: ["", "/mails/one", "/mails/one?view=text", "/mails/one?view=source", "/mails/one?view=html"])
    func escaping(path: String) async throws {
        let answer = try await router(Self.mail()).get("/dev/inbox" + path)
        #expect(answer.status == 200)
        #expect(!answer.text.contains("<img") && !answer.text.contains("<script>alert"))
        #expect(answer.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        let policy = answer.headers[.init("content-security-policy")!] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && answer.headers[.cacheControl] == "no-store")
    }

    @Test("The search is text on the page")
    func search() async throws {
        let answer = try await router().get("/dev/inbox", ["q": Self.attack])
        #expect(!answer.text.contains("<img") && answer.text.contains("value=\"&quot;&#39;&gt;"))
    }

    @Test("A mail's HTML is sandboxed without scripts, also outside of its frame")
    func frame() async throws {
        let router = try router(Self.mail())
        let page = try await router.get("/dev/inbox/mails/one")
        let sandbox = "allow-popups allow-popups-to-escape-sandbox"
        #expect(page.text.contains(#"sandbox="\#(sandbox)" src="/dev/inbox/mails/one/html">"#))
        let framed = try await router.get("/dev/inbox/mails/one/html")
        #expect(framed.text == "<html><head><base target=\"_blank\"><title>x</title></head></html>")
        let policy = framed.headers[.init("content-security-policy")!] ?? ""
        #expect(policy.hasPrefix("sandbox \(sandbox); default-src 'none'; "))
        #expect(!policy.contains("script-src") && policy.contains("frame-ancestors 'self'"))
        #expect(framed.headers[.init("x-content-type-options")!] == "nosniff")
    }

    @Test("A mail's page has its link and its code, and one without them has neither")
    func actions() async throws {
        let page = try await router(Self.mail()).get("/dev/inbox/mails/one").text
        #expect(page.contains(#"href="http://127.0.0.1:9999/auth/v1/verify?token=a&amp;type=signup""#))
        #expect(page.contains(#"<code id="code">042917</code>"#) && page.contains("Copy code"))
        var plain = Self.mail()
        (plain.link, plain.code) = (nil, nil)
        let other = try await router(plain).get("/dev/inbox/mails/one").text
        #expect(!other.contains("Open link") && !other.contains("Copy code</button>"))
    }

    @Test("Programs read the mails as JSON")
    func json() async throws {
        let router = try router(Self.mail("one"), Self.mail("two"))
        let mails = try #require(try await router.get("/dev/inbox/mails", ["q": "alert"]).json["mails"]?.arrayValue)
        #expect(mails.map { $0["id"]?.stringValue } == ["two", "one"])
        #expect(mails.first?["code"] == "042917" && mails.first?["to"] == .string(Self.attack))
        #expect(try await router.get("/dev/inbox/mails", ["q": "nothing"]).json["mails"] == [])
    }

    @Test("A deleted mail answers 404, with a page", arguments: ["/mails/two", "/mails/two/html", "/mails/..%2Fone"])
    func missing(path: String) async throws {
        let answer = try await router(Self.mail()).get("/dev/inbox" + path)
        #expect(answer.status == 404 && answer.text.contains("This mail is gone"))
    }

    @Test(
        "Other origins are refused, and no answer allows them",
        arguments: ["", "/events", "/mails", "/mails/one", "/mails/one/html", "/texts", "/texts/one"])
    func origins(path: String) async throws {
        let router = try router(Self.mail())
        for origin in ["https://example.org", "http://localhost:3000", "null"] {
            let answer = try await router.get("/dev/inbox" + path, headers: [.origin: origin])
            #expect(answer.status == 403 && answer["error_code"] == "foreign_origin", "\(origin)")
            #expect(answer.headers[.accessControlAllowOrigin] == nil)
        }
    }
}
