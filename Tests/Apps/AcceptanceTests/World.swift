import AccountDomain
import AuthServer
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseUI
import GatehouseWire
import HTTPTypes
import SQLDatabase
import ScreenDriver
import SwiftUI
import Synchronization
import TestSupport
import Testing
import WebAuthn

@testable import AppSupport
@testable import BoxScoreScreens
@testable import DailyRitualScreens

@MainActor struct Accounts {
    let manager: AuthManager
    let client: GatehouseClient
    let gateway: GatewayClient

    init(_ manager: AuthManager) throws {
        self.manager = manager
        client = try #require(manager.client)
        gateway = try #require(manager.gateway)
    }
}

/// A device with an app, its server, and the stand-ins of Apple and Google.
@MainActor final class World {
    enum App {
        /// With three teams on its first screen.
        case boxScore
        /// With the teams of every league.
        case boxScoreOfAllLeagues
        case dailyRitual
    }

    /// The shortest valid password.
    nonisolated static let password = "eight ch"

    let server: TestServer
    let network: Network
    let clock: DeviceClock
    let phone: Phone
    /// Outlives the app.
    let storage = MemoryStorage()
    let telemetry = HeardEvents()
    private(set) var accounts: Accounts
    private(set) var screen: Screen
    private let app: App
    private let reports: Bool
    private var complaints: [String] = []

    var manager: AuthManager { accounts.manager }

    private init(_ server: TestServer, _ app: App, _ settings: Screen.Settings, _ reports: Bool) throws {
        (self.server, self.app, self.reports) = (server, app, reports)
        network = Network(server)
        clock = DeviceClock(server)
        phone = Phone(server)
        accounts = try Self.accounts(app, network, storage, clock, telemetry, reports)
        screen = Self.screen(app, accounts, phone, settings)
    }

    /// The app may still be restoring when this returns.
    func restart() throws {
        close()
        accounts = try Self.accounts(app, network, storage, clock, telemetry, reports)
        screen = Self.screen(app, accounts, phone, screen.settings)
    }

    private func close() {
        complaints += screen.complaints
        screen.close()
    }

    private static func accounts(
        _ app: App, _ network: Network, _ storage: MemoryStorage, _ clock: DeviceClock, _ telemetry: HeardEvents,
        _ reports: Bool
    ) throws -> Accounts {
        let values = [
            "GatehouseServer": TestServer.external, "GatehousePublishableKey": "sb_publishable_test",
            "GatehouseRedirect": redirect(of: app),
        ]
        return try Accounts(
            AuthManager(
                ServerSettings { values[$0] }, reportingAs: reports ? name(of: app) : nil, storage: storage,
                transport: network.transport, clock: clock.clock, telemetry: [telemetry], memory: .inMemory()))
    }

    private static func name(of app: App) -> String { app == .dailyRitual ? "dailyritual" : "boxscore" }
    private static func redirect(of app: App) -> String { name(of: app) + "://auth-callback" }

    private static func screen(
        _ app: App, _ accounts: Accounts, _ phone: Phone, _ settings: Screen.Settings
    ) -> Screen {
        switch app {
        case .boxScore:
            // Three rows instead of 124, which each rendering draws.
            let root = HomeView { [gateway = accounts.gateway] in
                try await gateway.teams(league: "nba").filter { ["BOS", "CHI", "MIA"].contains($0.abbreviation) }
            }
            .gatehouse(accounts.manager, branding: .boxScore, passkeys: phone.passkeys)
            return Screen(root.environment(\.providerSheets, phone.sheets), settings: settings)
        case .boxScoreOfAllLeagues:
            let root = HomeView { [gateway = accounts.gateway] in try await gateway.teams() }
                .gatehouse(accounts.manager, branding: .boxScore, passkeys: phone.passkeys)
            return Screen(root.environment(\.providerSheets, phone.sheets), settings: settings)
        case .dailyRitual:
            let root = JournalView(
                profile: ProfileCalls(accounts.manager), date: Date(timeIntervalSince1970: 1_767_225_600)
            )
            .gatehouse(accounts.manager, branding: .dailyRitual, passkeys: phone.passkeys)
            return Screen(root.environment(\.providerSheets, phone.sheets), settings: settings)
        }
    }

    /// Waits until the session is restored and no account request is running.
    func settle() async throws {
        try await screen.wait("for the start") { [manager] screen in
            manager.phase != .restoring && !manager.isLoading && screen.progress.isEmpty
        }
    }

