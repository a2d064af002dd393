import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Texts of the app's own", .timeLimit(.minutes(5)))
struct OwnTextsTests {
    private static let wrong = "Incorrect email or password. Please try again."

    /// An app's bundle: its string catalogue has "Try Again".
    private static let bundle = Bundle(
        url: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Apps/DailyRitual/Screens"))

    /// The email screen after a sign-in with a wrong password.
    private static func world(_ branding: Branding) async throws -> Screen {
        let service = InMemoryAuthService()
        let manager = service.makeManager()
        let screen = Screen(EmailAuthView(mode: .signIn).gatehouse(manager, branding: branding, browser: nil))
        await manager.wait { $0.phase != .restoring && !$0.isLoading }
        await screen.settle()
        service.meet(.wrongCredentials, at: .signIn)
        try await screen.type("ada@example.com", into: "Email")
        try await screen.type(Fixtures.password, into: "Password")
        try await screen.tap("submit")
        try await screen.wait { !$0.announcements.isEmpty }
        return screen
    }

    @Test("An app replaces a text of a screen, in each of its languages")
    func replaced() async throws {
        let bundle = try #require(Self.bundle)
        let screen = try await Self.world(Branding(texts: [Self.wrong: "Try Again"], bundle: bundle))
        #expect(screen.shows("Try Again") && !screen.shows(Self.wrong))
        screen.settings.locale = Locale(identifier: "de")
        #expect(screen.shows("Erneut versuchen"))
    }

    @Test("A text without a catalogue is shown and announced as it is")
    func verbatim() async throws {
        let screen = try await Self.world(Branding(texts: [Self.wrong: "That is not your password."]))
        #expect(screen.shows("That is not your password."))
        #expect(screen.announcements == ["That is not your password."])
    }

    @Test("Other texts stay as they are")
    func absent() async throws {
        let branding = Branding(texts: ["Please enter your name.": "Try Again"], bundle: try #require(Self.bundle))
        let (screen, plain) = (try await Self.world(branding), try await Self.world(Branding()))
        #expect(screen.shows(Self.wrong))
        for language in ["en", "de"] {
            screen.settings.locale = Locale(identifier: language)
            plain.settings.locale = Locale(identifier: language)
            #expect(screen.texts == plain.texts)
        }
    }

    @Test("A replaced text keeps its values")
    func values() {
        let weak = AuthError.weakPassword(WeakPassword(reasons: [.length], minimumLength: 12)).content
        let own = weak.replaced(by: ["Password must be at least %@ characters.": "Use %@ characters or more."])
        #expect(own?.english == "Use 12 characters or more.")
        #expect(weak.replaced(by: [:]) == nil)
    }
}
