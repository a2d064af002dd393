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

    @Test("An invalid link shows an error")
    func refused() async throws {
        let world = await World.boxScore(service())
        world.service.meet(.invalidCallback, at: .openMailLink)
        await world.openMail()
        try await world.screen.wait(for: "The link could not be opened.")
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
