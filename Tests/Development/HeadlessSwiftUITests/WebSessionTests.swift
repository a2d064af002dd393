import AuthenticationServices
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("A browser sheet without a view", .timeLimit(.minutes(5)))
struct WebSessionTests {
    private let device = ScriptedDevice()
    private let start = URL(string: "https://id.example.com/authorize") ?? URL(filePath: "/")
    private let back = URL(string: "com.example.app://callback?code=1") ?? URL(filePath: "/")

    /// The calls of a handler, in order.
    private final class Answers {
        var all: [String] = []

        func add(_ url: URL?, _ error: (any Error)?) {
            let code = (error as? ASWebAuthenticationSessionError)?.code
            all.append(url?.absoluteString ?? code.map { "\($0)" } ?? "another error")
        }
    }

    private final class Provider: NSObject, ASWebAuthenticationPresentationContextProviding {
        let window: ASPresentationAnchor
        init(_ window: ASPresentationAnchor) { self.window = window }
        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }
    }

    private func session(_ answers: Answers, _ provider: Provider?) -> ASWebAuthenticationSession {
        let session = ASWebAuthenticationSession(url: start, callbackURLScheme: "com.example.app") {
            answers.add($0, $1)
        }
        session.presentationContextProvider = provider
        return session
    }

    private func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

    @Test("The handler gets the returned URL once; a session starts once")
    func comesBack() async {
        let (answers, provider) = (Answers(), Provider(device.window))
        device.browser = { [back, start] address, scheme in
            #expect(address == start && scheme == "com.example.app")
            return back
        }
        let session = session(answers, provider)
        #expect(session.canStart)
        #expect(session.start())
        #expect(!session.canStart && !session.start())
        await until { !answers.all.isEmpty }
        #expect(answers.all == [back.absoluteString])
        #expect(!session.start())
    }

    @Test("Closing the sheet cancels")
    func closes() async {
        let (answers, provider) = (Answers(), Provider(device.window))
        #expect(session(answers, provider).start())
        await until { !answers.all.isEmpty }
        #expect(answers.all == ["canceledLogin"])
    }

    @Test("Without a window provider no session starts, and the handler gets the reason")
    func noWindow() {
        let answers = Answers()
        let session = session(answers, nil)
        #expect(!session.canStart)
        #expect(!session.start())
        #expect(answers.all == ["presentationContextNotProvided"])
    }

    @Test("The provider is not kept")
    func weakProvider() {
        let session = session(Answers(), Provider(device.window))
        #expect(session.presentationContextProvider == nil)
    }

    @Test("A sheet that the app cancels sends nothing more and does not return")
    func cancels() async {
        let (answers, provider) = (Answers(), Provider(device.window))
        var continuation: CheckedContinuation<Void, Never>?
        var isOver = false
        device.browser = { [back] _, _ in
            await withCheckedContinuation { continuation = $0 }
            isOver = true
            return back
        }
        let session = session(answers, provider)
        #expect(session.start())
        await until { continuation != nil }
        session.cancel()
        session.cancel()
        continuation?.resume()
        await until { isOver }
        for _ in 0..<20 { await Task.yield() }
        #expect(answers.all.isEmpty)
        #expect(!session.canStart && !session.start())
    }

    @Test("A sheet in an unknown window is closed for every device")
    func otherWindow() async {
        let (answers, provider) = (Answers(), Provider(UIWindow()))
        #expect(session(answers, provider).start())
        await until { !answers.all.isEmpty }
        #expect(answers.all == ["canceledLogin"])
    }
}
