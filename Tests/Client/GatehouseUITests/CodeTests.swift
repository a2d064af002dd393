import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Codes of mails", .timeLimit(.minutes(5)))
struct CodeTests {
    private static let wrong = "The code is wrong or has expired."

    private func signedUp() async throws -> World {
        let world = await World(InMemoryAuthService(confirmsAutomatically: false))
        try await world.typeSignUp("Grace", "grace@example.com", "longenough")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Check your email")
        return world
    }

    private func user(_ settings: Screen.Settings = Screen.Settings()) async throws -> World {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        _ = try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
        let world = await World(service, settings: settings)
        try await world.openProfile()
        try await world.screen.tap("Sign-In Methods")
        try await world.screen.wait { $0.has(button: "Change Email") }
        return world
    }

    @Test("D11: the code of a sign-up signs in as soon as it is complete")
    func signUp() async throws {
        let world = try await signedUp()
        #expect(world.screen.shows("If grace@example.com can be used here, we've sent a code to it."))
        #expect(world.screen.focused == "Code" && world.screen.announcements == ["Check your email"])
        #expect(try world.screen.attribute("autocomplete", of: "Code") == "one-time-code")
        #expect(try world.screen.attribute("inputmode", of: "Code") == "numeric")
        let code = try #require(world.service.mailCode(.confirmation, to: "grace@example.com"))
        try await world.screen.type(String(code.prefix(5)), into: "Code")
        #expect(try !world.screen.isEnabled("submit"))
        try await world.screen.type(code, into: "Code")
        try await world.screen.wait(for: "Welcome back, Grace")
        #expect(world.screen.presentations.isEmpty && world.manager.isNewUser)
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("F14: where the server does not say how long its codes are, a tap submits one of 6 to 10 digits")
    func unknownLength() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.codeLength = nil
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let world = await World(service, emailSignIn: .passwordOrCode)
        try await world.openLogin()
        try await world.screen.tap("Sign in with Email")
        try await world.screen.tap("Email Me a Code")
        try await world.screen.type("ada@example.com", into: "Email")
        try await world.screen.tap("Email Me a Code")
        try await world.screen.wait(for: "Check your email")
        try await world.screen.type("12345", into: "Code")
        #expect(try !world.screen.isEnabled("submit"))
        try await world.screen.type("12345678", into: "Code")
        #expect(try world.screen.value(of: "Code") == "12345678" && !service.calls.contains(.verifyCode))
        try await world.screen.tap("submit")
        try await world.screen.wait(for: Self.wrong)
    }

    @Test("A wrong code says so, stays to be corrected, and is announced")
    func wrongCode() async throws {
        let world = try await signedUp()
        world.service.meet(.codeWrong, .slow, at: .verifyCode)
        try await world.screen.type("123456", into: "Code")
        try await world.screen.wait(for: Self.wrong)
        #expect(try world.screen.value(of: "Code") == "123456")
        #expect(world.screen.spokenFocus == Self.wrong && world.screen.announcements.last == Self.wrong)
        try await world.screen.tap("submit")
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        #expect(world.screen.progress == ["Checking the code…"])
        #expect(try !world.screen.isEnabled("Code"))
        #expect(!world.screen.has(button: "BackButton"))
        #expect(await !world.screen.swipeDown())
        world.service.release()
        try await world.screen.wait(for: Self.wrong)
        #expect(world.service.calls.filter { $0 == .verifyCode }.count == 2)
    }

