import Foundation
import Gatehouse
import GatehouseDesktop
import Testing

@Suite("Signing in with the system's browser and a loopback listener")
struct LoopbackTests {
    private let page = URL(string: "https://p.example/authorize?x=%2F")!

    private func signIn(
        port: UInt16 = 0, path: String = "/callback", clock: ClientClock = HandClock().clock,
        visit: @escaping @Sendable (_ redirect: URL) async throws -> Void
    ) async throws -> (redirect: URL, back: URL) {
        let (page, redirect) = (page, Locked<URL?>(nil))
        let browser = LoopbackWebAuthentication(port: port, path: path, clock: clock) { address in
            #expect(address == page)
            try await visit(redirect.withLock { $0 }!)
        }
        let back = try await browser.authenticate { url in
            redirect.withLock { $0 = url }
            return page
        }
        return (redirect.withLock { $0 }!, back)
    }

    private func answered(_ redirect: URL, _ query: String) -> URL { URL(string: redirect.absoluteString + query)! }

    @Test("E9: The URL returns byte for byte, the page does not show it, and the listener closes")
    func success() async throws {
        let browser = TinyBrowser()
        let query = "?code=c%2Fo+de&state=%C3%A9%41&empty=&%3D=%26&error_description=a%0D%0Ab"
        let (redirect, back) = try await signIn { await browser.visit(answered($0, query)) }
        #expect(redirect.absoluteString == "http://127.0.0.1:\(redirect.port ?? 0)/callback")
        #expect(back.absoluteString == redirect.absoluteString + query)
        let parts = await browser.answers[0].components(separatedBy: "\r\n\r\n")
        #expect(parts.count == 2)
        var lines = parts[0].components(separatedBy: "\r\n")
        #expect(lines.removeFirst() == "HTTP/1.1 200 OK")
        let policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        #expect(
            Set(lines) == [
                "Content-Type: text/html; charset=utf-8", "Content-Length: \(parts[1].utf8.count)",
                "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
                "Content-Security-Policy: \(policy)", "Cross-Origin-Resource-Policy: same-origin", "Connection: close",
            ])
        #expect(parts[1].contains("You can close this window"))
        for secret in ["c%2Fo", "c/o", "de", "%41"] where secret.count > 2 { #expect(!parts[1].contains(secret)) }
        #expect(await browser.answer(to: [], at: redirect.port ?? 0) == "refused")
    }

