import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("The app's own look of the screens", .timeLimit(.minutes(5)))
struct ThemeTests {
    nonisolated private static let white = "rgb(255 255 255 / 1.0)"
    nonisolated private static let black = "rgb(0 0 0 / 1.0)"

    private func screen(
        _ view: some View = LoginView(), _ branding: Branding = Branding(name: "Harbour"),
        _ settings: Screen.Settings = Screen.Settings(), service: InMemoryAuthService = InMemoryAuthService()
    ) async -> Screen {
        let manager = service.makeManager()
        let sheet = ScriptedProviderSheet()
        let screen = Screen(
            view.gatehouse(manager, branding: branding, browser: sheet, passkeys: ScriptedPasskeys()),
            settings: settings)
        await manager.wait { $0.phase != .restoring && !$0.isLoading }
        await screen.settle()
        return screen
    }

    @Test(
        "Text on the accent is legible, in light and dark appearance",
        arguments: [
            (Color(red: 1, green: 0.8, blue: 0), black), (Color(red: 0.3, green: 0.2, blue: 0.6), white),
        ], [ColorScheme.light, .dark])
    func accent(_ accent: (Color, String), _ scheme: ColorScheme) async throws {
        let settings = Screen.Settings(colorScheme: scheme)
        let branding = Branding(accent: accent.0)
        let form = await screen(EmailAuthView(mode: .signIn), branding, settings)
        #expect(try form.look(of: "submit").text == accent.1)
        let home = await screen(ProfileButton {}, branding, settings, service: .signedIn())
        #expect(try home.look(of: "Your profile").text == accent.1)
        let profile = await screen(ProfileView(), branding, settings, service: .signedIn())
        let page = try HTMLPage().text(of: profile)
        #expect(page.contains("color:\(accent.1)"))
    }

    @Test(
        "White on the default accent is legible, in light and dark appearance", arguments: [ColorScheme.light, .dark])
    func usual(_ scheme: ColorScheme) async throws {
        let form = await screen(EmailAuthView(mode: .signIn), Branding(), Screen.Settings(colorScheme: scheme))
        #expect(try form.look(of: "submit").text == Self.white)
    }

    @Test("An app chooses the colour of text on the accent")
    func ownText() async throws {
        let (night, cream) = (Color(red: 0.1, green: 0, blue: 0.3), Color(red: 1, green: 0.9, blue: 0.8))
        let branding = Branding(accent: night, theme: Theme(onAccent: cream))
        let form = await screen(EmailAuthView(mode: .signIn), branding)
        #expect(try form.look(of: "submit").text == "rgb(255 230 204 / 1.0)")
    }

    @Test("Headings, texts and buttons have the app's fonts, which grow with the text size of the device")
    func fonts() async throws {
        let theme = Theme(titleFont: "Didot", bodyFont: "Avenir", buttonFont: "Futura")
        let branding = Branding(name: "Harbour", tagline: "Keep your days.", theme: theme)
        let screen = await screen(LoginView(), branding)
        let normal = try screen.look(of: "Harbour").size ?? 0
        #expect(try screen.look(of: "Harbour").family == "'Didot'")
        #expect(try screen.look(of: "Keep your days.").family == "'Avenir'")
        #expect(try screen.look(of: "Sign in with Google").family == "'Futura'")
        #expect(try screen.look(of: "Sign in with Apple").family == nil, "Apple's own")
        screen.settings.dynamicTypeSize = .accessibility3
        await screen.settle()
        #expect(try screen.look(of: "Harbour").size ?? 0 > normal)
        screen.settings.dynamicTypeSize = .large
        try await screen.tap("Sign in with Email")
        #expect(try screen.look(of: "Forgot password?").family == "'Avenir'", "on a pushed screen too")
    }

    @Test("The app's fonts have the system's sizes")
    func sizes() async throws {
        let theme = Theme(titleFont: "Didot", bodyFont: "Avenir", buttonFont: "Futura")
        for view in [AnyView(LoginView()), AnyView(SecurityView()), AnyView(ProfileView())] {
            let own = await screen(view, Branding(theme: theme), service: .signedIn())
            let plain = await screen(view, Branding(), service: .signedIn())
            let page = try HTMLPage().text(of: own).replacing(/;font-family:'\w+'/, with: "")
            let lines = page.split(separator: ">")
            let expected = try HTMLPage().text(of: plain).split(separator: ">")
            #expect(lines.difference(from: expected).map(String.init(describing:)) == [])
        }
    }

