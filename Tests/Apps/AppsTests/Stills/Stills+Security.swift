import Gatehouse
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI

extension Still {
    static let security = [
        Still("security", showsMost: true) { try await security(protected()) },
        Still("security-empty") { try await security(World.user(passkeys())) },
        Still("security-failed") {
            let world = try await World.user().tapping("Your profile")
            world.service.meet(.offline, at: .factors)
            return try await world.tapping("Security").waiting(for: "Retry")
        },
        Still("passkey", showsMost: true) { try await passkey() },
        Still("passkey-delete") { try await passkey().tapping("Remove Passkey") },
        Still("app-enrollment", showsMost: true) { try await enrolling() },
        Still("app-enrollment-wrong") {
            try await enrolling().typing(["Code": "000000"]).waiting(for: "The code is wrong or has expired.")
        },
        Still("recovery-codes", showsMost: true) {
            let world = try await security(protected()).tapping("Create New Codes")
            try await world.screen.wait { $0.has(button: "I've Saved Them") }
            return world
        },
        Still("login-passkey", showsMost: true) {
            let service = InMemoryAuthService()
            service.serverSettings.allowsPasskeys = true
            return try await World.guest(service).tapping("Sign in")
        },
        Still("passkey-offer", showsMost: true) {
            let service = InMemoryAuthService()
            service.serverSettings.allowsPasskeys = true
            service.addAccount(email: "ada@example.com", firstName: "Ada")
            let world = try await World.guest(service)
            try await world.signIn()
            return try await world.waiting(for: "Add a passkey?")
        },
        Still("second-step", showsMost: true) { try await secondStep() },
        Still("second-step-wrong") {
            try await secondStep().typing(["Code": "000000"]).waiting(for: "The code is wrong or has expired.")
        },
        Still("second-step-recovery", showsMost: true) { try await secondStep().tapping("Use a Recovery Code") },
        Still("proof", showsMost: true) {
            let world = try await World.user().tapping("Your profile")
            world.service.meet(.freshProofNeeded, at: .deleteAccount)
            let asked = try await world.tapping("Delete Account", "Delete Account")
            try await asked.screen.wait { $0.title == "Confirm It's You" }
            return asked
        },
    ]

    private static func passkeys() -> InMemoryAuthService {
        let service = InMemoryAuthService.signedIn(favoriteTeams: [])
        service.serverSettings.allowsPasskeys = true
        return service
    }

    /// With a passkey, an authenticator app and recovery codes.
    @MainActor private static func protected() async throws -> World {
        let service = passkeys()
        let world = try await World.user(service)
        try await world.manager.passkeys.add(with: world.passkeys)
        let app = try await world.manager.factors.addApp(issuer: nil, name: nil)
        try await world.manager.proofs.prove(code: service.appCode() ?? "", of: app.id)
        _ = try await world.manager.factors.makeRecoveryCodes(replacing: false)
        return world
    }

    @MainActor private static func security(_ world: World) async throws -> World {
        let opened = try await world.tapping("Your profile", "Security")
        try await opened.screen.wait { $0.has(button: "Add an Authenticator App") }
        return opened
    }

    @MainActor private static func passkey() async throws -> World {
        let world = try await security(protected())
        return try await world.tapping(world.screen.buttons.first { $0.hasPrefix("Apple Passwords") } ?? "")
    }

    @MainActor private static func enrolling() async throws -> World {
        let world = try await security(World.user(passkeys())).tapping("Add an Authenticator App")
        try await world.screen.wait { $0.has(field: "Code") }
        return world
    }

    @MainActor private static func secondStep() async throws -> World {
        let service = InMemoryAuthService.signedIn(favoriteTeams: [])
        service.addApp()
        let world = await World.boxScore(service, teams: { World.manyTeams })
        try await world.screen.wait { $0.title == "Confirm It's You" }
        return world
    }
}