    @Test(
        "Other requests get a response and do not end the wait",
        arguments: [
            (["GET /favicon.ico HTTP/1.1\r\nHost: HERE\r\n\r\n"], "404"),
            (["GET /callback/?code=c HTTP/1.1\r\nHost: HERE\r\n\r\n"], "404"),
            (["GET //127.0.0.1/callback?code=c HTTP/1.1\r\nHost: HERE\r\n\r\n"], "404"),
            (["GET /callback?code=c HTTP/1.1\r\nHost: evil.example\r\n\r\n"], "421"),
            (["GET /callback?code=c HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], "421"),
            (["GET /callback?code=c HTTP/1.1\r\nHost: localhost:1\r\n\r\n"], "421"),
            (["GET /callback?code=c HTTP/1.1\r\n\r\n"], "400"),
            (["GET /callback?code=c HTTP/1.1\r\nHost: HERE\r\nHost: HERE\r\n\r\n"], "400"),
            (["GET /callback?code=c HTTP/1.1\r\nHost : HERE\r\n\r\n"], "400"),
            (["GET /callback?code=c HTTP/1.1\nHost: HERE\r\n\r\n"], "400"),
            (["GET /callback?code=\u{1} HTTP/1.1\r\nHost: HERE\r\n\r\n"], "400"),
            (["GET /callback?code=é HTTP/1.1\r\nHost: HERE\r\n\r\n"], "400"),
            (["GET http://HERE/callback?code=c HTTP/1.1\r\nHost: HERE\r\n\r\n"], "400"),
            (["GET /callback?code=c\r\nHost: HERE\r\n\r\n"], "400"),
            (["GET /callback?code=c HTTP/2\r\nHost: HERE\r\n\r\n"], "400"),
            (["POST /callback?code=c HTTP/1.1\r\nHost: HERE\r\nContent-Length: 0\r\n\r\n"], "405"),
            (["GET /callback?code=c HTTP/1.1\r\nHost: HERE\r\nSec-Fetch-Dest: image\r\n\r\n"], "403"),
            (["GET /callback?code=c HTTP/1.1\r\nHost: HERE\r\nX: ", String(repeating: "x", count: 17_000)], "431"),
            ([String(repeating: "x", count: 100_000)], "431"),
        ])
    func refused(_ pieces: [String], _ status: String) async throws {
        let browser = TinyBrowser()
        let (redirect, back) = try await signIn { redirect in
            let here = "127.0.0.1:\(redirect.port ?? 0)"
            let sent = pieces.map { $0.replacingOccurrences(of: "HERE", with: here) }
            let answer = await browser.answer(to: sent, at: redirect.port ?? 0)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(60))")
            #expect(!answer.contains("code=c"))
            await browser.visit(answered(redirect, "?code=right"))
        }
        #expect(back == answered(redirect, "?code=right"))
        #expect(await browser.answers[0].hasPrefix("HTTP/1.1 200 "))
    }

    @Test("Browsers' requests are parsed: in pieces, with their own headers, and up to 16 KiB of them")
    func browsers() async throws {
        for pieces in [
            ["GET /callback?code=c HT", "TP/1.1\r", "\nhost: HERE\r\n\r", "\n"],
            ["GET /callback?code=c HTTP/1.1\r\nHOST:HERE\r\nSec-Fetch-Dest: document\r\nCookie: a=\u{E9}\r\n\r\n"],
            ["GET /callback?code=c HTTP/1.1\r\nHost: HERE\r\nX: ", String(repeating: "x", count: 16_000), "\r\n\r\n"],
            ["GET /callback?code=c HTTP/1.0\r\nHost: HERE\r\n\r\nGET /more HTTP/1.0\r\n\r\n"],
        ] {
            let browser = TinyBrowser()
            let (redirect, back) = try await signIn { redirect in
                let here = "127.0.0.1:\(redirect.port ?? 0)"
                await browser.send(
                    pieces.map { $0.replacingOccurrences(of: "HERE", with: here) }, to: redirect.port ?? 0)
            }
            #expect(back == answered(redirect, "?code=c"))
            #expect(await browser.answers[0].hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("The first answer counts")
    func first() async throws {
        let browser = TinyBrowser()
        let (redirect, back) = try await signIn { redirect in
            _ = await browser.answer(
                to: ["GET /callback?code=1 HTTP/1.1\r\nHost: 127.0.0.1:\(redirect.port ?? 0)\r\n\r\n"],
                at: redirect.port ?? 0)
            await browser.visit(answered(redirect, "?code=2"))
        }
        #expect(back == answered(redirect, "?code=1"))
        _ = await browser.answers
    }

    @Test("Silent connections block no others, however many")
    func idle() async throws {
        let (browser, idle) = (TinyBrowser(), Locked<[Int32]>([]))
        let (redirect, back) = try await signIn { redirect in
            idle.withLock { idle in idle = (0..<40).map { _ in TinyBrowser.connect(redirect.port ?? 0) } }
            await browser.visit(answered(redirect, "?code=c"))
        }
        #expect(back == answered(redirect, "?code=c"))
        #expect(await browser.answers[0].hasPrefix("HTTP/1.1 200 "))
        for connection in idle.withLock({ $0 }) where connection >= 0 { close(connection) }
    }

    @Test("Two concurrent sign-ins have their own ports and responses")
    func two() async throws {
        let browser = TinyBrowser()
        let other = Locked<URL?>(nil)
        async let one = signIn { redirect in
            await until { other.withLock { $0 } != nil }
            await browser.visit(answered(other.withLock { $0 }!, "?code=2"))
            await browser.visit(answered(redirect, "?code=1"))
        }
        async let two = signIn { redirect in other.withLock { $0 = redirect } }
        let (first, second) = try await (one, two)
        #expect(first.back == answered(first.redirect, "?code=1"))
        #expect(second.back == answered(second.redirect, "?code=2"))
        #expect(first.redirect != second.redirect)
        _ = await browser.answers
    }

    @Test("A fixed port and path can be used again and again")
    func given() async throws {
        let browser = TinyBrowser()
        let free = try await signIn { await browser.visit(answered($0, "?code=c")) }.redirect.port ?? 0
        for _ in 0..<2 {
            let (redirect, back) = try await signIn(port: UInt16(free), path: "/a/b%20c") {
                await browser.visit(URL(string: $0.absoluteString + "?code=d")!)
            }
            #expect(redirect.absoluteString == "http://127.0.0.1:\(free)/a/b%20c")
            #expect(back.absoluteString == "http://127.0.0.1:\(free)/a/b%20c?code=d")
        }
        _ = await browser.answers
    }
}
