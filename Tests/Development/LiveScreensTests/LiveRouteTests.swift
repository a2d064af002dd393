import GatehouseWire
import HTTPTypes
import ScreenDriver
import Testing

@testable import LiveScreens

@MainActor @Suite("The app in a browser: access", .timeLimit(.minutes(5)))
struct LiveRouteTests {
    private static let someone = String(repeating: "0", count: 32)

    @Test("The page runs only its own script and cannot be framed")
    func page() async throws {
        try await LiveWorld.with { world in
            let page = try await world.send(.get, "/app")
            #expect(page.status == 200)
            let policy = page.headers[HTTPField.Name("content-security-policy")!] ?? ""
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            let text = try await page.text()
            #expect(!text.contains("style=") && !text.contains("<style") && text.contains("/app/app.js"))
            for file in ["/app/app.js", "/app/app.css", "/app/close.js"] {
                #expect(try await world.send(.get, file).status == 200)
            }
        }
    }

    @Test("The page's style names fonts that the server has, and no other file")
    func fonts() async throws {
        try await LiveWorld.with { world in
            let style = try await world.send(.get, "/app/app.css").text()
            let fonts = style.matches(of: #/url\(([^)]*)\)/#).map { String($0.output.1) }
            #expect(fonts.count == 4)
            for font in fonts {
                let answer = try await world.send(.get, font)
                #expect(answer.status == 200 && answer.headers[.contentType] == "font/woff2", "\(font)")
                #expect(try await answer.text().hasPrefix("wOF2"))
            }
            for other in ["OFL.txt", "README.md", "..%2Fapp.css", "Inter.woff2"] {
                #expect(try await world.send(.get, "/app/fonts/\(other)").status == 404)
            }
        }
    }

    @Test("Each app has a page of its own, which leads to the others")
    func apps() async throws {
        try await LiveWorld.with { world in
            for app in ReferenceApp.allCases {
                let page = try await world.send(.get, "/app" + app.path).text()
                #expect(page.contains("<h1>\(app.rawValue)</h1>") && !page.contains("{{"))
                #expect(page.contains("<a href=\"/app\(app.path)\" aria-current=\"page\">"))
                for other in ReferenceApp.allCases { #expect(page.contains("<a href=\"/app\(other.path)\"")) }
                let name = try await world.send(.get, "/app" + app.path, host: "localhost:9999")
                #expect(name.headers[.location] == LiveWorld.origin + "/app" + app.path)
            }
        }
    }

    @Test("A request under another name is redirected to the one of the cookie")
    func otherName() async throws {
        try await LiveWorld.with { world in
            let answer = try await world.send(.get, "/app", host: "localhost:9999")
            #expect(answer.status == 302 && answer.headers[.location] == LiveWorld.origin + "/app")
        }
    }

    @Test("A browser without a phone gets one, with a cookie that scripts and other sites cannot use")
    func firstVisit() async throws {
        try await LiveWorld.with { world in
            let answer = try await world.send(.get, "/app/events", origin: LiveWorld.origin)
            let cookie = try #require(answer.headers[.setCookie])
            #expect(
                cookie.hasPrefix(LiveWorld.cookie + "=") && cookie.hasSuffix("; Path=/app; HttpOnly; SameSite=Strict"))
            let text = try await answer.text(events: 1)
            #expect(text.contains("event: screen\ndata: {") && world.app.phones.count == 1)
            let name = String(cookie.dropFirst(LiveWorld.cookie.count + 1).prefix(32))
            let again = try await world.send(.get, "/app/events", phone: name)
            #expect(again.headers[.setCookie] == nil && world.app.phones.count == 1)
        }
    }

    @Test("Pages of other origins see and do nothing, under any name of the port")
    func foreignOrigin() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            let tap = AuthJSON.object(["kind": "restart"])
            for (method, path) in [(HTTPRequest.Method.post, "/app/actions"), (.get, "/app/events")] {
                let origin = try await world.send(method, path, phone: phone.name, origin: "http://evil.example", tap)
                let site = try await world.send(method, path, phone: phone.name, site: "cross-site", tap)
                let host = try await world.send(method, path, phone: phone.name, host: "evil.example:9999", tap)
                #expect([origin.status, site.status, host.status] == [403, 403, 403])
            }
            let callback = try await world.send(.get, "/app/callback/\(phone.ticket)", host: "evil.example:9999")
            #expect(callback.status == 403)
            #expect(world.app.phones.count == 1)
        }
    }

    @Test("Actions of a removed phone are refused, and so are unknown actions")
    func refusals() async throws {
        try await LiveWorld.with { world in
            let gone = try await world.send(
                .post, "/app/actions", phone: Self.someone, origin: LiveWorld.origin, ["kind": "dismiss"])
            #expect(gone.status == 410)
            #expect(try await world.send(.post, "/app/actions", phone: "../..", ["kind": "dismiss"]).status == 410)
            let phone = try await world.phone()
            for (kind, members) in [
                ("jump", [:]), ("type", ["id": "e1"]), ("set", ["name": "language", "value": "tlh"]),
                ("set", ["name": "colour", "value": "red"]),
                ("type", ["id": "e1", "text": String(repeating: "x", count: LiveApp.longestText + 1)]),
            ] {
                #expect(try await world.act(phone, kind, members).status == 400)
            }
            let long = String(repeating: "x", count: 100_000)
            #expect(try await world.act(phone, "type", ["text": long]).status == 400)
        }
    }

    @Test("A tap on a removed element does nothing, and the screen is sent again")
    func unknownElement() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            let (before, revision) = (phone.screen.snapshot(), phone.frame.revision)
            #expect(try await world.act(phone, "tap", ["id": "e999999"]).status == 409)
            #expect(phone.screen.snapshot() == before && phone.frame.revision > revision)
            try await world.tap(phone, "Sign in")
            try await world.tap(phone, "Create Account")
            // The form is empty, so the button is disabled.
            let submit = try phone.screen.id(of: "submit")
            #expect(try await world.act(phone, "tap", ["id": submit]).status == 409)
        }
    }

    @Test("There are at most sixteen phones: the one idle for longest makes room")
    func bounded() async throws {
        try await LiveWorld.with { world in
            let names = (0...Phones.limit).map { String(repeating: "0", count: 30) + String($0 + 10) }
            for name in names.dropLast() { _ = try world.app.phones.open(name, .boxScore) }
            _ = world.app.phones.phone(names[0], .boxScore)
            _ = try world.app.phones.open(names[Phones.limit], .boxScore)
            #expect(world.app.phones.count == Phones.limit)
            #expect(
                world.app.phones.phone(names[0], .boxScore) != nil && world.app.phones.phone(names[1], .boxScore) == nil
            )
        }
    }

    @Test("A slow viewer gets only the newest screen, and an unchanged one not again")
    func newestOnly() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            let wakes = phone.watch().wakes
            var wake = wakes.makeAsyncIterator()
            _ = await wake.next()
            let seen = phone.frame.revision
            for value in ["de", "ja", "es"] {
                #expect(try await world.act(phone, "set", ["name": "language", "value": value]).status == 200)
            }
            #expect(phone.frame.revision >= seen + 3)
            // One call for all three, and none after that until the phone is removed.
            _ = await wake.next()
            world.app.phones.forget(phone)
            #expect(await wake.next() == nil)
            let other = try await world.phone()
            for value in ["de", "es"] { _ = try await world.act(other, "set", ["name": "language", "value": value]) }
            let text = try await world.send(.get, "/app/events", phone: other.name).text(events: 1)
            #expect(text.contains(#""language":"es""#) && !text.contains(#""language":"de""#))
        }
    }

    @Test("A phone is in at most four windows: the oldest is told that it moved, and does not return by itself")
    func moved() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            let text = try await world.send(.get, "/app/events", phone: phone.name).text {
                for _ in 0..<Phone.maximumWatchers { _ = phone.watch() }
            }
            #expect(text.contains("event: screen\n") && text.hasSuffix("event: moved\ndata: elsewhere\n\n"))
        }
    }

    @Test("A new window probes the others, so a closed window makes room before an open one")
    func flushed() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            var wakes = phone.watch().wakes.makeAsyncIterator()
            #expect(await wakes.next() == .look)
            let other = phone.watch().number
            #expect(await wakes.next() == .look)
            // Windows that close by themselves need no room.
            phone.unwatch(other)
            for _ in 1..<Phone.maximumWatchers { _ = phone.watch() }
            #expect(await wakes.next() == .look)
            _ = phone.watch()
            #expect(await wakes.next() == .moved)
            #expect(await wakes.next() == nil)
        }
    }
}