    @Test("Another mail can be requested after the countdown, which is shown")
    func again() async throws {
        let world = try await signedUp()
        let screen = world.screen
        #expect(try !screen.isEnabled("Send Again") && screen.shows("Another email can be sent in 1:00."))
        try await world.service.clock.waitForSleepers()
        world.service.clock.advance(by: .seconds(18))
        try await screen.wait(for: "Another email can be sent in 0:42.")
        try await world.service.clock.waitForSleepers()
        world.service.clock.advance(by: .seconds(42))
        try await screen.wait { try $0.isEnabled("Send Again") }
        world.service.meet(.offline, .rateLimited(retryAfter: .seconds(5)), at: .resendConfirmation)
        try await screen.tap("Send Again")
        try await screen.wait(for: "Unable to connect. Check your internet and try again.")
        try await screen.tap("Retry")
        try await screen.wait(for: "We just sent you an email. Please wait before requesting another.")
        #expect(screen.shows("Another email can be sent in 0:05."))
        try await world.service.clock.waitForSleepers()
        world.service.clock.advance(by: .seconds(5))
        try await screen.wait { try $0.isEnabled("Send Again") }
        try await screen.tap("Send Again")
        try await screen.wait(for: "The email is on its way.")
        #expect(screen.announcements.last == "The email is on its way.")
        #expect(world.service.mails.map(\.kind) == [.confirmation, .confirmation])
    }

