import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Telephone numbers", .timeLimit(.minutes(5)))
struct PhoneTests {
    private static let number = "+12125550123"

    private static func service() -> InMemoryAuthService {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.serverSettings.allowsPhone = true
        service.serverSettings.allowsPhoneFactors = true
        return service
    }

    private func form(_ settings: Screen.Settings = Screen.Settings()) async throws -> World {
        let world = await World(Self.service(), settings: settings)
        try await world.openLogin()
        try await world.screen.wait { $0.has(button: "Sign in with Phone") }
        try await world.screen.tap("Sign in with Phone")
        return world
    }

    private func user() async throws -> World {
        let service = Self.service()
        service.addAccount(phone: Self.number, password: Fixtures.password, firstName: "Ada")
        _ = try await service.service.signIn(phone: Self.number, password: Fixtures.password)
        let world = await World(service)
        try await world.openProfile()
        return world
    }

    private func code(
        _ world: World, _ kind: InMemoryAuthService.TextMessage.Kind, to phone: String = number
    ) throws -> String { try #require(world.service.textCode(kind, to: phone)) }

    @Test("The number is typed on the telephone's keyboard, and the message's code signs in as soon as it is complete")
    func signIn() async throws {
        let world = try await form()
        #expect(world.screen.focused == "Phone Number" && world.screen.title == "Sign in with Phone")
        #expect(try world.screen.attribute("autocomplete", of: "Phone Number") == "tel")
        #expect(try world.screen.attribute("inputmode", of: "Phone Number") == "tel")
        try await world.screen.type("212", into: "Phone Number")
        #expect(world.screen.shows("Please enter a valid phone number."))
        #expect(try !world.screen.isEnabled("submit"))
        try await world.screen.type("(212) 555-0123", into: "Phone Number")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Check your messages")
        #expect(world.screen.announcements.last == "Check your messages" && world.screen.focused == "Code")
        #expect(world.screen.shows("If \u{2066}+1 212 555 0123\u{2069} can be used here, we've sent a code to it."))
        #expect(world.screen.shows("Another message can be sent in 1:00."))
        #expect(try world.screen.attribute("autocomplete", of: "Code") == "one-time-code")
        try await world.screen.type(try code(world, .signIn), into: "Code")
        try await world.screen.wait { _ in world.manager.isLoggedIn }
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.manager.user?.phone == Self.number && world.screen.complaints.isEmpty)
    }

