import Gatehouse
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("The security screen offers what the server has", .timeLimit(.minutes(5)))
struct SecurityOfferTests {
    private func service(_ change: (inout AuthServerSettings) -> Void = { _ in }) -> InMemoryAuthService {
        let service = InMemoryAuthService.signedIn()
        service.serverSettings.allowsPasskeys = true
        change(&service.serverSettings)
        return service
    }

    private func open(_ world: World) async throws {
        try await world.openProfile()
        try await world.screen.tap("Security")
        try await world.screen.wait { $0.has(button: "Add a Passkey") }
    }

    @Test("Without recovery codes, an added app leads back to the list, which offers none")
    func noCodes() async throws {
        let world = await World(service { $0.allowsRecoveryCodes = false })
        try await open(world)
        try await world.screen.tap("Add an Authenticator App")
        try await world.screen.wait { $0.has(field: "Code") }
        try await world.screen.type(try #require(world.service.appCode()), into: "Code")
        try await world.screen.wait { $0.has(button: "Remove Authenticator App") }
        #expect(world.screen.announcements.contains("The authenticator app has been added."))
        #expect(world.screen.title == "Security" && world.screen.has(button: "Add an Authenticator App"))
        #expect(!world.screen.shows("Recovery Codes") && !world.service.calls.contains(.makeRecoveryCodes))
    }

    @Test("Codes from before can be deleted, but not replaced")
    func oldCodes() async throws {
        let service = service()
        let before = await World(service)
        let app = try await before.manager.factors.addApp(issuer: nil, name: nil)
        try await before.manager.proofs.prove(code: try #require(service.appCode()), of: app.id)
        _ = try await before.manager.factors.makeRecoveryCodes(replacing: false)
        service.serverSettings.allowsRecoveryCodes = false
        // The app starts again, and asks for the settings.
        let world = await World(service)
        try await open(world)
        #expect(world.screen.shows("10 of 10 left") && !world.screen.has(button: "Create New Codes"))
        try await world.screen.tap("Remove Recovery Codes")
        try await world.screen.tap("Remove Recovery Codes")
        try await world.screen.wait { !$0.shows("Recovery Codes") }
    }

    @Test("Without authenticator apps there is no second step to add")
    func noApps() async throws {
        let world = await World(service { $0.allowsAuthenticatorApps = false })
        try await open(world)
        #expect(!world.screen.has(button: "Add an Authenticator App") && !world.screen.shows("Two-Step Verification"))
    }
}