    @Test("The system's font in another design is on every text of a screen")
    func design() async throws {
        let screen = await screen(LoginView(), Branding(name: "Harbour", theme: Theme(design: .rounded)))
        for text in ["Harbour", "Sign in with Google", "Create Account", "Continue as Guest"] {
            #expect(try screen.look(of: text).family == "ui-rounded, sans-serif", "\(text)")
        }
    }

    @Test(
        "Wide buttons have the app's shape, Apple's included",
        arguments: [
            (Theme(), "12.0px"), (Theme(cornerRadius: 4), "4.0px"), (Theme(buttonShape: .capsule), "9999.0px"),
            (Theme(cornerRadius: 4, buttonShape: .roundedRectangle(radius: 20)), "20.0px"),
        ])
    func shape(_ theme: Theme, _ corner: String) async throws {
        let screen = await screen(LoginView(), Branding(theme: theme))
        for button in ["Sign in with Google", "Sign in with Email", "Create Account"] {
            #expect(try screen.look(of: button).corner == corner, "\(button)")
        }
        // Our three buttons, the border of Google's, and Apple's.
        let page = try HTMLPage().text(of: screen)
        #expect(page.components(separatedBy: "border-radius:\(corner)").count - 1 == 5)
    }

    @Test("The app's logo replaces the symbol")
    func logo() async {
        let screen = await screen(
            LoginView(), Branding(symbol: "book.closed.fill", theme: Theme(logo: Image("Anchor"))))
        #expect(screen.pictures.contains("Anchor") && !screen.symbols.contains("book.closed.fill"))
    }

    @Test(
        "Google's button has the colours of Google's guidelines, whatever the accent",
        arguments: [
            (ColorScheme.light, "#fff", "rgb(31 31 31 / 1.0)", "rgb(116 119 117 / 1.0)"),
            (.dark, "rgb(19 19 20 / 1.0)", "rgb(227 227 227 / 1.0)", "rgb(142 145 143 / 1.0)"),
        ])
    func google(_ scheme: ColorScheme, _ fill: String, _ text: String, _ border: String) async throws {
        let screen = await screen(LoginView(), Branding(accent: .red), Screen.Settings(colorScheme: scheme))
        let look = try screen.look(of: "Sign in with Google")
        #expect(look.background == fill && look.text == text && look.border == "1.0px solid \(border)")
    }

    @Test("Apple's button follows a change between light and dark appearance")
    func apple() async throws {
        let screen = await screen()
        #expect(try screen.look(of: "Sign in with Apple").background == "#000")
        screen.settings.colorScheme = .dark
        await screen.settle()
        #expect(try screen.look(of: "Sign in with Apple").background == "#fff")
    }

    @Test("Apple's sheet keeps its answer if the appearance changes while it is open; the button follows afterwards")
    func appleOpen() async throws {
        let world = await World()
        world.device.follow(.fails)
        world.device.hold()
        try await world.openLogin()
        try await world.screen.tap("Sign in with Apple")
        try await world.screen.wait { _ in world.device.heldCount == 1 }
        world.screen.settings.colorScheme = .dark
        await world.screen.settle()
        #expect(try world.screen.look(of: "Sign in with Apple").background == "#000")
        world.device.release()
        try await world.screen.wait(for: "Sign in with Apple failed. Please try again.")
        #expect(try world.screen.look(of: "Sign in with Apple").background == "#fff")
    }

    @Test("No wide button is wider than Apple's, which ends at 375 points")
    func width() async throws {
        let screen = await screen()
        let page = try HTMLPage().text(of: screen)
        #expect(page.components(separatedBy: "max-width:375.0px").count - 1 == 4)
    }

    @Test("Passkeys have the symbol of passkeys, and other providers one of their own")
    func symbols() async throws {
        let service = InMemoryAuthService()
        service.serverSettings = AuthServerSettings(providers: ["azure"], allowsEmail: true)
        service.serverSettings.allowsPasskeys = true
        let screen = await screen(LoginView(), service: service)
        try await screen.wait { $0.has(button: "Sign in with a Passkey") }
        #expect(screen.symbols.filter { $0 == "person.badge.key.fill" }.count == 1)
        #expect(screen.symbols.filter { $0 == "globe" }.count == 1)
        #expect(!screen.symbols.contains("key.fill"))
    }
}
