import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Requests for access on the screen", .timeLimit(.minutes(5)))
struct ConsentTests {
    private static func service() -> InMemoryAuthService {
        let service = InMemoryAuthService.signedIn()
        service.serverSettings.hasOAuthServer = true
        return service
    }

    private static let agent = "\u{2068}Scout\u{2069}"
    private static let question = "\(agent) wants to access your account"

    /// The link's request is on the screen.
    private func world(
        _ begin: (InMemoryAuthService) -> InMemoryAuthService.Authorization = { $0.beginAuthorization() },
        settings: Screen.Settings = Screen.Settings(), title: String = question
    ) async throws -> (World, InMemoryAuthService.Authorization) {
        let world = await World(Self.service(), settings: settings)
        let asked = begin(world.service)
        await world.screen.open(asked.link)
        try await world.screen.wait(for: title)
        #expect(world.screen.presentations == ["sheet"])
        return (world, asked)
    }

    @Test("A link shows who asks, from where, for what and until when; an approval returns to the client")
    func approve() async throws {
        let (world, asked) = try await world {
            $0.beginAuthorization(scope: "openid email scores:read", resources: ["https://api.example.org/mcp"])
        }
        let screen = world.screen
        for text in [
            "\u{2068}agent.example\u{2069}", "Not verified: anyone can use this name.", "Registered on Jan 1, 2026",
            "Your account: \u{2068}ada@example.com\u{2069}", "Know who you are", "See your email address",
            "Read your scores", "\u{2068}https://api.example.org/mcp\u{2069}", "Sent from \u{2068}Mac\u{2069}",
            "Safari · macOS", "IP address \u{2068}203.0.113.5\u{2069}",
            "Sends you back to \u{2068}agent.example\u{2069}",
        ] {
            #expect(screen.shows(text), "\(text)")
        }
        #expect(screen.texts.contains { $0.hasPrefix("Valid until 12:10") })
        #expect(screen.symbols.contains("exclamationmark.triangle.fill"))
        #expect(!screen.shows("Only approve if you started this on a screen in front of you."))
        try await screen.tap("Approve")
        try await screen.wait { $0.presentations.isEmpty }
        #expect(screen.device.openedURLs.map { $0.host() } == ["agent.example"])
        #expect(world.service.decision(on: asked) == .approved && world.manager.authorizationRequest == nil)
        #expect(screen.announcements.contains("Approved") && screen.complaints.isEmpty)
    }

    @Test("A verified client is marked in words, and a missing host or date leaves no gap")
    func verified() async throws {
        var client = OAuthAuthorizationClient(id: "c", name: "Scout")
        client.isVerified = true
        let (world, _) = try await world { $0.beginAuthorization(by: client) }
        #expect(world.screen.shows("Verified") && world.screen.symbols.contains("checkmark.circle.fill"))
        #expect(!world.screen.texts.contains { $0.hasPrefix("Registered") || $0.contains("Not verified") })
    }

