import Foundation
import ScreenDriver
import SwiftUI
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Accessibility: VoiceOver, languages, text sizes")
    struct AccessTests {
        private struct Texts {
            private let catalogs: [StringCatalog]
            let locale: Locale

            init(_ language: String) throws {
                let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
                catalogs = try ["Sources/Client/GatehouseModel/Resources", "Apps/BoxScore/Screens"].map { folder in
                    try StringCatalog(Data(contentsOf: root.appending(path: "\(folder)/Localizable.xcstrings")))
                }
                locale = Locale(identifier: language)
            }

            func callAsFunction(_ key: String) -> String {
                catalogs.lazy.compactMap { $0.text(for: key, in: locale) }.first ?? key
            }

            /// Another language must not show them.
            var english: Set<String> {
                Set(catalogs.flatMap(\.keys).filter { key in self(key) != key })
            }
        }

        // Criteria: 002.27
        @Test("002, E11: VoiceOver describes what each sign-in method does")
        func voiceOver() async throws {
            try await World.with { world in
                try await world.openLogin()
                for (button, hint) in [
                    ("Sign in with Apple", "Signs you in with your Apple Account."),
                    ("Sign in with Google", "Signs you in with your Google account."),
                ] {
                    #expect(try world.screen.hint(of: button) == hint)
                }
                #expect(world.screen.has(button: "Close"))
                #expect(!world.screen.shows("or"), "VoiceOver does not stop at the line")
            }
        }

        // Criteria: 002.28
        @Test("002, E11: an error is announced at once and gets VoiceOver's focus, on every screen that signs in")
        func announced() async throws {
            try await World.with { world in
                world.network.isOffline = true
                try await world.signIn(with: "Apple")
                let first = "No internet connection. Please try again."
                try await world.screen.wait(for: first)
                #expect(world.screen.announcements == [first] && world.screen.spokenFocus == first)
                try await world.screen.tap("Sign in with Email")
                try await world.screen.type("ada@example.com", into: "Email")
                try await world.screen.type(World.password, into: "Password")
                try await world.screen.tap("submit")
                let second = "Unable to connect. Check your internet and try again."
                try await world.screen.wait(for: second)
                #expect(world.screen.announcements == [first, second] && world.screen.spokenFocus == second)
            }
        }

        // Criteria: 002.29
        @Test(
            "002, E11: in every language a user signs in after a mistake, and no English text appears",
            arguments: ["es", "de", "ja", "ar"])
        func languages(_ language: String) async throws {
            let text = try Texts(language)
            try await World.with(settings: Screen.Settings(locale: text.locale)) { world in
                @MainActor func check() {
                    let shown = world.screen.texts + world.screen.buttons + world.screen.fields
                    #expect(text.english.isDisjoint(with: shown), "\(world.screen.snapshot())")
                }
                try await world.addAccount()
                check()
                try await world.screen.tap(text("Sign in"))
                check()
                try await world.screen.tap(text("Sign in with Email"))
                try await world.screen.type("ada@example.com", into: text("Email"))
                try await world.screen.type("wrong password", into: text("Password"))
                try await world.screen.tap("submit")
                try await world.screen.wait(for: text("Incorrect email or password. Please try again."))
                check()
                try await world.screen.type(World.password, into: text("Password"))
                try await world.screen.tap("submit")
                try await world.screen.wait { $0.presentations.isEmpty && $0.has(button: text("Your profile")) }
                check()
                try await world.screen.tap(text("Your profile"))
                try await world.screen.wait { $0.title == text("Profile") }
                check()
                try await world.screen.tap(text("Delete Account"))
                #expect(
                    world.screen.shows(
                        text("This will permanently delete your account and all your data. This cannot be undone.")))
                check()
            }
        }

        // Criteria: 002.29
        @Test("002, E11: a change of language shows at once, and typed text stays")
        func languageSwitch() async throws {
            let german = try Texts("de")
            try await World.with { world in
                try await world.addAccount()
                try await world.typeSignIn("ada@example.com", "wrong password")
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Incorrect email or password. Please try again.")
                world.screen.settings.locale = german.locale
                #expect(world.screen.shows(german("Incorrect email or password. Please try again.")))
                #expect(world.screen.title == german("Sign In"))
                #expect(try world.screen.value(of: german("Email")) == "ada@example.com")
                try await world.screen.type(World.password, into: german("Password"))
                world.screen.settings.locale = Locale(identifier: "en")
                #expect(world.screen.title == "Sign In")
                try await world.screen.tap("submit")
                try await world.waitForUser()
            }
        }

        // Criteria: 002.29
        @Test(
            "002, E11: with the largest text, dark and right to left, an account is created, used and left",
            arguments: [
                Screen.Settings(dynamicTypeSize: .accessibility5), Screen.Settings(colorScheme: .dark),
                Screen.Settings(layoutDirection: .rightToLeft),
            ])
        func settings(_ settings: Screen.Settings) async throws {
            try await World.with(settings: settings) { world in
                try await world.openLogin()
                #expect(
                    world.screen.buttons == [
                        "Close", "Sign in with Apple", "Sign in with Google", "Sign in with Email", "Create Account",
                        "Continue as Guest",
                    ])
                try await world.screen.tap("Close")
                try await world.typeSignUp()
                try await world.screen.tap("submit")
                try await world.waitForUser()
                try await world.openProfile()
                #expect(world.screen.shows("Ada, ada@example.com"))
                try await world.screen.tap("Delete Account")
                try await world.screen.tap("Delete Account")
                try await world.waitForGuest()
            }
        }
    }
}
