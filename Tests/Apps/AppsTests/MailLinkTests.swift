import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import ScreenDriver
import Testing

@MainActor @Suite("Links in mails", .timeLimit(.minutes(5)))
struct MailLinkTests {
    private func service() -> InMemoryAuthService {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        return service
    }

    @Test("D11: a recovery mail signs in and asks for a new password")
    func recovery() async throws {
        let world = await World.boxScore(service())
        await world.openMail()
        try await world.screen.wait { $0.title == "New Password" }
        try await world.screen.type("another password", into: "New Password")
        try await world.screen.type("another password", into: "Confirm Password")
        try await world.screen.tap("Save Password")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.screen.has(button: "Your profile"))
        #expect(!world.manager.needsNewPassword)
    }

    @Test(
        "D11: in both apps a code signs up, and in after a forgotten password", arguments: ["BoxScore", "DailyRitual"])
    func codes(_ app: String) async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        let world =
            app == "BoxScore"
            ? await World.boxScore(service) : await World.dailyRitual(service, profiles: Profiles(name: "Ada"))
        let screen = world.screen
        try await screen.tap("Sign in")
        try await screen.tap("Create Account")
        try await screen.type("Ada", into: "Name")
        try await screen.type("ada@example.com", into: "Email")
        for field in ["Password", "Confirm Password"] { try await screen.type(Fixtures.password, into: field) }
        try await screen.tap("submit")
        try await screen.wait { $0.has(field: "Code") }
        try await screen.type(try #require(service.mailCode(.confirmation, to: "ada@example.com")), into: "Code")
        try await screen.wait { $0.presentations.isEmpty && world.manager.isLoggedIn && !world.manager.isLoading }
        await world.manager.signOut()
        try await screen.wait { $0.has(button: "Sign in") }
        try await screen.tap("Sign in")
        try await screen.tap("Sign in with Email")
        try await screen.type("ada@example.com", into: "Email")
        try await screen.tap("Forgot password?")
        try await screen.tap("Send Email")
        try await screen.wait { $0.has(field: "Code") }
        try await screen.type(try #require(service.mailCode(.recovery, to: "ada@example.com")), into: "Code")
        try await screen.wait { $0.title == "New Password" }
        for field in ["New Password", "Confirm Password"] { try await screen.type("another password", into: field) }
        try await screen.tap("Save Password")
        try await screen.wait { $0.presentations.isEmpty && world.manager.isLoggedIn }
        #expect(screen.complaints.isEmpty)
    }

    @Test("An invalid link shows an error")
    func refused() async throws {
        let world = await World.boxScore(service())
        world.service.meet(.invalidCallback, at: .openMailLink)
        await world.openMail()
        try await world.screen.wait(for: "The link couldn't be opened.")
        #expect(world.screen.buttons == ["OK"])
        try await world.screen.tap("OK")
        #expect(world.screen.presentations.isEmpty)
    }

    @Test(
        "After a lost connection or a fault of the server the same link can be used again",
        arguments: [
            (InMemoryAuthService.Fault.offline, "Unable to connect. Check your internet and try again."),
            (.serverError, "Something went wrong. Please try again."),
        ])
    func temporary(_ fault: InMemoryAuthService.Fault, _ text: String) async throws {
        let world = await World.boxScore(service())
        world.service.meet(fault, at: .openMailLink)
        await world.openMail()
        try await world.screen.wait(for: text)
        try await world.screen.tap("Try Again")
        try await world.screen.wait { $0.title == "New Password" }
        #expect(world.service.calls.filter { $0 == .openMailLink }.count == 2)
    }

    @Test(
        "A URL of another scheme, host or path is ignored",
        arguments: [
            "other://callback?code=1", "com.example.app://other?code=1", "com.example.app://callback/x?code=1",
        ])
    func others(_ address: String) async throws {
        let world = await World.boxScore(service())
        await world.screen.open(try #require(URL(string: address)))
        #expect(!world.service.calls.contains(.openMailLink))
    }
}
