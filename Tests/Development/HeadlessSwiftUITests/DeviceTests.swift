import AuthenticationServices
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("The scripted device")
struct DeviceTests {
    private let ada = ScriptedDevice.Person(id: "ada", email: "ada@example.com", givenName: "Ada") {
        "token \($0 ?? "")"
    }

    @Test("A user signs in: the nonce is in the token, name and address come the first time only")
    func signsIn() async throws {
        let screen = Screen(AppleScreen(), device: ScriptedDevice(.signsIn(ada)))
        try await screen.tap("Sign in with Apple")
        try await screen.wait(for: "ada token nonce Ada ada@example.com")
        try await screen.tap("Sign in with Apple")
        try await screen.wait(for: "ada token nonce - -")
        #expect(screen.device.requests.count == 2)
        #expect(screen.device.requests.first?.scopes == ["full_name", "email"])
    }

    @Test(
        "Cancelled, failed and offline are distinguished",
        arguments: [
            (ScriptedDevice.Step.cancels, "cancelled"), (.fails, "failed"), (.isOffline, "offline"),
        ])
    func fails(_ step: ScriptedDevice.Step, _ text: String) async throws {
        let screen = Screen(AppleScreen(), device: ScriptedDevice(step))
        try await screen.tap("Sign in with Apple")
        try await screen.wait(for: text)
    }

    @Test("A sheet stays open until the test lets the user act")
    func hold() async throws {
        let screen = Screen(AppleScreen(), device: ScriptedDevice(.signsIn(ada)))
        screen.device.hold()
        try await screen.tap("Sign in with Apple")
        try await screen.wait { $0.device.heldCount == 1 }
        #expect(screen.shows("nobody"))
        screen.device.release()
        try await screen.wait { !$0.shows("nobody") }
    }

    @Test("A disabled button shows no sheet, and its title is in the reader's language")
    func button() async throws {
        let settings = Screen.Settings(locale: Locale(identifier: "de"))
        let screen = Screen(AppleScreen().disabled(true), settings: settings)
        await #expect(throws: ScreenError.self) { try await screen.tap("Mit Apple anmelden") }
        #expect(screen.device.requests.isEmpty)
    }

    @Test("The share sheet gets the text")
    func share() async throws {
        let screen = Screen(ShareLink(item: "A text") { Text(verbatim: "Share") })
        try await screen.tap("Share")
        #expect(screen.device.sharedTexts == ["A text"])
    }

    @Test("The browser sheet returns the scripted URL, or is cancelled")
    func browser() async throws {
        let screen = Screen(BrowserScreen())
        try await screen.tap("Browse")
        try await screen.wait(for: "cancelled")
        screen.device.browser = { address, scheme in
            #expect(address.host() == "id.example.com")
            return try #require(URL(string: "\(scheme)://callback?code=1"))
        }
        try await screen.tap("Browse")
        try await screen.wait(for: "com.example.app://callback?code=1")
    }
}

private struct AppleScreen: View {
    @State private var text = "nobody"

    var body: some View {
        SignInWithAppleButton(.signIn) { request in
            request.requestedScopes = [.fullName, .email]
            request.nonce = "nonce"
        } onCompletion: { result in
            switch result {
            case .success(let authorization): text = describe(authorization)
            case .failure(let error as ASAuthorizationError): text = error.code == .canceled ? "cancelled" : "failed"
            case .failure: text = "offline"
            }
        }
        .signInWithAppleButtonStyle(.black)
        .frame(height: 50)
        Text(text)
    }

    private func describe(_ authorization: ASAuthorization) -> String {
        guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
            let token = credential.identityToken.map({ String(decoding: $0, as: UTF8.self) })
        else { return "no credential" }
        return [credential.user, token, credential.fullName?.givenName ?? "-", credential.email ?? "-"]
            .joined(separator: " ")
    }
}

private struct BrowserScreen: View {
    @Environment(\.webAuthenticationSession) private var session
    @State private var attempt = 0
    @State private var text = ""

    var body: some View {
        VStack {
            Button("Browse") { attempt += 1 }
            Text(text)
        }
        .task(id: attempt) {
            guard attempt > 0, let url = URL(string: "https://id.example.com/authorize") else { return }
            do {
                text = try await session.authenticate(using: url, callbackURLScheme: "com.example.app").absoluteString
            } catch {
                text = "cancelled"
            }
        }
    }
}
