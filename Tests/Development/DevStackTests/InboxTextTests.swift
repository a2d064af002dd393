import Crypto
import DevStack
import Foundation
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite("Text messages in the inbox of a dev server")
struct InboxTextTests {
    /// The example of https://www.standardwebhooks.com.
    private static let secret = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let body = #"{"user":{"phone":"1"},"sms":{"otp":"042917","phone":"15551234567","sms_type":"sms"}}"#

    private let scratch: Scratch
    private let inbox: Inbox
    private let router: DevRouter

    init() throws {
        scratch = try Scratch()
        inbox = try Inbox(folder: scratch.path)
        let hook = try #require(InboxTextHook(secret: Secret(Self.secret)))
        router = try DevRouter(inbox: inbox, textHook: hook)
    }

    private static func signature(_ id: String, _ time: Int64, _ body: String) -> String {
        let key = SymmetricKey(data: Data(base64Encoded: String(secret.dropFirst(9))) ?? Data())
        let code = HMAC<SHA256>.authenticationCode(for: Data("\(id).\(time).\(body)".utf8), using: key)
        return "v1," + Data(code).base64EncodedString()
    }

    private static func headers(_ id: String, _ time: String, _ signature: String) -> HTTPFields {
        [
            .contentType: "application/json", .init("webhook-id")!: id, .init("webhook-timestamp")!: time,
            .init("webhook-signature")!: signature,
        ]
    }

    /// As the server calls the hook.
    @discardableResult private func receive(_ body: String = body, id: String = "call-1") async throws -> DevAnswer {
        let time = router.now.seconds
        let headers = Self.headers(id, "\(time)", Self.signature(id, time, body))
        return try await router.send(.post, "/dev/inbox/texts", headers: headers, body: body)
    }

    private static func mail(_ id: String) -> InboxMail {
        InboxMail(
            id: id, sentAt: Instant(seconds: 1_800_000_000), recipient: "ada@example.com", subject: "Confirm",
            text: "Hello", html: "", source: "", code: "111111")
    }