    @Test("Another address leads back to the form, as it was filled in")
    func otherAddress() async throws {
        let world = try await signedUp()
        try await world.screen.tap("Use Another Email")
        #expect(try world.screen.value(of: "Email") == "grace@example.com")
        #expect(try world.screen.value(of: "Password") == "longenough")
        try await world.screen.type("hopper@example.com", into: "Email")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "If hopper@example.com can be used here, we've sent a code to it.")
    }

    @Test("A sign-in before the confirmation leads to the code")
    func unconfirmed() async throws {
        let world = try await signedUp()
        try await world.screen.goBack()
        try await world.screen.tap("Sign in with Email")
        try await world.screen.type("grace@example.com", into: "Email")
        try await world.screen.type("longenough", into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Please open the link in the email that we've sent you, or enter its code.")
        try await world.screen.tap("Enter the Code")
        #expect(try world.screen.isEnabled("Send Again"))
        let code = try #require(world.service.mailCode(.confirmation, to: "grace@example.com"))
        try await world.screen.type(code, into: "Code")
        try await world.screen.wait(for: "Welcome back, Grace")
    }

    @Test("The link of the mail signs in over the screen for the code")
    func link() async throws {
        let world = try await signedUp()
        await world.screen.open(try #require(world.service.mailLink(.confirmation, to: "grace@example.com")))
        try await world.screen.wait(for: "Welcome back, Grace")
        #expect(world.screen.presentations.isEmpty)
    }

    @Test("A forgotten password: one mail, a code, a new password; nothing reveals accounts")
    func forgotten() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let world = await World(service)
        let screen = world.screen
        try await world.openLogin()
        try await screen.tap("Sign in with Email")
        try await screen.type("ada@example", into: "Email")
        try await screen.tap("Forgot password?")
        #expect(try !screen.isEnabled("Send Email") && screen.value(of: "Email") == "ada@example")
        try await screen.type("nobody@example.com", into: "Email")
        try await screen.tapTwice("Send Email")
        try await screen.wait(for: "If nobody@example.com can be used here, we've sent a code to it.")
        #expect(service.mails == [.init(kind: .recovery, email: "nobody@example.com")])
        try await screen.tap("Use Another Email")
        try await screen.type("ada@example.com", into: "Email")
        try await screen.tap("Send Email")
        try await screen.wait { $0.has(field: "Code") }
        try await screen.type(try #require(service.mailCode(.recovery, to: "ada@example.com")), into: "Code")
        try await screen.wait { $0.title == "New Password" }
        #expect(screen.presentations == ["sheet"])
        try await screen.type("another password", into: "New Password")
        try await screen.type("another password", into: "Confirm Password")
        try await screen.tap("Save Password")
        try await screen.wait { $0.presentations.isEmpty }
        #expect(screen.shows("Welcome back, Ada") && !world.manager.needsNewPassword)
        #expect(screen.complaints.isEmpty)
    }

    @Test("D11: an app without passwords offers a code, to new users too", arguments: [true, false])
    func withoutPassword(_ isNew: Bool) async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        if !isNew { service.addAccount(email: "ada@example.com", firstName: "Ada") }
        let world = await World(service, emailSignIn: .code)
        let screen = world.screen
        try await world.openLogin()
        #expect(!screen.has(button: "Create Account"))
        try await screen.tap("Sign in with Email")
        #expect(screen.focused == "Email" && !screen.has(field: "Password"))
        try await screen.type("ada@example.com", into: "Email")
        try await screen.submit("Email")
        try await screen.wait { $0.has(field: "Code") }
        try await screen.type(try #require(service.mailCode(.signIn, to: "ada@example.com")), into: "Code")
        try await screen.wait { $0.presentations.isEmpty && $0.has(button: "Your profile") }
        #expect(world.manager.isNewUser == isNew)
        #expect(screen.complaints.isEmpty)
    }

    @Test("An app may offer both; without mail, passwords alone", arguments: [EmailSignIn.passwordOrCode, .code])
    func both(_ way: EmailSignIn) async throws {
        let world = await World(emailSignIn: way)
        try await world.openLogin()
        try await world.screen.tap("Sign in with Email")
        if way == .passwordOrCode {
            try await world.screen.type("ada@example.com", into: "Email")
            try await world.screen.tap("Email Me a Code")
        }
        #expect(!world.screen.has(field: "Password"))
        #expect(try world.screen.value(of: "Email") == (way == .code ? "" : "ada@example.com"))
        let service = InMemoryAuthService()
        service.serverSettings.sendsMail = false
        let other = await World(service, emailSignIn: way)
        try await other.openLogin()
        try await other.screen.tap("Sign in with Email")
        #expect(other.screen.has(field: "Password") && !other.screen.has(button: "Email Me a Code"))
        #expect(!other.screen.has(button: "Forgot password?"))
    }

    @Test("D1: a new address: a code for each address, and the pending one is shown until then")
    func emailChange() async throws {
        let world = try await user()
        let screen = world.screen
        try await screen.tap("Change Email")
        try await screen.type("countess@example.com", into: "New Email")
        try await screen.tap("Save Email")
        try await screen.wait(for: "We've sent a code to countess@example.com.")
        try await screen.goBack()
        try await screen.wait(for: "countess@example.com isn't confirmed yet.")
        try await screen.tap("Change Email")
        try await screen.wait(for: "We've sent a code to countess@example.com.")
        try await screen.type(
            try #require(world.service.mailCode(.emailChange, to: "countess@example.com")), into: "Code")
        try await screen.wait(for: "We've sent a code to ada@example.com.")
        #expect(screen.announcements.last == "Now confirm from your other email address.")
        #expect(try screen.value(of: "Code") == "")
        try await screen.type("000000", into: "Code")
        try await screen.wait(for: Self.wrong)
        try await screen.tap("Enter the Code Sent to countess@example.com")
        try await screen.type("000000", into: "Code")
        try await screen.wait(for: Self.wrong)
        try await screen.tap("Enter the Code Sent to ada@example.com")
        try await screen.type(try #require(world.service.mailCode(.emailChange, to: "ada@example.com")), into: "Code")
        try await screen.wait { $0.title == "Sign-In Methods" }
        try await screen.wait { _ in world.manager.user?.email == "countess@example.com" }
        #expect(screen.announcements.last == "Your email has been changed.")
        #expect(!screen.shows("countess@example.com isn't confirmed yet."))
        #expect(screen.complaints.isEmpty)
    }

    @Test("A pending address can be replaced by another one")
    func otherNewAddress() async throws {
        let world = try await user()
        _ = try await world.manager.credentials.changeEmail("countess@example.com")
        try await world.screen.wait { $0.shows("countess@example.com isn't confirmed yet.") }
        try await world.screen.tap("Change Email")
        try await world.screen.tap("Use Another Email")
        #expect(try world.screen.value(of: "New Email") == "")
        try await world.screen.type("lovelace@example.com", into: "New Email")
        try await world.screen.tap("Save Email")
        try await world.screen.wait(for: "We've sent a code to lovelace@example.com.")
        try await world.screen.wait { _ in world.manager.user?.newEmail == "lovelace@example.com" }
    }
}
