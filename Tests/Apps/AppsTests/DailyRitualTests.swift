import Gatehouse
import GatehouseModel
import GatehouseTesting
import ScreenDriver
import SwiftUI
import Testing

@testable import DailyRitualScreens

@MainActor @Suite("DailyRitual", .timeLimit(.minutes(5)))
struct DailyRitualTests {
    private func service() -> InMemoryAuthService {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        return service
    }

    @Test("A12, E2: a guest reads Today, and the login screen is the journal's own")
    func guest() async throws {
        let world = await World.dailyRitual(profiles: Profiles())
        #expect(world.screen.title == "Today")
        #expect(world.screen.shows("What are you grateful for?"))
        #expect(world.screen.texts.contains("Thursday, January 1"))
        try await world.screen.tap("Sign in")
        #expect(world.screen.shows("DailyRitual"))
        #expect(world.screen.shows("Sign in to keep your journal\nand read it on every device"))
        #expect(!world.screen.shows("BoxScore"))
        #expect(world.screen.symbols.contains("book.closed.fill"))
    }

    @Test("C6: the first sign-in opens the onboarding once, and Today after that")
    func onboarding() async throws {
        let (service, profiles) = (service(), Profiles(name: "Ada Lovelace"))
        let world = await World.dailyRitual(service, profiles: profiles)
        try await world.signIn()
        try await world.screen.wait { $0.title == "Welcome" && $0.presentations.isEmpty }
        #expect(try world.screen.value(of: "Your Name") == "Ada Lovelace")
        #expect(world.screen.shows("GMT"))
        try await world.screen.type("  ", into: "Your Name")
        #expect(try !world.screen.isEnabled("Continue"))
        try await world.screen.type(" Ada ", into: "Your Name")
        try await world.screen.tap("Continue")
        try await world.screen.wait(for: "Good to see you, Ada")
        #expect(world.screen.title == "Today")
        #expect(await profiles.edits == [ProfileEdit(name: .set("Ada"), timezone: .set("GMT"))])

        try await world.screen.tap("Your profile")
        #expect(world.screen.shows("Time Zone") && world.screen.shows("GMT"), "the journal's own part of the profile")
        try await world.screen.tap("Sign Out")
        try await world.screen.tap("Sign Out")
        try await world.screen.wait { $0.has(button: "Sign in") }
        #expect(!world.screen.shows("Good to see you, Ada"))
        try await world.signIn()
        try await world.screen.wait(for: "Good to see you, Ada")
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("A late answer about the previous user is dropped, and so is its failure", arguments: [false, true])
    func lateAnswer(_ fails: Bool) async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (answering, answer) = AsyncStream<Void>.makeStream()
        let ada = Profile(
            summary: ProfileSummary(id: Fixtures.id(1), createdAt: Fixtures.date), name: "Ada", timezone: "GMT",
            isPremium: false, updatedAt: Fixtures.date)
        let model = JournalModel(
            calls: ProfileCalls {
                ask.yield()
                // A call that a cancellation does not end.
                await Task { for await _ in answering { return } }.value
                if fails { throw AuthClientError.refused(AuthRefusal(status: 503, code: nil)) }
                return ada
            } save: { _ in
                ada
            })
        let late = Task { await model.load(Fixtures.id(1)) }
        for await _ in asked { break }
        await model.load(nil)
        answer.yield()
        await late.value
        #expect(model.phase == .plain && !model.hasFailed)
    }

    @Test("The onboarding proposes the first name of the sign-up, if no provider gave a name")
    func proposedName() async throws {
        let world = await World.dailyRitual(.signedIn(), profiles: Profiles(firstName: "Ada"))
        try await world.screen.wait { $0.title == "Welcome" }
        #expect(try world.screen.value(of: "Your Name") == "Ada")
    }

    @Test("An onboarding that fails to save says so, keeps the typed text and offers a retry")
    func savingFails() async throws {
        let profiles = Profiles()
        let world = await World.dailyRitual(.signedIn(), profiles: profiles)
        try await world.screen.wait { $0.title == "Welcome" }
        try await world.screen.type("Ada", into: "Your Name")
        await profiles.fail(1)
        try await world.screen.submit("Your Name")
        try await world.screen.wait(for: "Something went wrong. Please try again.")
        #expect(try world.screen.value(of: "Your Name") == "Ada")
        try await world.screen.tap("Continue")
        try await world.screen.wait(for: "Good to see you, Ada")
    }

    @Test("A profile that failed to load keeps Today and can be loaded again")
    func loadingFails() async throws {
        let profiles = Profiles(name: "Ada", timezone: "Europe/Berlin", isPremium: true)
        await profiles.fail(1)
        let world = await World.dailyRitual(.signedIn(), profiles: profiles)
        try await world.screen.wait { $0.has(button: "Try Again") }
        #expect(world.screen.shows("What matters most today?"))
        try await world.screen.tap("Try Again")
        try await world.screen.wait(for: "Good to see you, Ada")
        #expect(world.screen.shows("Premium"))
        #expect(!world.screen.has(button: "Try Again"))
    }
}