    @Test("Signatures are those of Standard Webhooks")
    func vector() {
        let signature = Self.signature("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, #"{"test": 2432232314}"#)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("The hook's call is answered as Supabase Auth expects, and programs read the message as JSON")
    func call() async throws {
        let answer = try await receive()
        #expect(answer.status == 200 && answer.text == "{}")
        #expect(answer.headers[.contentType]?.hasPrefix("application/json") == true)
        let expected: AuthJSON = [
            "id": "call-1", "sent_at": .string("\(router.now)"), "to": "15551234567", "text": "Your code is 042917",
            "code": "042917", "type": "sms",
        ]
        #expect(try await router.get("/dev/inbox/texts").json["texts"] == [expected])
        #expect(try await router.get("/dev/inbox/texts", ["q": "nothing"]).json["texts"] == [])
        #expect(try await router.get("/dev/inbox/mails").json["mails"] == [])
    }

    @Test("A repeated call replaces the first")
    func repeated() async throws {
        for id in ["call-1", "call-2", "call-1"] { try await receive(id: id) }
        #expect(inbox.texts().map(\.id) == ["call-1", "call-2"])
    }

    @Test("The number may be the user's, and the call may have the text")
    func members() async throws {
        let body = #"{"user":{"phone":"+447700900000"},"sms":{"otp":"1","text":"1 is your code for Box Score."}}"#
        #expect(try await receive(body).status == 200)
        let text = try #require(inbox.texts().first)
        #expect(text.number == "447700900000" && text.text == "1 is your code for Box Score." && text.type == "")
    }

    @Test(
        "A call without a code or a number is refused",
        arguments: [
            "", "[]", "{}", #"{"sms":{}}"#, #"{"sms":{"otp":"1"}}"#, #"{"sms":{"phone":"15551234567"}}"#,
            #"{"sms":{"otp":"","phone":"15551234567"}}"#, #"{"sms":{"otp":"1","phone":"ada@example.com"}}"#,
            #"{"sms":{"otp":"1","phone":"1234567890123456"}}"#, #"{"sms":{"otp":1,"phone":"15551234567"}}"#,
        ])
    func malformed(body: String) async throws {
        let answer = try await receive(body)
        #expect(answer.status == 400 && answer["error_code"] == "bad_json")
        #expect(inbox.texts().isEmpty)
    }

    @Test("A call without a valid and recent signature is refused")
    func unsigned() async throws {
        let now = router.now.seconds
        let valid = Self.signature("a", now, Self.body)
        let calls: [HTTPFields] = [
            [:], Self.headers("b", "\(now)", valid), Self.headers("a", "\(now + 1)", valid),
            Self.headers("a", "soon", valid), Self.headers("a", "\(now)", ""), Self.headers("a", "\(now)", "v1,"),
            Self.headers("a", "\(now)", "v1,AAAA"), Self.headers("a", "\(now)", String(valid.dropFirst(3))),
            Self.headers("a", "\(now)", Self.signature("a", now, "{}")),
            Self.headers("a", "\(now - 301)", Self.signature("a", now - 301, Self.body)),
            Self.headers("a", "\(now + 301)", Self.signature("a", now + 301, Self.body)),
            Self.headers("a", "\(Int64.min)", Self.signature("a", .min, Self.body)),
        ]
        for headers in calls {
            let answer = try await router.send(.post, "/dev/inbox/texts", headers: headers, body: Self.body)
            #expect(answer.status == 401 && answer["error_code"] == "hook_signature", "\(headers)")
        }
        #expect(inbox.texts().isEmpty)
        let several = Self.headers("a", "\(now)", "v1,AAAA \(valid)")
        #expect(try await router.send(.post, "/dev/inbox/texts", headers: several, body: Self.body).status == 200)
    }

    @Test("Only secrets of the hook's form are accepted", arguments: ["", "v1,whsec_", "v1,whsec_?", "whsec_AAAA"])
    func secrets(text: String) { #expect(InboxTextHook(secret: Secret(text)) == nil) }

    @Test("Without the hook, no program adds messages")
    func closed() async throws {
        let router = try DevRouter(inbox: inbox)
        let time = router.now.seconds
        let headers = Self.headers("a", "\(time)", Self.signature("a", time, Self.body))
        #expect(try await router.send(.post, "/dev/inbox/texts", headers: headers, body: Self.body).status == 405)
        #expect(try await router.get("/dev/inbox/texts").json["texts"] == [])
    }

    @Test("A page of another origin cannot call the hook")
    func origin() async throws {
        let time = router.now.seconds
        var headers = Self.headers("a", "\(time)", Self.signature("a", time, Self.body))
        headers[.origin] = "https://example.org"
        #expect(try await router.send(.post, "/dev/inbox/texts", headers: headers, body: Self.body).status == 403)
        #expect(inbox.texts().isEmpty)
    }

    @Test("Text messages are listed with emails, newest first, also after a restart")
    func list() async throws {
        try inbox.keep(Self.mail("one"))
        try await receive()
        try inbox.keep(Self.mail("two"))
        for inbox in [inbox, try Inbox(folder: scratch.path)] {
            let page = try await DevRouter(inbox: inbox).get("/dev/inbox").text
            let rows = page.matches(of: /href="\/dev\/inbox\/(mails|texts)\/([a-z0-9-]+)"/).map { "\($0.1) \($0.2)" }
            #expect(rows == ["mails two", "texts call-1", "mails one"])
            #expect(page.contains("2 mails, 1 text message<"))
            #expect(page.contains("<svg role=\"img\" aria-label=\"Text message\""))
            #expect(page.contains("<bdi>Your code is 042917</bdi></strong><code>042917</code>"))
            #expect(page.contains("To <bdi>+15551234567</bdi>"))
        }
    }

    @Test(
        "A search finds number, text and code",
        arguments: [
            ("+1555123", "0 mails, 1 text message of 2"), ("15551234567 code", "0 mails, 1 text message of 2"),
            ("042917", "0 mails, 1 text message of 2"), ("111111", "1 mail of 2"), ("nothing", "0 mails of 2"),
        ])
    func search(text: String, summary: String) async throws {
        try inbox.keep(Self.mail("one"))
        try await receive()
        #expect(try await router.get("/dev/inbox", ["q": text]).text.contains(">\(summary)<"))
    }

    @Test("A message's page has number, text and a code to copy")
    func page() async throws {
        try await receive()
        let page = try await router.get("/dev/inbox/texts/call-1")
        #expect(page.status == 200 && page.text.contains("<dd><bdi>+15551234567</bdi></dd>"))
        #expect(page.text.contains(#"<code id="code">042917</code>"#) && page.text.contains("Copy code</button>"))
        #expect(page.text.contains(#"<pre class="plain" dir="auto">Your code is 042917</pre>"#))
    }

    @Test("Values of messages are text on the pages, never markup", arguments: ["", "/texts/one"])
    func escaping(path: String) async throws {
        let attack = #""'><script>alert(1)</script><img src=x onerror=alert(2)>"#
        let text = InboxText(id: "one", sentAt: router.now, number: attack, text: attack, code: attack)
        try inbox.keep(text)
        let answer = try await router.get("/dev/inbox" + path)
        #expect(answer.status == 200 && !answer.text.contains("<img") && !answer.text.contains("<script>alert"))
        #expect(answer.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    }

    @Test("A message and an email are found only below their own addresses")
    func missing() async throws {
        try await receive()
        try inbox.keep(Self.mail("one"))
        for path in ["/texts/one", "/texts/two"] {
            let answer = try await router.get("/dev/inbox" + path)
            #expect(answer.status == 404 && answer.text.contains("This message is gone"))
        }
        #expect(try await router.get("/dev/inbox/mails/call-1").status == 404)
    }
}
