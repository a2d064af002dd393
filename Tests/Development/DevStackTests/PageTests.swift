import Crypto
import DevStack
import Foundation
import GatehouseWire
import HTTPTypes
import Testing

@Suite("The stand-ins' pages")
struct PageTests {
    private static let attack = #""'><script>alert(1)</script>&amp;<img src=x onerror=alert(2)>"#
    private static let applePath = "/dev/apple/auth/authorize"
    private static let googlePath = "/dev/google/o/oauth2/v2/auth"

    private static let elements: Set<String> = [
        "!doctype", "html", "head", "meta", "title", "style", "body", "header", "p", "strong", "span", "main", "h1",
        "h2", "dl",
        "dt", "dd", "code", "form", "ul", "li", "label", "input", "button", "a",
    ]

    /// Only our elements are markup, and outside of quotation marks a tag has only attribute names.
    private func expectHarmless(_ answer: DevAnswer) {
        let page = answer.text.replacing("<script>document.forms[0].submit()</script>", with: "")
        for tag in page.matches(of: #/<\/?([A-Za-z!0-9]*)([^>]*)>?/#) {
            #expect(Self.elements.contains(String(tag.1)), "\(tag.0)")
            let rest = tag.2.replacing(#/"[^"]*"/#, with: "")
            #expect(rest.wholeMatch(of: #/(?:\s+[a-z-]+=?)*/#) != nil, "\(tag.0)")
        }
    }

    @Test(
        "Request data is text on the page, never markup",
        arguments: [
            "state", "nonce", "redirect_uri", "client_id", "scope", "response_mode", "response_type", "other",
        ])
    func appleParameters(_ name: String) async throws {
        let router = try DevRouter()
        expectHarmless(try await router.get(Self.applePath, router.appleQuery([name: Self.attack])))
        let form = try await router.chooseAtApple("verified", [name: Self.attack])
        expectHarmless(form)
        if name == "state" { #expect(form.hiddenFields["state"] == Self.attack, "and comes back unchanged") }
    }

    @Test(
        "The same at Google",
        arguments: [
            "state", "nonce", "redirect_uri", "client_id", "scope", "login_hint", "prompt", "code_challenge",
            "code_challenge_method", "access_type", "other",
        ])
    func googleParameters(_ name: String) async throws {
        let router = try DevRouter()
        expectHarmless(try await router.get(Self.googlePath, router.googleQuery([name: Self.attack])))
        let answer = try await router.chooseAtGoogle("verified", [name: Self.attack])
        expectHarmless(answer)
        if name == "state" { #expect(answer.callback["state"] == Self.attack) }
    }

    @Test("Parameter names, people and addresses are text as well")
    func others() async throws {
        let router = try DevRouter()
        expectHarmless(try await router.get(Self.applePath, router.appleQuery([Self.attack: "1"])))
        expectHarmless(try await router.chooseAtApple(Self.attack))
        let typed = try await router.chooseAtApple("existing", email: Self.attack)
        expectHarmless(typed)
        #expect(typed.text.contains("&lt;script&gt;"))
        let attacked = DevRouter.form([Self.attack: "1"])
        let twice = try await router.send(.get, Self.applePath + "?\(attacked)&\(attacked)")
        #expect(twice.status == 400)
        expectHarmless(twice)
    }

    @Test("The dev page leads to every page of the stack, in one list, and to both stand-ins")
    func places() async throws {
        let router = try DevRouter(change: { settings in
            (settings.app, settings.inbox) = (DevRouter.external + "/app", DevRouter.external + "/dev/inbox")
        })
        let lists = try await router.get("/dev").text.split(separator: "</ul>").map { part in
            part.matches(of: /<a href="(?:http:\/\/127\.0\.0\.1:9999)?([^"?]*)/).map { String($0.1) }
        }
        #expect(
            lists == [
                ["/account", "/app", "/app/daily-ritual", "/", "/dev/inbox", "/dev/agent", "/dev/api"],
                ["/auth/v1/authorize", "/auth/v1/authorize"], [],
            ])
    }

