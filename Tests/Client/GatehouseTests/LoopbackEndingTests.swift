import Foundation
import Gatehouse
import GatehouseDesktop
import Testing

@Suite("A browser sign-in without a response")
struct LoopbackEndingTests {
    private let page = URL(string: "https://p.example/")!

    private func isListening(_ redirect: Locked<URL?>) async -> Bool {
        let port = redirect.withLock { $0 }?.port ?? 0
        return await TinyBrowser().answer(to: ["x\r\n\r\n"], at: port) != "refused"
    }

    @Test("E9: A user who never returns is awaited until the limit; then the listener closes")
    func limit() async throws {
        let (hand, redirect, page) = (HandClock(), Locked<URL?>(nil), page)
        let browser = LoopbackWebAuthentication(clock: hand.clock, open: { _ in })
        let signIn = Task {
            try await browser.authenticate { url in
                redirect.withLock { $0 = url }
                return page
            }
        }
        await until { hand.waitingCount > 0 }
        #expect(await isListening(redirect))
        hand.strike()
        await #expect(throws: AuthClientError.timedOut) { try await signIn.value }
        #expect(await !isListening(redirect))
    }

    @Test("A cancelled task ends the wait at once, with a waiting opener", arguments: [true, false])
    func cancellation(_ openerWaits: Bool) async throws {
        let (hand, redirect, isOpen, page) = (HandClock(), Locked<URL?>(nil), Locked(false), page)
        let browser = LoopbackWebAuthentication(clock: hand.clock) { _ in
            isOpen.withLock { $0 = true }
            if openerWaits { for await _ in AsyncStream<Never>.makeStream().stream {} }
        }
        let signIn = Task {
            try await browser.authenticate { url in
                redirect.withLock { $0 = url }
                return page
            }
        }
        await until { isOpen.withLock { $0 } }
        #expect(await isListening(redirect))
        signIn.cancel()
        await #expect(throws: CancellationError.self) { try await signIn.value }
        #expect(await !isListening(redirect))
    }

    @Test("A browser that does not open, and an invalid URL, end it")
    func noBrowser() async throws {
        let (redirect, page) = (Locked<URL?>(nil), page)
        let broken = LoopbackWebAuthentication(clock: HandClock().clock) { _ in
            throw AuthClientError.couldNotOpenBrowser
        }
        await #expect(throws: AuthClientError.couldNotOpenBrowser) {
            try await broken.authenticate { url in
                redirect.withLock { $0 = url }
                return page
            }
        }
        #expect(await !isListening(redirect))
        let unopened = LoopbackWebAuthentication(clock: HandClock().clock) { _ in Issue.record("it was opened") }
        await #expect(throws: AuthClientError.offline(.status(503))) {
            try await unopened.authenticate { url in
                redirect.withLock { $0 = url }
                throw AuthClientError.offline(.status(503))
            }
        }
        #expect(await !isListening(redirect))
    }

    @Test("A taken port is reported with the system's error number")
    func taken() async throws {
        let (redirect, hand, page) = (Locked<URL?>(nil), HandClock(), page)
        let browser = LoopbackWebAuthentication(clock: hand.clock, open: { _ in })
        let first = Task {
            try await browser.authenticate { url in
                redirect.withLock { $0 = url }
                return page
            }
        }
        await until { hand.waitingCount > 0 }
        let port = UInt16(redirect.withLock { $0 }?.port ?? 0)
        await #expect(throws: AuthClientError.couldNotListen(EADDRINUSE)) {
            try await LoopbackWebAuthentication(port: port, open: { _ in }).authenticate { _ in page }
        }
        hand.strike()
        await #expect(throws: AuthClientError.timedOut) { try await first.value }
    }

    @Test(
        "A path that would not return unchanged is refused",
        arguments: ["", "callback", "/a?b", "/a#b", "/a b", "/é"])
    func paths(_ path: String) async throws {
        let browser = LoopbackWebAuthentication(path: path, open: { _ in Issue.record("it was opened") })
        await #expect(throws: AuthClientError.couldNotOpenBrowser) {
            try await browser.authenticate { [page] _ in page }
        }
    }

    @Test(
        "The system's browser gets the URL as one argument; a failing or missing program is reported",
        arguments: [
            ("echo \"$#:$1\" > \"$HOME/opened\"", true), ("exit 3", false), ("kill -9 $$", false), (nil, false),
        ])
    func systemBrowser(_ script: String?, _ works: Bool) async throws {
        try await TestFolder.with { folder in
            for name in ["xdg-open", "open"] {
                if let script { try await folder.install("#!/bin/sh\n\(script)\n", as: name) }
            }
            let open = SystemDefaults.browser(
                environment: ["PATH": folder.path, "HOME": folder.path], clock: HandClock().clock)
            let address = URL(string: "https://p.example/a?x=$(id)&y='%20;z")!
            if works {
                try await open(address)
                #expect(try folder.text("opened") == "1:\(address.absoluteString)\n")
            } else {
                await #expect(throws: AuthClientError.couldNotOpenBrowser) { try await open(address) }
            }
            await #expect(throws: AuthClientError.couldNotOpenBrowser) {
                try await open(URL(string: "file:///etc/hosts")!)
            }
        }
    }

    @Test("A browser that keeps running is not awaited and not ended")
    func runningBrowser() async throws {
        try await TestFolder.with { folder in
            try #require(mkfifo(folder.below("closes"), 0o600) == 0)
            for name in ["xdg-open", "open"] {
                let script =
                    "#!/bin/sh\necho x > \"$HOME/opened\"\nread line < \"$HOME/closes\"\necho y > \"$HOME/closed\"\n"
                try await folder.install(script, as: name)
            }
            let hand = HandClock()
            let open = SystemDefaults.browser(
                environment: ["PATH": folder.path + ":/bin", "HOME": folder.path], clock: hand.clock)
            let opening = Task { try await open(page) }
            await until { FileManager.default.fileExists(atPath: folder.below("opened")) && hand.waitingCount > 0 }
            hand.strike()
            try await opening.value
            try Data("go\n".utf8).write(to: URL(fileURLWithPath: folder.below("closes")))
            await until { FileManager.default.fileExists(atPath: folder.below("closed")) }
        }
    }
}
