import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI

extension Still {
    static let consent = [
        Still("consent", showsMost: true) {
            try await asking { $0.beginAuthorization(scope: scope, resources: [api]) }
        },
        Still("consent-verified") {
            try await asking { service in
                var client = Fixtures.agent
                (client.isVerified, client.registrationType) = (true, .manual)
                return service.beginAuthorization(by: client)
            }
        },
        Still("consent-other-account", showsMost: true) {
            try await asking {
                $0.beginAuthorization(expecting: OAuthExpectedAccount(name: "grace@example.com"))
            }
        },
        Still("consent-needs-other-account") {
            try await asking(showing: "Deny") {
                $0.beginAuthorization(expecting: OAuthExpectedAccount(name: "491701234567", isRequired: true))
            }
        },
        Still("consent-device", showsMost: true) { try await asking { $0.beginDeviceAuthorization() } },
        Still("consent-proof") {
            let world = try await asking { $0.beginAuthorization() }
            world.service.meet(.freshProofNeeded, at: .decideAuthorization)
            try await world.screen.tap("Approve")
            try await world.screen.wait { $0.title == "Confirm It's You" }
            return try await world.tapping("Cancel").waiting(for: "Please confirm that it's you, then try again.")
        },
        Still("consent-failed") {
            let world = try await asking { $0.beginAuthorization() }
            world.service.meet(.offline, at: .decideAuthorization)
            return try await world.tapping("Approve").waiting(for: "Retry")
        },
        Still("consent-report") { try await asking { $0.beginAuthorization() }.tapping("Deny and Report") },
        Still("consent-approved", showsMost: true) {
            try await asking { $0.beginDeviceAuthorization() }.tapping("Approve").waiting(for: "Approved")
        },
        Still("consent-denied") {
            try await asking { $0.beginAuthorization() }.tapping("Deny").waiting(for: "Denied")
        },
        Still("consent-gone", showsMost: true) {
            let world = try await World.user(service())
            let late = world.service.beginAuthorization()
            world.service.clock.advance(by: .seconds(600))
            await world.screen.open(late.link)
            return try await world.waiting(for: "This request is no longer valid.")
        },
        Still("connected-apps", showsMost: true) {
            let world = try await World.user(service())
            let memory = world.service
            for asked in [
                memory.beginAuthorization(scope: scope, resources: [api]),
                memory.beginAuthorization(by: OAuthAuthorizationClient(id: "tv", name: "TV"), scope: "profile"),
            ] {
                _ = try await world.manager.consents.details(.authorization(asked.id))
                _ = try await memory.service.approve(asked.id)
                memory.redeem(asked)
            }
            return try await world.tapping("Your profile", "Connected Apps").waiting(for: "\u{2068}TV\u{2069}")
        },
        Still("device-code", showsMost: true) {
            let world = try await World.user(service()).tapping("Your profile", "Connected Apps")
            try await world.screen.wait { $0.has(button: "Connect a Device") }
            return try await world.tapping("Connect a Device").typing(["Code": "bcdf-ghjk"])
        },
    ]

    private static let scope = "openid email scores:read offline_access"
    private static let api = "https://api.example.org/mcp"

    private static func service() -> InMemoryAuthService {
        let service = InMemoryAuthService.signedIn(favoriteTeams: [])
        service.serverSettings.hasOAuthServer = true
        return service
    }

    @MainActor private static func asking(
        showing button: String = "Approve", _ begin: (InMemoryAuthService) -> InMemoryAuthService.Authorization
    ) async throws -> World {
        let world = try await World.user(service())
        await world.screen.open(begin(world.service).link)
        try await world.screen.wait { $0.has(button: button) }
        return world
    }
}