    @Test(
        "The command on the dev page passes the code to the shell as one word",
        arguments: [
            "8b9d5c2e-code", "'; touch /tmp/owned; '", "'\u{308}; touch /tmp/owned; '\u{308}", "$(id)`id`", #"\"#,
            #"","code_verifier":"mine"#, "a\nb",
            "'\\''", attack,
        ])
    func command(_ code: String) async throws {
        let router = try DevRouter()
        let page = try await router.get("/dev", ["code": code])
        expectHarmless(page)
        let command = DevAnswer.unescaped(try #require(page.text.firstMatch(of: /<code>(curl [^<]*)<\/code>/)?.1))
        let words = try await Self.words(ofShell: command)
        #expect(words.map { $0.prefix(4) } == ["curl", "-s", "http", "-d", #"{"au"#])
        let body = try JSONReader.read(words[4])
        #expect(body["auth_code"]?.stringValue == code)
        #expect(body["code_verifier"]?.stringValue == ExampleProofKey.verifier)
    }

    /// As a POSIX shell passes them. Its own thread waits: Swift's pool has one per core, and a concurrent test's child
    /// may keep the pipe open.
    private static func words(ofShell command: String) async throws -> [String] {
        try await withCheckedThrowingContinuation { caller in
            Thread.detachNewThread { caller.resume(with: Result { try wordsBlocking(ofShell: command) }) }
        }
    }

    private static func wordsBlocking(ofShell command: String) throws -> [String] {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", #"set -f; printf '%s\0' "# + command]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("A line break in the state stays out of the headers")
    func headerInjection() async throws {
        let router = try DevRouter()
        let answer = try await router.chooseAtGoogle("verified", ["state": "a\r\nset-cookie: b=c"])
        #expect(answer.location?.contains("%0D%0A") == true)
        #expect(answer.headers[.setCookie] == nil)
        #expect(answer.callback["state"] == "a\r\nset-cookie: b=c")
    }

    @Test("Pages load nothing, run only scripts that their policy names by digest, and cannot be framed")
    func policy() async throws {
        let router = try DevRouter()
        let choosing = try await router.get(Self.googlePath, router.googleQuery())
        let leaving = try await router.chooseAtApple("verified")
        let refused = try await router.get(Self.applePath)
        for page in [choosing, leaving, refused] {
            let policy = page.headers[HTTPField.Name("content-security-policy")!] ?? ""
            #expect(policy.hasPrefix("default-src 'none'; "))
            #expect(policy.contains("base-uri 'none'"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(policy.contains("style-src '\(digest(page, "style"))'"))
            #expect(policy.contains("script-src") == (page.text == leaving.text))
            #expect(!policy.contains("unsafe"))
            #expect(page.headers[HTTPField.Name("x-content-type-options")!] == "nosniff")
            #expect(!page.text.contains("style=\""), "the policy would not apply it")
            #expect(page.text.firstMatch(of: #/\son[a-z]+=/#) == nil)
            #expect(page.text.firstMatch(of: #/(?:src|href)=/#) == nil)
        }
        let policy = leaving.headers[HTTPField.Name("content-security-policy")!] ?? ""
        #expect(policy.contains("script-src '\(digest(leaving, "script"))'"))
    }

    private func digest(_ page: DevAnswer, _ element: String) -> String {
        let start = page.text.range(of: "<\(element)>")?.upperBound ?? page.text.startIndex
        let end = page.text.range(of: "</\(element)>")?.lowerBound ?? page.text.startIndex
        guard start < end else { return "none" }
        return "sha256-" + Data(SHA256.hash(data: Data(page.text[start..<end].utf8))).base64EncodedString()
    }

    @Test("Pages name their language, their title and every field, and work without a script (E11)")
    func accessible() async throws {
        let router = try DevRouter()
        let page = try await router.get(Self.applePath, router.appleQuery())
        #expect(page.text.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
        #expect(page.text.contains("<title>Choose who signs in – stand-in for Apple</title>"))
        #expect(page.text.contains(#"name="viewport""#))
        #expect(page.text.contains(#"<label for="email">Email address</label>"#))
        #expect(page.text.matches(of: /<h1>/).count == 1)
        #expect(page.text.matches(of: #/<button /#).count == Person.cast(of: .apple).count)
        #expect(page.text.contains("min-height:44px"))
        #expect(page.text.contains("prefers-color-scheme:dark"))
        #expect(!page.text.contains("<script"))
    }

    @Test("The page's form returns to its own request")
    func formAddress() async throws {
        let router = try DevRouter()
        let page = try await router.get(Self.applePath, router.appleQuery(["state": "a b&c=d"]))
        let action = try #require(page.text.firstMatch(of: /method="post" action="\?([^"]*)"/)?.1)
        let answer = try await router.send(
            .post, Self.applePath + "?" + DevAnswer.unescaped(action),
            headers: [.contentType: "application/x-www-form-urlencoded"], body: "person=verified")
        #expect(answer.hiddenFields["state"] == "a b&c=d")
        #expect(answer.hiddenFields["code"] != nil)
    }
}
