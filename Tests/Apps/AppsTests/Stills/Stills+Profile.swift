import Gatehouse
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI

extension Still {
    static let profile = [
        Still("profile", showsMost: true) { try await opened() },
        Still("profile-without-teams") { try await opened(.signedIn(firstName: nil)) },
        Still("profile-long") {
            let name = "Wolfeschlegelsteinhausenbergerdorff"
            let email = "\(name.lowercased())@department.of.long.names.example.com"
            let service = InMemoryAuthService.signedIn(
                email: email, firstName: name, favoriteTeams: ["nba_3", "mlb_9", "league_of_long_names_1610612738"])
            let world = await World.boxScore(service, teams: { World.manyTeams })
            return try await world.waiting(for: "Miami Heat").tapping("Your profile")
        },
        Still("profile-offline") {
            let service = InMemoryAuthService.signedIn()
            service.stay(.offline)
            return try await opened(service).waiting(for: World.offline)
        },
        Still("sign-out") { try await opened().tapping("Sign Out") },
        Still("delete", showsMost: true) { try await opened().tapping("Delete Account") },
        Still("delete-busy") {
            let world = try await opened()
            world.service.meet(.slow, at: .deleteAccount)
            return try await world.tapping("Delete Account", "Delete Account").waiting(for: "Deleting account...")
        },
        Still("delete-failed") {
            let world = try await opened()
            world.service.meet(.serverError, at: .deleteAccount)
            return try await world.tapping("Delete Account", "Delete Account").waiting(for: "Could Not Delete Account")
        },
        Still("name") { try await opened().tapping("Edit Name") },
        Still("name-failed") {
            let world = try await opened()
            world.service.meet(.offline, at: .updateProfile)
            return try await world.tapping("Edit Name").typing(["First Name": "Grace"]).tapping("Save")
                .waiting(for: "Could Not Save Profile")
        },
    ]

    static let teams = [
        Still("teams", showsMost: true) { try await opened().tapping("Edit Teams").waiting(for: "Boston Celtics") },
        Still("teams-search") {
            try await opened().tapping("Edit Teams").waiting(for: "Boston Celtics").typing(["Search teams": "mi"])
        },
        Still("teams-none-found") {
            try await opened().tapping("Edit Teams").waiting(for: "Boston Celtics").typing(["Search teams": "zzz"])
        },
        Still("teams-changed") {
            try await opened().tapping("Edit Teams").waiting(for: "Boston Celtics").tapping("Boston Celtics", "Cancel")
        },
        Still("teams-save-failed") {
            let world = try await opened()
            world.service.meet(.offline, at: .updateProfile)
            return try await world.tapping("Edit Teams").waiting(for: "Boston Celtics")
                .tapping("Boston Celtics", "Save").waiting(for: "The teams couldn't be saved.")
        },
        Still("teams-loading") {
            let world = await World.boxScore(.signedIn(), teams: { try await World.silence() })
            return try await world.tapping("Your profile")
        },
        Still("teams-failed") {
            let world = await World.boxScore(
                .signedIn(), teams: { throw AuthClientError.refused(AuthRefusal(status: 503, code: nil)) })
            return try await world.waiting(for: "Try Again").tapping("Your profile")
        },
    ]

    static let methods = [
        Still("methods") { try await opened().tapping("Sign-In Methods").waiting(for: "Email and Password") },
        Still("methods-two", showsMost: true) { try await linked() },
        Still("methods-remove") { try await linked().tapping("Remove Google") },
        Still("methods-taken") {
            let world = try await opened()
            world.service.meet(.emailTaken)
            return try await world.tapping("Sign-In Methods").waiting(for: "Email and Password")
                .tapping("Sign in with Google")
                .waiting(for: "This email is already associated with another account.")
        },
        Still("methods-failed") {
            let world = try await opened()
            world.service.meet(.offline, at: .identities)
            return try await world.tapping("Sign-In Methods").waiting(for: "Retry")
        },
    ]

    static let devices = [
        Still("devices", showsMost: true) { try await opened().tapping("Devices").waiting(for: "This Device") },
        Still("devices-failed") {
            let world = try await opened()
            world.service.meet(.offline, at: .sessions)
            return try await world.tapping("Devices").waiting(for: "Retry")
        },
        Still("devices-end-failed") {
            let world = try await opened()
            world.service.meet(.offline, at: .revokeSession)
            return try await world.tapping("Devices").waiting(for: "Other Devices")
                .tapping("Sign out iPad").waiting(for: "Something went wrong. Please try again.")
        },
    ]

    @MainActor private static func opened(_ service: InMemoryAuthService? = nil) async throws -> World {
        try await World.user(service).tapping("Your profile")
    }

    @MainActor private static func linked() async throws -> World {
        try await opened().tapping("Sign-In Methods").waiting(for: "Email and Password").tapping("Sign in with Google")
            .waiting(for: "Remove Google")
    }
}