    @Test("A device's request warns, and shows the code to compare; then the device continues")
    func device() async throws {
        let (world, asked) = try await world { $0.beginDeviceAuthorization() }
        let code = try #require(asked.userCode)
        #expect(world.screen.shows("Only approve if you started this on a screen in front of you."))
        #expect(world.screen.shows("That screen must show the code \u{2068}\(code)\u{2069}."))
        try await world.screen.tap("Approve")
        try await world.screen.wait(for: "Approved")
        #expect(
            world.screen.shows("\(Self.agent) now has access. You can end it at any time under Connected Apps."))
        #expect(!world.screen.has(button: "Continue on This Device") && world.screen.device.openedURLs.isEmpty)
        try await world.screen.tap("Done")
        #expect(world.screen.presentations.isEmpty && world.service.redeem(asked))
    }

    @Test("An unexpected account cannot approve blindly, and hands the request to the one that signs in")
    func expectedAccount() async throws {
        let (world, asked) = try await world {
            $0.addAccount(email: "grace@example.com")
            return $0.beginAuthorization(
                expecting: OAuthExpectedAccount(name: "grace@example.com", isRequired: true))
        }
        let screen = world.screen
        for text in [
            "Not the Expected Account", "The app expects \u{2068}grace@example.com\u{2069}.",
            "Only the expected account can approve.", "Your account: \u{2068}ada@example.com\u{2069}",
        ] {
            #expect(screen.shows(text), "\(text)")
        }
        #expect(!screen.has(button: "Approve") && screen.has(button: "Deny"))
        try await screen.tap("Use Another Account")
        try await screen.wait { $0.presentations == ["sheet", "sheet"] }
        try await screen.tap("Close")
        try await screen.wait(for: "Not the Expected Account")
        #expect(world.manager.user?.email == "ada@example.com")
        try await screen.tap("Use Another Account")
        try await screen.wait { $0.presentations == ["sheet", "sheet"] }
        try await screen.tap("Sign in with Email")
        try await screen.type("grace@example.com", into: "Email")
        try await screen.type(Fixtures.password, into: "Password")
        try await screen.tap("submit")
        try await screen.wait(for: "Your account: \u{2068}grace@example.com\u{2069}")
        #expect(screen.presentations == ["sheet"] && !screen.shows("Not the Expected Account"))
        try await screen.tap("Approve")
        try await screen.wait { $0.presentations.isEmpty }
        #expect(world.service.decision(on: asked) == .approved && screen.complaints.isEmpty)
    }

    @Test("A denial says so, and opens nothing by itself")
    func deny() async throws {
        let (world, asked) = try await world()
        try await world.screen.tap("Deny")
        try await world.screen.wait(for: "Denied")
        #expect(world.screen.shows("\(Self.agent) was not given access.") && world.screen.device.openedURLs.isEmpty)
        #expect(world.service.decision(on: asked) == .denied && world.service.reportedClients.isEmpty)
        try await world.screen.tap("Continue on This Device")
        #expect(world.screen.device.openedURLs.map { $0.query()?.contains("access_denied") } == [true])
        #expect(world.screen.presentations.isEmpty)
    }

    @Test("A report is asked about first, and leads nowhere")
    func report() async throws {
        let (world, asked) = try await world()
        try await world.screen.tap("Deny and Report")
        #expect(world.screen.presentations == ["sheet", "dialog"])
        try await world.screen.tap("Cancel")
        #expect(world.service.decision(on: asked) == .pending)
        try await world.screen.tap("Deny and Report")
        try await world.screen.tap("Deny and Report")
        try await world.screen.wait(for: "Denied")
        #expect(world.service.reportedClients == [Fixtures.agent.id])
        #expect(!world.screen.has(button: "Continue on This Device"))
    }

    @Test("The proof is asked above the request, which is approved afterwards")
    func proof() async throws {
        let (world, asked) = try await world()
        world.service.meet(.freshProofNeeded, at: .decideAuthorization)
        try await world.screen.tap("Approve")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        #expect(world.screen.presentations == ["sheet", "sheet"])
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.service.decision(on: asked) == .approved && world.screen.device.openedURLs.count == 1)
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("A dismissed proof leaves the request, with a message")
    func dismissedProof() async throws {
        let (world, asked) = try await world()
        world.service.meet(.freshProofNeeded, at: .decideAuthorization)
        try await world.screen.tap("Approve")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        try await world.screen.tap("Cancel")
        try await world.screen.wait(for: "Please confirm that it's you, then try again.")
        #expect(world.screen.presentations == ["sheet"] && world.service.decision(on: asked) == .pending)
    }

    @Test("A failed decision is repeated, and a failed load too")
    func failures() async throws {
        let (world, asked) = try await world()
        world.service.meet(.answerLost, at: .decideAuthorization)
        try await world.screen.tap("Approve")
        try await world.screen.wait { $0.has(button: "Retry") }
        try await world.screen.tap("Retry")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.screen.device.openedURLs.count == 1 && world.service.decision(on: asked) == .approved)
        world.service.meet(.offline, at: .authorization)
        await world.screen.open(world.service.beginAuthorization(scope: "phone").link)
        try await world.screen.wait { $0.has(button: "Retry") }
        try await world.screen.tap("Retry")
        try await world.screen.wait(for: Self.question)
    }

    @Test("Expired and answered requests say so")
    func gone() async throws {
        let world = await World(Self.service())
        let late = world.service.beginAuthorization()
        world.service.clock.advance(by: .seconds(600))
        await world.screen.open(late.link)
        try await world.screen.wait(for: "This request is no longer valid.")
        try await world.screen.tap("Done")
        let asked = world.service.beginAuthorization(for: "ada@example.com")
        _ = try await world.service.service.deny(asked.id, reporting: false)
        await world.screen.open(asked.link)
        try await world.screen.wait(for: "This request was already answered.")
        #expect(!world.screen.has(button: "Approve"))
    }

    @Test("The app asks the server while it is active; what another device started continues there")
    func poll() async throws {
        let world = await World(Self.service())
        try await world.service.clock.waitForSleepers()
        let asked = world.service.beginAuthorization(for: "ada@example.com")
        world.screen.scenePhase = .background
        await world.screen.settle()
        world.service.clock.advance(by: .seconds(60))
        await world.screen.settle()
        #expect(world.screen.presentations.isEmpty && world.service.clock.sleeperCount == 0)
        world.screen.scenePhase = .active
        try await world.screen.wait(for: Self.question)
        try await world.screen.tap("Approve")
        try await world.screen.wait(for: "Continue where you started.")
        #expect(world.screen.device.openedURLs.isEmpty && world.service.decision(on: asked) == .approved)
        try await world.screen.tap("Continue on This Device")
        #expect(world.screen.device.openedURLs.count == 1 && world.screen.presentations.isEmpty)
    }

    @Test("A request that the user closes stays undecided and closed")
    func close() async throws {
        let (world, asked) = try await world()
        try await world.screen.tap("Close")
        #expect(world.screen.presentations.isEmpty && world.manager.authorizationRequest == nil)
        await world.screen.open(asked.link)
        try await world.screen.wait(for: Self.question)
        #expect(await world.screen.swipeDown())
        #expect(world.service.decision(on: asked) == .pending && world.screen.complaints.isEmpty)
    }

    @Test("A request opens above the profile; a guest first signs in")
    func places() async throws {
        let world = await World(Self.service())
        try await world.openProfile()
        await world.screen.open(world.service.beginAuthorization().link)
        try await world.screen.wait(for: Self.question)
        #expect(world.screen.presentations == ["sheet", "sheet"])
        let service = InMemoryAuthService()
        service.serverSettings.hasOAuthServer = true
        service.addAccount(email: "ada@example.com")
        let guest = await World(service)
        await guest.screen.open(service.beginAuthorization().link)
        #expect(guest.screen.presentations.isEmpty)
        try await guest.typeSignIn()
        try await guest.screen.tap("submit")
        try await guest.screen.wait(for: Self.question)
        #expect(guest.screen.presentations == ["sheet"] && guest.screen.complaints.isEmpty)
    }

    @Test("Connected apps say what they may do, and are removed after a question")
    func connectedApps() async throws {
        let world = await World(Self.service())
        let asked = world.service.beginAuthorization(resources: ["https://api.example.org/mcp"])
        _ = try await world.manager.consents.details(.authorization(asked.id))
        _ = try await world.service.service.approve(asked.id)
        #expect(world.service.redeem(asked))
        try await world.openProfile()
        try await world.screen.tap("Devices")
        try await world.screen.wait { $0.shows("Scout") && $0.shows("Connected App") }
        try await world.screen.goBack()
        try await world.screen.tap("Connected Apps")
        try await world.screen.wait(for: Self.agent)
        for text in [
            "\u{2068}agent.example\u{2069}", "Know who you are", "See your email address",
            "\u{2068}https://api.example.org/mcp\u{2069}", "Access since Jan 1, 2026", "Last used on Jan 1, 2026",
        ] {
            #expect(world.screen.shows(text), "\(text)")
        }
        try await world.screen.tap("Remove \(Self.agent)")
        #expect(world.screen.shows("It loses access immediately, and must ask you again."))
        try await world.screen.tap("Remove \(Self.agent)")
        try await world.screen.wait(for: "No app or agent has access to your account.")
        #expect(world.service.openSessionCount == 1 && world.screen.complaints.isEmpty)
    }

    @Test("The code of another device is typed, and its request is decided in place")
    func code() async throws {
        let world = await World(Self.service())
        let asked = world.service.beginDeviceAuthorization()
        try await world.openProfile()
        try await world.screen.tap("Connected Apps")
        try await world.screen.wait { $0.has(button: "Connect a Device") }
        try await world.screen.tap("Connect a Device")
        #expect(world.screen.focused == "Code" && world.screen.shows("Never enter a code that someone sent you."))
        #expect(try world.screen.attribute("autocapitalize", of: "Code") != "words")
        try await world.screen.type("zzzz-zzzz", into: "Code")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "The code is wrong or has expired.")
        try await world.screen.type(try #require(asked.userCode).text.lowercased(), into: "Code")
        try await world.screen.submit("Code")
        try await world.screen.wait(for: Self.question)
        #expect(world.screen.shows("Only approve if you started this on a screen in front of you."))
        try await world.screen.tap("Approve")
        try await world.screen.wait(for: "Approved")
        try await world.screen.tap("Done")
        #expect(world.screen.title == "Connected Apps" && world.service.decision(on: asked) == .approved)
        try await world.screen.wait(for: Self.agent)
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("In Arabic, names and hosts keep their direction")
    func rightToLeft() async throws {
        let title = "يريد \(Self.agent) الوصول إلى حسابك"
        let settings = Screen.Settings(locale: Locale(identifier: "ar"))
        let (world, _) = try await world({ $0.beginDeviceAuthorization() }, settings: settings, title: title)
        #expect(world.screen.shows("لا توافق إلا إذا بدأت هذا على شاشة أمامك."))
        #expect(world.screen.shows("لم يُتحقق منه: يمكن لأي شخص استخدام هذا الاسم."))
        #expect(world.screen.has(button: "موافقة") && world.screen.has(button: "رفض"))
    }

    @Test("Where the server has no requests, no screen mentions them", arguments: [false, nil])
    func hidden(_ has: Bool?) async throws {
        let service = InMemoryAuthService.signedIn()
        service.serverSettings.hasOAuthServer = has
        let world = await World(service)
        try await world.openProfile()
        try await world.screen.wait { $0.has(button: "Devices") }
        #expect(!world.screen.has(button: "Connected Apps") && !service.calls.contains(.pendingAuthorizations))
    }
}
