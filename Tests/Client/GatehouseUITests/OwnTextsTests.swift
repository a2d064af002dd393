import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

private struct OwnSignIn: View {
    let account: AuthManager
    @State private var screen: LoginModel

    init(account: AuthManager) {
        self.account = account
        _screen = State(initialValue: LoginModel(manager: account))
    }

    var body: some View {
        VStack {
            TextField("Email", text: $screen.form.email)
            if let message = screen.message { Text(message.localized) }
            Button("Sign In") { screen.submit(password: Fixtures.password) }
            Text(ModelText("Sign in with %@", "Google").localized)
            if let failure = account.error { Text(failure.localizedDescription) }
        }
    }
}

@MainActor @Suite("Texts of the app's own", .timeLimit(.minutes(5)))
struct OwnTextsTests {
    private static let wrong = "Incorrect email or password. Please try again."

    /// With a string catalogue `Gatehouse` in the app's main bundle.
    private static func phone(_ language: String, rewords: Bool = true) throws -> Screen.Settings {
        var settings = Screen.Settings(locale: Locale(identifier: language))
        guard rewords else { return settings }
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Wording")
        settings.mainBundle = try #require(Bundle(url: folder))
        return settings
    }

    /// After a sign-in with a wrong password.
    private static func ownScreen(_ settings: Screen.Settings) async throws -> Screen {
        let service = InMemoryAuthService()
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated && !$0.isLoading }
        let screen = Screen(OwnSignIn(account: manager), settings: settings)
        service.meet(.wrongCredentials, at: .signIn)
        try await screen.type("ada@example.com", into: "Email")
        try await screen.tap("Sign In")
        await manager.wait { !$0.isLoading }
        manager.error = .forbidden
        await screen.settle()
        return screen
    }

    @Test("A screen of the app's own is in the phone's language")
    func ownScreens() async throws {
        let german = try await Self.ownScreen(try Self.phone("de", rewords: false))
        for text in [
            "E-Mail oder Passwort ist falsch. Bitte versuche es noch einmal.", "Mit Google anmelden",
            "Dazu hast du keine Berechtigung.",
        ] { #expect(german.shows(text), "\(german.texts)") }
        german.settings.locale = Locale(identifier: "en")
        for text in [Self.wrong, "Sign in with Google", "You don't have permission to do that."] {
            #expect(german.shows(text), "\(german.texts)")
        }
    }

    @Test("The app's wording replaces texts on a screen of its own")
    func ownWording() async throws {
        let screen = try await Self.ownScreen(try Self.phone("de"))
        #expect(screen.shows("Das ist nicht dein Passwort.") && screen.shows("Weiter mit Google"))
    }

    @Test(
        "The app's wording replaces titles, buttons and messages of the screens, in each of its languages",
        arguments: [
            ("en", ["Join", "Just Look Around", "Go on with Google", "That is not your password."]),
            ("de", ["Mitmachen", "Nur umsehen", "Weiter mit Google", "Das ist nicht dein Passwort."]),
        ])
    func screens(_ language: String, _ texts: [String]) async throws {
        let world = await World(settings: try Self.phone(language))
        try await world.screen.tap(try #require(world.screen.buttons.last))
        for button in texts.prefix(3) { #expect(world.screen.has(button: button), "\(world.screen.snapshot())") }
        try await world.screen.tap(texts[0])
        #expect(world.screen.title == texts[0], "\(world.screen.snapshot())")
        try await world.screen.goBack()
        try await world.screen.tap(language == "en" ? "Sign in with Email" : "Mit E-Mail anmelden")
        world.service.meet(.wrongCredentials, at: .signIn)
        try await world.screen.type("ada@example.com", into: language == "en" ? "Email" : "E-Mail")
        try await world.screen.type(Fixtures.password, into: language == "en" ? "Password" : "Passwort")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: texts[3])
        #expect(world.screen.announcements.last == texts[3])
    }

    @Test("Texts that the app does not reword stay as they are")
    func absent() async throws {
        for (language, button) in [("en", "Sign in with Email"), ("de", "Mit E-Mail anmelden")] {
            let world = await World(settings: try Self.phone(language))
            try await world.screen.tap(try #require(world.screen.buttons.last))
            #expect(world.screen.has(button: button), "\(world.screen.snapshot())")
        }
    }

    @Test(
        "A number has the plural form of its language, with its value in place",
        arguments: [
            ("ar", 1, "يجب أن تتكون كلمة المرور من حرف واحد على الأقل."),
            ("ar", 2, "يجب أن تتكون كلمة المرور من حرفين على الأقل."),
            ("ar", 6, "يجب أن تتكون كلمة المرور من 6 أحرف على الأقل."),
            ("ar", 12, "يجب أن تتكون كلمة المرور من 12 حرفًا على الأقل."),
            ("ar", 100, "يجب أن تتكون كلمة المرور من 100 حرف على الأقل."),
            ("de", 12, "Das Passwort muss mindestens 12 Zeichen haben."),
            ("en", 12, "Password must be at least 12 characters."),
        ])
    func plurals(_ language: String, _ length: Int, _ text: String) throws {
        let weak = AuthError.weakPassword(AuthWeakPassword(reasons: [.length], minimumLength: length)).content
        #expect(Phone.$language.withValue(Locale(identifier: language)) { weak.localized } == text)
    }

    @Test("The app's wording has plural forms of its own")
    func ownPlurals() throws {
        let bundle = try Self.phone("en").mainBundle
        for (length, text) in [(1, "One character will do."), (12, "Use 12 characters or more.")] {
            let weak = AuthError.weakPassword(AuthWeakPassword(reasons: [.length], minimumLength: length)).content
            let localized = Phone.$app.withValue(bundle) {
                Phone.$language.withValue(Locale(identifier: "en")) { weak.localized }
            }
            #expect(localized == text)
        }
    }

    @Test("A screen shows a number's plural form")
    func pluralOnScreen() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.minimumPasswordLength = 12
        let world = await World(service, settings: Screen.Settings(locale: Locale(identifier: "ar")))
        try await world.screen.tap(try #require(world.screen.buttons.last))
        try await world.screen.tap("إنشاء حساب")
        try await world.screen.type("elevenchars", into: "كلمة المرور")
        try await world.screen.wait(for: "يجب أن تتكون كلمة المرور من 12 حرفًا على الأقل.")
    }

    @Test("A text in no catalogue is itself, and one with too few values keeps its order")
    func unknown() {
        #expect(ModelText("Of the app's own: %@", "x").localized == "Of the app's own: x")
        #expect(ModelText("%@ and %@", "a").english == "a and ")
        #expect(ModelText("%lld of %@", "3", "b").english == "3 of b")
    }
}
