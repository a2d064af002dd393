import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

/// The app shows the account's questions in its own places.
@MainActor @Suite("The account's questions in the app's own places", .timeLimit(.minutes(5)))
struct QuestionTests {
    private func service() -> InMemoryAuthService {
        let service = InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        return service
    }

    @Test("A passkey is offered after a sign-in on a screen in line")
    func inLine() async throws {
        let world = await World(service(), home: InLine())
        try await world.screen.tap("Sign in with Email")
        try await world.screen.type("ada@example.com", into: "Email")
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Add a passkey?")
        #expect(world.screen.presentations == ["sheet"])
        try await world.screen.tap("Not Now")
        #expect(world.screen.title == "Profile" && world.screen.presentations.isEmpty)
        #expect(!world.manager.asksForPasskey && world.screen.complaints.isEmpty)
    }

    @Test("The second step of a sign-in in line is a sheet, and the offer follows")
    func secondStepInLine() async throws {
        let service = service()
        service.addApp()
        let world = await World(service, home: InLine())
        try await world.manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        try await world.screen.wait { $0.title == "Confirm It's You" }
        #expect(world.screen.presentations == ["sheet"])
        try await world.screen.type(try #require(service.appCode()), into: "Code")
        try await world.screen.wait(for: "Add a passkey?")
        #expect(world.screen.presentations == ["sheet"])
    }

    @Test("A sheet with the app's own sign-in asks for the second step and then closes")
    func secondStep() async throws {
        let service = service()
        service.addApp()
        let world = await World(service, home: OwnSignIn(asks: true))
        try await world.screen.tap("Join")
        try await world.screen.tap("Sign Me In")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        #expect(world.screen.presentations == ["sheet", "sheet"])
        try await world.screen.type(try #require(service.appCode()), into: "Code")
        try await world.screen.wait(for: "Add a passkey?")
        #expect(world.screen.presentations == ["sheet"])
        #expect(world.manager.isLoggedIn && world.screen.complaints.isEmpty)
    }

    @Test("It asks for a fresh proof, too")
    func proof() async throws {
        let world = await World(.signedIn(), home: OwnSignIn(asks: true))
        world.service.meet(.freshProofNeeded, at: .deleteAccount)
        try await world.screen.tap("Join")
        try await world.screen.tap("Delete Me")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        #expect(world.screen.presentations == ["sheet", "sheet"])
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.service.account(email: "ada@example.com") == nil)
    }

    @Test("F12: Without the modifier nobody can answer: the call throws after twenty seconds, and can be made again")
    func proofBelow() async throws {
        let world = await World(.signedIn(), home: OwnSignIn(asks: false))
        world.service.meet(.freshProofNeeded, at: .deleteAccount)
        try await world.screen.tap("Join")
        try await world.screen.tap("Delete Me")
        await world.manager.wait { $0.proofQuestion != nil }
        try await world.service.clock.waitForSleepers()
        #expect(world.screen.presentations == ["sheet"] && world.manager.isLoading)
        world.service.clock.advance(by: .seconds(20))
        await world.manager.wait { $0.error == .freshSignInNeeded }
        #expect(!world.manager.isLoading && world.manager.proofQuestion == nil)
        await world.screen.swipeDown()
        #expect(world.screen.presentations.isEmpty)
    }

    @Test("F12: A question that is shown waits as long as the user needs")
    func shownProof() async throws {
        let world = await World(.signedIn(), home: OwnSignIn(asks: true))
        world.service.meet(.freshProofNeeded, at: .deleteAccount)
        try await world.screen.tap("Join")
        try await world.screen.tap("Delete Me")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        world.service.clock.advance(by: .seconds(600))
        await world.screen.settle()
        #expect(world.screen.title == "Confirm It's You" && world.manager.proofQuestion != nil)
    }

    @Test("Without the modifier the question waits below, until the app closes its sheet")
    func below() async throws {
        let service = service()
        service.addApp()
        let world = await World(service, home: OwnSignIn(asks: false))
        try await world.screen.tap("Join")
        try await world.screen.tap("Sign Me In")
        await world.manager.wait { $0.phase == .secondFactorNeeded }
        await world.screen.settle()
        #expect(world.screen.presentations == ["sheet"] && world.screen.has(button: "Sign Me In"))
        await world.screen.swipeDown()
        #expect(world.screen.title == "Confirm It's You")
    }
}

private struct InLine: View {
    @Environment(AuthManager.self) private var manager

    var body: some View {
        if manager.isLoggedIn { ProfileView() } else { LoginView() }
    }
}

private struct OwnSignIn: View {
    let asks: Bool
    @Environment(AuthManager.self) private var manager
    @State private var joins = false

    var body: some View {
        Button("Join") { joins = true }
            .sheet(isPresented: $joins) {
                if asks { content.accountQuestions() } else { content }
            }
            .onChange(of: manager.isLoggedIn) { joins = false }
    }

    private var content: some View {
        VStack {
            Button("Sign Me In") {
                Task { try await manager.signInWithEmail("ada@example.com", password: Fixtures.password) }
            }
            Button("Delete Me") {
                Task { try await manager.deleteAccount() }
            }
        }
    }
}
