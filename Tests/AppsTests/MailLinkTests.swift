import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import ScreenDriver
import Testing

@MainActor @Suite("Links in mails", .timeLimit(.minutes(5)))
struct MailLinkTests {
    private let link = URL(string: "boxscore://auth-callback?code=1234") ?? URL(filePath: "/")

    private func service() -> InMemoryAuthService {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        return service
    }

    @Test("D11: a recovery mail signs in and asks for a new password")
    func recovery() async throws {
        let service = service()
        let world = await World.boxScore(service, link: { _ in service.openRecoveryMail(of: "ada@example.com") })
        await world.screen.open(link)
        try await world.screen.wait { $0.title == "New Password" }
        try await world.screen.type("another password", into: "New Password")
        try await world.screen.type("another password", into: "Confirm Password")
        try await world.screen.tap("Save Password")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.screen.has(button: "Your profile"))
        #expect(!world.manager.needsNewPassword)
    }

    @Test("An invalid link shows an error", arguments: [AuthClientError.unknownFlow, .insecureURL])
    func refused(_ error: AuthClientError) async throws {
        let world = await World.boxScore(link: { _ in throw error })
        await world.screen.open(link)
        try await world.screen.wait(for: "The link could not be opened.")
        #expect(world.screen.buttons == ["OK"])
        try await world.screen.tap("OK")
        #expect(world.screen.presentations.isEmpty)
    }

    @Test("After a lost connection the same link can be used again")
    func offline() async throws {
        let tries = Tries()
        let world = await World.boxScore(link: { _ in
            if await tries.add() == 1 { throw AuthClientError.offline(.noAnswer("no connection")) }
        })
        await world.screen.open(link)
        try await world.screen.wait(for: "Unable to connect. Check your internet and try again.")
        try await world.screen.tap("Try Again")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(await tries.count == 2)
        #expect(world.screen.presentations.isEmpty)
    }

    @Test(
        "A URL of another scheme, host or path is ignored",
        arguments: [
            "dailyritual://auth-callback?code=1", "boxscore://other?code=1", "boxscore://auth-callback/x?code=1",
        ])
    func others(_ address: String) async throws {
        let tries = Tries()
        let world = await World.boxScore(link: { _ in _ = await tries.add() })
        await world.screen.open(try #require(URL(string: address)))
        #expect(await tries.count == 0)
    }
}

private actor Tries {
    private(set) var count = 0

    func add() -> Int {
        count += 1
        return count
    }
}
