import AuthenticationServices
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI

@testable import AppSupport
@testable import BoxScoreScreens
@testable import DailyRitualScreens

@MainActor struct World {
    /// nil for the settings'.
    @TaskLocal static var textSize: DynamicTypeSize?

    let service: InMemoryAuthService
    let google = ScriptedProviderSheet(.signsIn(.ada))
    let passkeys = ScriptedPasskeys()
    let manager: AuthManager
    let screen: Screen

    private init(
        _ service: InMemoryAuthService, settings: Screen.Settings, _ content: some View, branding: Branding,
        emailSignIn: EmailSignIn = .password, waits: Bool = true
    ) async {
        self.service = service
        manager = service.makeManager()
        var settings = settings
        if let textSize = Self.textSize { settings.dynamicTypeSize = textSize }
        screen = Screen(
            content.emailSignIn(emailSignIn)
                .gatehouse(manager, branding: branding, browser: google, passkeys: passkeys),
            settings: settings)
        if waits { await manager.wait { $0.phase != .restoring && !$0.isLoading } }
        await screen.settle()
        // A guest's start asks what the server offers, which takes longer on a busy machine.
        guard waits, manager.phase == .unauthenticated, !service.calls.contains(.settings) else { return }
        await manager.wait { _ in service.calls.contains(.settings) }
        await screen.settle()
    }

    /// - Parameter waits: For the store and the profile.
    static func boxScore(
        _ service: InMemoryAuthService = InMemoryAuthService(), settings: Screen.Settings = Screen.Settings(),
        teams: @escaping @Sendable () async throws -> [Team] = { World.teams },
        emailSignIn: EmailSignIn = .password, waits: Bool = true
    ) async -> World {
        await World(
            service, settings: settings, HomeView(teams: teams), branding: .boxScore, emailSignIn: emailSignIn,
            waits: waits)
    }

    /// The journal.
    static func dailyRitual(
        _ service: InMemoryAuthService = InMemoryAuthService(), settings: Screen.Settings = Screen.Settings(),
        profiles: Profiles
    ) async -> World {
        await World(
            service, settings: settings, JournalView(profile: profiles.calls, date: Fixtures.date),
            branding: .dailyRitual)
    }

    nonisolated static let teams = [
        Team(id: "nfl_12", league: "nfl", name: "Kansas City Chiefs", city: "Kansas City", abbreviation: "KC"),
        Team(id: "nba_2", league: "nba", name: "Miami Heat", city: "Miami", abbreviation: "MIA"),
        Team(id: "nba_1", league: "nba", name: "Boston Celtics", city: "Boston", abbreviation: "BOS"),
    ]

    nonisolated static let offline = "You're offline. Some features may be unavailable."

    /// For a password reset.
    func openMail() async {
        if let link = service.mailLink(.recovery, to: "ada@example.com") { await screen.open(link) }
    }

    func signIn(as email: String = "ada@example.com") async throws {
        try await screen.tap("Sign in")
        try await screen.tap("Sign in with Email")
        try await screen.type(email, into: "Email")
        try await screen.type(Fixtures.password, into: "Password")
        try await screen.submit("Password")
        try await screen.wait("for a user") { _ in manager.isLoggedIn && !manager.isLoading }
    }
}

extension InMemoryAuthService {
    /// Signed in.
    static func signedIn(
        email: String = "ada@example.com", firstName: String? = "Ada", favoriteTeams: [String]
    ) -> InMemoryAuthService {
        .signedIn(email: email, firstName: firstName, others: favorites(favoriteTeams))
    }

    static func favorites(_ teams: [String]) -> AuthJSONObject {
        ["favorite_teams": .array(teams.map(AuthJSON.string))]
    }

    var favoriteTeams: [String]? {
        account(email: "ada@example.com")?.profile?.others["favorite_teams"]?.arrayValue?.compactMap(\.stringValue)
    }
}

/// The gateway's profiles, for one user.
actor Profiles {
    private var profile: Profile
    private var failures = 0
    private(set) var edits: [ProfileEdit] = []

    init(firstName: String? = nil, name: String? = nil, timezone: String? = nil, isPremium: Bool = false) {
        profile = Profile(
            summary: ProfileSummary(id: Fixtures.id(1), firstName: firstName, createdAt: Fixtures.date), name: name,
            timezone: timezone, isPremium: isPremium, updatedAt: Fixtures.date)
    }

    /// The next calls fail.
    func fail(_ count: Int) { failures = count }

    nonisolated var calls: ProfileCalls {
        ProfileCalls {
            try await self.load()
        } save: {
            try await self.save($0)
        }
    }

    private func load() throws -> Profile {
        try fail()
        return profile
    }

    private func save(_ edit: ProfileEdit) throws -> Profile {
        try fail()
        edits.append(edit)
        if case .set(let name) = edit.name { profile.name = name }
        if case .set(let timezone) = edit.timezone { profile.timezone = timezone }
        return profile
    }

    private func fail() throws {
        guard failures > 0 else { return }
        failures -= 1
        throw AuthClientError.refused(AuthRefusal(status: 503, code: nil))
    }
}
