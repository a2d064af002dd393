import Gatehouse
import GatehouseModel
import GatehouseTesting
import ScreenDriver
import SwiftUI

extension Still {
    static let account = [
        Still("methods-undo", showsMost: true) { try await linkedLately() },
        Still("methods-undo-question") { try await linkedLately().tapping("Undo adding Google") },
        Still("methods-undo-failed") {
            let world = try await linkedLately()
            world.service.meet(.serverError, at: .undoLink)
            return try await world.tapping("Undo adding Google", "Undo")
                .waiting(for: "Something went wrong. Please try again.")
        },
        Still("methods-too-old") {
            let world = try await linkedLately()
            world.service.clock.advance(by: .seconds(31 * 86_400))
            return try await world.tapping("Undo adding Google", "Undo").waiting(for: "This can no longer be undone.")
        },
        Still("change-email", showsMost: true) { try await methods().tapping("Change Email") },
        Still("change-email-taken") {
            let world = try await methods().tapping("Change Email").typing(["New Email": "grace@example.com"])
            world.service.meet(.emailTaken, at: .updateUser)
            try await world.screen.tap("Save Email")
            try await world.screen.wait { _ in world.service.pendingFaults.isEmpty }
            return world
        },
        Still("change-email-current") {
            let world = try await methods().tapping("Change Email").typing(["New Email": "countess@example.com"])
            world.service.meet(.currentPasswordRequired)
            return try await world.tapping("Save Email").waiting(for: "Current Password")
        },
        Still("change-password") { try await methods().tapping("Change Password") },
        Still("change-password-hints", showsMost: true) {
            try await methods().tapping("Change Password")
                .typing(["New Password": "short", "Confirm Password": "other"])
        },
        Still("change-password-current") {
            try await refused(.currentPasswordRequired).waiting(for: "Current Password")
        },
        Still("change-password-code") { try await refused(.codeRequired).waiting(for: "Send Again") },
    ]

    @MainActor private static func methods() async throws -> World {
        try await World.user().tapping("Your profile", "Sign-In Methods").waiting(for: "Email and Password")
    }

    @MainActor private static func linkedLately() async throws -> World {
        let world = try await World.user()
        _ = try await world.manager.identities.link(.google, in: world.google)
        return try await world.tapping("Your profile", "Sign-In Methods").waiting(for: "Recently Added")
    }

    @MainActor private static func refused(_ fault: InMemoryAuthService.Fault) async throws -> World {
        let world = try await methods().tapping("Change Password")
            .typing(["New Password": Fixtures.password, "Confirm Password": Fixtures.password])
        world.service.meet(fault)
        return try await world.tapping("Save Password")
    }
}
