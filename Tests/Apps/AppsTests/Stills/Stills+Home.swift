import Foundation
import Gatehouse
import GatehouseTesting
import ScreenDriver
import SwiftUI

extension Still {
    /// The sports app around the account.
    static let home = [
        Still("home-guest", showsMost: true) { try await .guest() },
        Still("home-user", showsMost: true) { try await .user() },
        Still("home-without-teams") { try await .user(.signedIn()) },
        Still("home-loading") { await .boxScore(teams: { try await World.silence() }) },
        Still("home-failed") {
            try await World.boxScore(teams: { throw AuthClientError.refused(AuthRefusal(status: 503, code: nil)) })
                .waiting(for: "The teams couldn't be loaded.")
        },
        Still("home-offline") {
            let service = InMemoryAuthService.signedIn()
            service.stay(.offline)
            return try await .user(service).waiting(for: World.offline)
        },
        Still("home-session-ended") {
            let world = try await World.user()
            world.service.endSession(.endedByServer(.sessionExpired))
            return try await world.waiting(for: "Session expired. Please sign in again.")
        },
        Still("home-menu", showsMost: true) { try await World.user().tapping("Menu", "NBA", "Menu") },
    ]

    /// The journal.
    static let journal = [
        Still("journal-guest") { await .dailyRitual(profiles: Profiles()) },
        Still("journal-login", showsMost: true) {
            try await World.dailyRitual(profiles: Profiles()).tapping("Sign in")
        },
        Still("journal-onboarding", showsMost: true) { try await onboarding(Profiles(name: "Ada Lovelace")) },
        Still("journal-onboarding-failed") {
            let profiles = Profiles(name: "Ada Lovelace")
            let world = try await onboarding(profiles)
            await profiles.fail(1)
            return try await world.tapping("Continue").waiting(for: "Something went wrong. Please try again.")
        },
        Still("journal-today", showsMost: true) {
            try await World.dailyRitual(
                .signedIn(), profiles: Profiles(name: "Ada", timezone: "Europe/Berlin", isPremium: true)
            )
            .waiting(for: "Premium")
        },
        Still("journal-failed") {
            let profiles = Profiles(name: "Ada", timezone: "Europe/Berlin")
            await profiles.fail(1)
            return try await World.dailyRitual(.signedIn(), profiles: profiles).waiting(for: "Try Again")
        },
        Still("journal-profile") {
            try await World.dailyRitual(
                .signedIn(), profiles: Profiles(name: "Ada", timezone: "Europe/Berlin")
            )
            .waiting(for: "Good to see you, Ada").tapping("Your profile")
        },
    ]

    @MainActor private static func onboarding(_ profiles: Profiles) async throws -> World {
        let world = await World.dailyRitual(.signedIn(), profiles: profiles)
        try await world.screen.wait { $0.title == "Welcome" }
        return world
    }
}