    /// Fails if the screen reports a complaint.
    ///
    /// - Parameter reports: The app reports its events, as on a phone.
    static func with(
        _ app: App = .boxScore, providers: TestProviders = TestProviders(), limits: AuthRates? = nil,
        policy: SessionPolicy = SessionPolicy(), sendsMail: Bool = false, reports: Bool = false,
        hasPasskeys: Bool = false, passkeySignUp: Bool = false, settings: Screen.Settings = Screen.Settings(),
        sourceLocation: SourceLocation = #_sourceLocation,
        _ test: (World) async throws -> Void
    ) async throws {
        let passkeys = hasPasskeys || passkeySignUp ? passkeySignUp : nil
        let server = try await server(providers, limits, policy, sendsMail, passkeys)
        do {
            let world = try World(server, app, settings, reports)
            try await world.settle()
            try await test(world)
            world.close()
            #expect(world.complaints.isEmpty, sourceLocation: sourceLocation)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    nonisolated private static func server(
        _ providers: TestProviders, _ limits: AuthRates?, _ policy: SessionPolicy, _ sendsMail: Bool,
        _ passkeySignUp: Bool?
    ) async throws -> TestServer {
        let party = try RelyingParty(id: "example.org", name: "BoxScore", origins: [DevicePasskeys.origin])
        return try await TestServer(
            limits: limits, policy: policy, providers: providers, factors: .withRecoveryCodes
        ) { settings in
            settings.redirects = RedirectAllowList(
                siteURL: "https://app.example.org",
                entries: ["boxscore://auth-callback", "dailyritual://auth-callback"])
            if let passkeySignUp {
                (settings.passkeys, settings.identity) = (PasskeyRules(), AppIdentity(party: party))
                settings.passkeys?.allowsSignUp = passkeySignUp
            }
            if sendsMail { (settings.mail, settings.confirmsAutomatically) = (MailRules(), false) }
        }
    }
}

// Actions of the user.
extension World {
    func openLogin() async throws { try await screen.tap("Sign in") }

    func openProfile() async throws {
        try await screen.tap("Your profile")
        try await screen.wait { $0.title == "Profile" }
    }

    func typeSignIn(_ email: String = "ada@example.com", _ password: String = World.password) async throws {
        try await openLogin()
        try await screen.tap("Sign in with Email")
        try await screen.type(email, into: "Email")
        try await screen.type(password, into: "Password")
    }

    func typeSignUp(
        _ email: String = "ada@example.com", name: String = "Ada", _ password: String = World.password,
        again confirmation: String = World.password
    ) async throws {
        try await openLogin()
        try await screen.tap("Create Account")
        try await screen.type(name, into: "Name")
        try await screen.type(email, into: "Email")
        try await screen.type(password, into: "Password")
        try await screen.type(confirmation, into: "Confirm Password")
    }

    /// The sheet has closed itself over a signed-in user's first screen.
    func waitForUser() async throws {
        try await screen.wait("for a user") { [manager] screen in
            screen.presentations.isEmpty && screen.has(button: "Your profile") && !manager.isLoading
        }
    }

    func waitForGuest() async throws {
        try await screen.wait("for a guest") { [manager] screen in
            screen.presentations.isEmpty && screen.has(button: "Sign in") && !manager.isLoading
        }
    }

    /// Signs in by a provider's sheet.
    func signIn(with provider: String, as person: Phone.Person = .verified) async throws {
        if provider == "Apple" { phone.apple = .chooses(person) } else { phone.google = .chooses(person) }
        try await openLogin()
        try await screen.tap("Sign in with \(provider)")
    }

    func signOut() async throws {
        try await openProfile()
        try await screen.tap("Sign Out")
        try await screen.tap("Sign Out")
        try await waitForGuest()
    }
}

extension World {
    /// Before the test begins.
    func begin(as email: String = "ada@example.com", name: String? = "Ada", teams: [String] = []) async throws {
        try await manager.signUpWithEmail(email, password: World.password, firstName: name)
        if !teams.isEmpty { try await manager.updateProfile(favoriteTeams: teams) }
        // DailyRitual's onboarding has no profile button.
        try await screen.wait("for a user") { [manager] screen in
            manager.isProfileLoaded && !manager.isLoading && !screen.has(button: "Sign in")
        }
    }

    @discardableResult
    func addAccount(_ email: String = "ada@example.com", name: String? = "Ada") async throws -> TestSession {
        try await server.signUp(
            email, password: World.password, data: name.map { ["first_name": .string($0)] } ?? .null)
    }

    /// The accounts of the server.
    func users() async throws -> [AuthJSON] {
        try await server.admin(.get, "/users")["users"]?.arrayValue ?? []
    }

    /// The sign-in methods of an account.
    func providers(of email: String) async throws -> [String] {
        let id = try await users().first { $0["email"]?.stringValue == email }?["id"]?.stringValue ?? ""
        let user = try await server.admin(.get, "/users/\(id)")
        return (user["identities"]?.arrayValue ?? []).compactMap { $0["provider"]?.stringValue }.sorted()
    }

    /// As when the owner signs out everywhere.
    func endSessions(of email: String = "ada@example.com") async throws {
        let other = try await server.signIn(email, password: World.password)
        let answer = try await server.send(
            .post, "/auth/v1/logout?scope=global", bearer: other["access_token"]?.stringValue)
        guard answer.status == 204 else { throw UnexpectedAnswer(answer: answer) }
    }

    /// - Returns: false after the test's time limit.
    func isStoreEmptied() async -> Bool {
        while await !storage.contents.isEmpty, !Task.isCancelled { await Task.yield() }
        return await storage.contents.isEmpty
    }

    var refreshCount: Int { network.count("POST /auth/v1/token?grant_type=refresh_token") }
    var profileLoads: Int { network.count("GET /v1/auth/me") }
}

/// Records every event.
final class HeardEvents: TelemetrySink {
    private let heard = Mutex<[TelemetryEvent]>([])
    var events: [TelemetryEvent] { heard.withLock { $0 } }
    func record(_ event: TelemetryEvent) { heard.withLock { $0.append(event) } }
}

/// Records every line of the log.
final class HeardLines: Sendable {
    private let heard = Mutex<[String]>([])
    var all: [String] { heard.withLock { $0 } }

    @Sendable func hear(_ level: TelemetryLevel, _ line: String) { heard.withLock { $0.append(line) } }
}
