import Foundation
import Gatehouse
import GatehouseUI
import ScreenDriver
import SwiftUI
import TestSupport
import Testing

extension AcceptanceTests {
    /// One import, one object and one modifier.
    @MainActor @Suite("The ten-line app")
    struct TenLineTests {
        // Criteria: 000.26
        @Test("000, B9, E1: an app of ten lines leads from the guest to the profile by taps")
        func taps() async throws {
            try await World.with { world in
                let account = AuthManager(
                    url: TestServer.external, publishableKey: "sb_publishable_test", storage: MemoryStorage(),
                    transport: world.network.transport, clock: world.clock.clock, memory: .inMemory())
                let screen = Screen(JournalHome().gatehouse(account))
                #expect(account.setupProblem == nil && screen.buttons == ["Sign in"])
                try await screen.tap("Sign in")
                try await screen.wait { _ in account.serverSettings != nil }
                #expect(!screen.has(button: "Sign in with Google"), "the app has no URL scheme to come back to")
                try await screen.tap("Create Account")
                for (field, text) in [
                    ("Name", "Grace"), ("Email", "grace@example.com"), ("Password", World.password),
                    ("Confirm Password", World.password),
                ] {
                    try await screen.type(text, into: field)
                }
                try await screen.tap("submit")
                try await screen.wait { $0.presentations.isEmpty && $0.has(button: "Your profile") }
                try await screen.tap("Your profile")
                try await screen.wait(for: "Grace, grace@example.com")
                #expect(screen.complaints.isEmpty)
                screen.close()
            }
        }

        // Criteria: 000.26
        @Test(
            "000, B9: an https redirect URL, to which no browser sheet comes back, hides the providers that need one",
            arguments: [("https://journal.example.com/back", false), ("journal://back", true)])
        func redirectScheme(_ redirect: String, _ isOffered: Bool) async throws {
            try await World.with { world in
                let account = AuthManager(
                    url: TestServer.external, publishableKey: "sb_publishable_test", redirectTo: redirect,
                    storage: MemoryStorage(), transport: world.network.transport, clock: world.clock.clock,
                    memory: .inMemory())
                let screen = Screen(JournalHome().gatehouse(account))
                #expect(account.setupProblem == nil)
                try await screen.tap("Sign in")
                try await screen.wait { _ in account.serverSettings != nil }
                try await screen.wait { $0.has(button: "Create Account") }
                #expect(screen.has(button: "Sign in with Google") == isOffered)
                screen.close()
            }
        }

        // Criteria: 000.26
        @Test("000, B9: a view without the modifier says so in place, and does not crash")
        func withoutModifier() async throws {
            let screen = Screen(JournalHome())
            #expect(screen.shows("Add .gatehouse(account) to a view above this one."))
            for view in [AnyView(LoginView()), AnyView(ProfileView()), AnyView(SignInMethodsView())] {
                let screen = Screen(view)
                #expect(screen.texts == ["Add .gatehouse(account) to a view above this one."])
            }
        }

        // Criteria: 000.26
        @Test(
            "000, B9: a wrong value is reported with the parameter's name by the first call",
            arguments: [
                ("accounts.example.com", "sb_publishable_1", nil, nil, "url"),
                ("ftp://accounts.example.com", "sb_publishable_1", nil, nil, "url"),
                ("http://accounts.example.com", "sb_publishable_1", nil, nil, "url"),
                ("https://accounts.example.com", "", nil, nil, "publishableKey"),
                ("https://accounts.example.com", "sb_secret_1", nil, nil, "publishableKey"),
                ("https://accounts.example.com", "sb_publishable_1", "api", nil, "gateway"),
                ("https://accounts.example.com", "sb_publishable_1", nil, "journal", "redirectTo"),
            ] as [(String, String, String?, String?, String)])
        func wrong(_ url: String, _ key: String, _ gateway: String?, _ redirect: String?, _ parameter: String)
            async throws
        {
            let lines = HeardLines()
            let account = AuthManager(
                url: url, publishableKey: key, gateway: gateway, redirectTo: redirect, storage: MemoryStorage(),
                log: lines.hear)
            let error = await #expect(throws: AuthError.self) {
                try await account.signInWithEmail("ada@example.com", password: World.password)
            }
            let problem = try #require(account.setupProblem)
            #expect(problem.parameter == parameter && error == .setup(problem))
            #expect(lines.all.contains { $0.hasPrefix("setup \(parameter): ") })
        }

        // Criteria: 000.26
        @Test("000, B9: the redirect URL comes from the first URL scheme of the app's Info.plist")
        func redirect() {
            let types: [[String: Any]] = [["CFBundleURLName": "x"], ["CFBundleURLSchemes": ["journal", "other"]]]
            #expect(ManagerSetup.redirect(of: ["CFBundleURLTypes": types]) == "journal://auth-callback")
            #expect(ManagerSetup.redirect(of: [:]) == nil)
        }
    }
}