    @Test("A wrong code and a refused message say so, and another number can be entered")
    func failures() async throws {
        let world = try await form()
        world.service.meet(.textFailed, at: .sendText)
        try await world.screen.type(Self.number, into: "Phone Number")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "We couldn't send the message. Check the phone number and try again.")
        try await world.screen.tap("Retry")
        try await world.screen.wait(for: "Check your messages")
        try await world.screen.type("000000", into: "Code")
        try await world.screen.wait(for: "The code is wrong or has expired.")
        try await world.screen.tap("Use Another Number")
        #expect(try world.screen.value(of: "Phone Number") == Self.number)
        #expect(!world.manager.isLoggedIn)
    }

    @Test("The region is found by name or code, and applies to a national number")
    func region() async throws {
        let world = try await form()
        #expect(world.screen.shows("United States \u{2066}+1\u{2069}"))
        try await world.screen.tap("region")
        #expect(world.screen.title == "Country or Region" && world.screen.buttons.count > 240)
        try await world.screen.type("+81", into: "Country or Region")
        #expect(world.screen.shows("Japan") && !world.screen.shows("Germany"))
        try await world.screen.type("germ", into: "Country or Region")
        try await world.screen.tap(try #require(world.screen.buttons.first { $0.hasPrefix("Germany") }))
        try await world.screen.type("0170 1234567", into: "Phone Number")
        #expect(world.screen.shows("Germany \u{2066}+49\u{2069}"))
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Check your messages")
        #expect(world.service.texts.map(\.phone) == ["+491701234567"])
    }

    @Test("In a language from right to left, regions have its names, and numbers stay left to right")
    func rightToLeft() async throws {
        let world = await World(Self.service(), settings: Screen.Settings(locale: Locale(identifier: "ar_EG")))
        try await world.screen.tap(try #require(world.screen.buttons.last))
        try await world.screen.wait { $0.has(button: "تسجيل الدخول برقم الهاتف") }
        try await world.screen.tap("تسجيل الدخول برقم الهاتف")
        #expect(world.screen.texts.contains { $0.hasPrefix("مصر") && $0.hasSuffix("\u{2066}+20\u{2069}") })
        try await world.screen.type("٠١٠ ١٢٣٤ ٥٦٧٨", into: "رقم الهاتف")
        try await world.screen.tap("submit")
        try await world.screen.wait { _ in world.service.texts.map(\.phone) == ["+201012345678"] }
    }

    @Test("The account's number is shown, and changes with the new number's code")
    func change() async throws {
        let world = try await user()
        #expect(world.screen.shows("\u{2066}+1 212 555 0123\u{2069}"))
        try await world.screen.tap("Sign-In Methods")
        try await world.screen.wait(for: "Phone Number")
        try await world.screen.tap("Change Phone Number")
        #expect(world.screen.shows("Your phone number is \u{2066}+1 212 555 0123\u{2069}."))
        world.service.meet(.currentPasswordRequired, at: .updateUser)
        try await world.screen.type("+14155550123", into: "Phone Number")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.has(field: "Current Password") }
        try await world.screen.type(Fixtures.password, into: "Current Password")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Until then, your phone number stays as it is.")
        try await world.screen.type(try code(world, .phoneChange, to: "+14155550123"), into: "Code")
        try await world.screen.wait { $0.title == "Sign-In Methods" }
        #expect(world.screen.announcements.contains("Your phone number has been changed."))
        #expect(world.manager.user?.phone == "+14155550123" && world.screen.complaints.isEmpty)
    }

    @Test("A number is added as second factor, offers recovery codes, and asks at the next sign-in")
    func secondFactor() async throws {
        let world = try await user()
        try await world.screen.tap("Security")
        try await world.screen.wait { $0.has(button: "Add a Phone Number") }
        try await world.screen.tap("Add a Phone Number")
        try await world.screen.type("+14155550123", into: "Phone Number")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Check your messages")
        try await world.screen.type(try code(world, .secondFactor, to: "+14155550123"), into: "Code")
        try await world.screen.wait { $0.title == "Recovery Codes" }
        #expect(world.screen.announcements.contains("The phone number has been added."))
        await world.manager.signOut()
        let outcome = try await world.manager.signInWithPhone(Self.number, password: Fixtures.password)
        #expect(outcome == .secondFactorNeeded)
        try await world.screen.wait { $0.title == "Confirm It's You" && $0.shows("The message is on its way.") }
        #expect(world.screen.has(button: "Use a Recovery Code"))
        try await world.screen.type(try code(world, .secondFactor, to: "+14155550123"), into: "Code")
        try await world.screen.wait { _ in world.manager.isLoggedIn }
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("A proven number can be removed")
    func remove() async throws {
        let world = try await user()
        let factor = try await world.manager.factors.addPhone("+14155550123")
        try await world.manager.proofs.sendCode(to: factor.id)
        try await world.manager.proofs.prove(
            code: try code(world, .secondFactor, to: "+14155550123"), of: factor.id)
        try await world.screen.tap("Security")
        let remove = "Remove \u{2066}+1 415 555 0123\u{2069}"
        try await world.screen.wait { $0.has(button: remove) }
        try await world.screen.tap(remove)
        try await world.screen.tap("Remove")
        try await world.screen.wait { !$0.has(button: remove) && $0.has(button: "Add a Phone Number") }
    }

    @Test("Where the server has no numbers, no screen mentions them")
    func hidden() async throws {
        let world = await World(.signedIn())
        try await world.openProfile()
        try await world.screen.tap("Sign-In Methods")
        try await world.screen.wait { $0.has(button: "Change Email") }
        #expect(!world.screen.has(button: "Add Phone Number"))
        try await world.screen.goBack()
        try await world.screen.tap("Security")
        try await world.screen.wait { $0.has(button: "Add an Authenticator App") }
        #expect(!world.screen.has(button: "Add a Phone Number"))
        let guest = await World()
        try await guest.openLogin()
        #expect(!guest.screen.has(button: "Sign in with Phone"))
    }
}
