import AppSupport
import AuthServer
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Email and password")
    struct EmailTests {
        // Criteria: 004.1, 004.2
        @Test("004, E3: name, address and password create an account and sign its owner in at once, without a mail")
        func signUp() async throws {
            try await World.with { world in
                try await world.typeSignUp("grace@example.com", name: "Grace")
                try await world.screen.tap("submit")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome, Grace") && world.screen.shows("G"))
                let users = try await world.users()
                #expect(users.count == 1 && users.first?["email"] == "grace@example.com")
                #expect(users.first?["email_confirmed_at"]?.stringValue != nil)
            }
        }

        // Criteria: 003.7, 004.7
        @Test("004, C5: the name of a sign-up is in the profile and on the profile screen")
        func name() async throws {
            try await World.with { world in
                try await world.typeSignUp(name: "  Ada  ")
                try await world.screen.tap("submit")
                try await world.waitForUser()
                try await world.openProfile()
                #expect(world.screen.shows("Ada, ada@example.com"))
                #expect(try await world.accounts.gateway.fetchMe().profile?.firstName == "Ada")
            }
        }

        // Criteria: 004.7
        @Test("004, E5: a name keeps at most 40 characters")
        func longName() async throws {
            try await World.with { world in
                try await world.typeSignUp(name: String(repeating: "a", count: 45))
                try await world.screen.tap("submit")
                try await world.waitForUser()
                #expect(world.manager.user?.firstName == String(repeating: "a", count: 40))
            }
        }

        // Criteria: 004.3
        @Test("004, D1: address and password sign in to the existing account")
        func signIn() async throws {
            try await World.with { world in
                let account = try await world.addAccount()
                try await world.typeSignIn(" ada@example.com ")
                try await world.screen.tap("submit")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome back, Ada"))
                #expect(world.manager.user?.id.uuidString.lowercased() == account.userID)
            }
        }

        // Criteria: 004.4
        @Test(
            "004, E6, D10: a wrong password and an unknown address get the same clear message",
            arguments: [("ada@example.com", "wrong password"), ("nobody@example.com", World.password)])
        func wrongCredentials(_ email: String, _ password: String) async throws {
            try await World.with { world in
                try await world.addAccount()
                try await world.typeSignIn(email, password)
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Incorrect email or password. Please try again.")
                #expect(world.screen.presentations == ["sheet"] && !world.manager.isLoggedIn)
                #expect(try world.screen.value(of: "Email") == email)
                #expect(try world.screen.value(of: "Password") != "", "what was typed can be corrected")
            }
        }

        // Criteria: 004.5
        @Test("004, E6: an address with an account points to sign-in, Apple and Google")
        func duplicate() async throws {
            try await World.with { world in
                try await world.addAccount()
                try await world.typeSignUp(name: "Eve", "another password", again: "another password")
                try await world.screen.tap("submit")
                try await world.screen.wait(
                    for: "An account with this email already exists. Try signing in, or use Apple or Google.")
                #expect(!world.manager.isLoggedIn)
                #expect(try await world.users().count == 1)
                try await world.screen.tap("Already have an account? Sign in")
                try await world.screen.type("ada@example.com", into: "Email")
                try await world.screen.type(World.password, into: "Password")
                try await world.screen.tap("submit")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome back, Ada"))
            }
        }

        // Criteria: 004.13
        @Test("004, E6: the server refuses a common password, and the screen says why")
        func weakPassword() async throws {
            try await World.with { world in
                try await world.typeSignUp("grace@example.com", "password1", again: "password1")
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "This password is too easy to guess. Please choose another one.")
                #expect(try await world.users().isEmpty)
            }
        }

        // Criteria: 004.14
        @Test("004, E6, D9: too many attempts ask the user to wait a moment")
        func tooOften() async throws {
            var rates = AuthRates()
            rates.failedSignIns = 2
            try await World.with(limits: rates) { world in
                try await world.addAccount()
                try await world.typeSignIn("ada@example.com", "wrong password")
                for _ in 1...2 {
                    try await world.screen.type("wrong password", into: "Password")
                    try await world.screen.tap("submit")
                    try await world.screen.wait(for: "Incorrect email or password. Please try again.")
                }
                try await world.screen.type(World.password, into: "Password")
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Too many attempts. Please wait a moment and try again.")
                #expect(!world.manager.isLoggedIn)
                world.clock.advance(by: .seconds(3_600))
                try await world.screen.type(World.password, into: "Password")
                try await world.screen.tap("submit")
                try await world.waitForUser()
            }
        }

        // Criteria: 002.11, 004.15
        @Test("004, E6: without a connection the screen shows the error, keeps the typed text and offers Retry")
        func offline() async throws {
            try await World.with { world in
                world.network.isOffline = true
                try await world.typeSignUp("grace@example.com", name: "Grace")
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Unable to connect. Check your internet and try again.")
                world.network.heal()
                try await world.screen.tap("Retry")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome, Grace"))
            }
        }

        // Criteria: 004.15
        @Test("004, E6: both kinds of server error show the general message", arguments: [500, 503])
        func serverFails(_ status: Int) async throws {
            try await World.with { world in
                try await world.addAccount()
                world.network.answer("/token", status)
                try await world.typeSignIn()
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Something went wrong. Please try again.")
                world.network.heal()
                try await world.screen.tap("Retry")
                try await world.waitForUser()
            }
        }

        // Criteria: 004.5
        @Test("004, D7: after a lost sign-up response the screen says so; a retry finds the account, and sign-in works")
        func lostAnswer() async throws {
            try await World.with { world in
                world.network.lose("/signup")
                try await world.typeSignUp()
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Unable to connect. Check your internet and try again.")
                world.network.heal()
                try await world.screen.tap("Retry")
                try await world.screen.wait(
                    for: "An account with this email already exists. Try signing in, or use Apple or Google.")
                #expect(try await world.users().count == 1)
            }
        }
    }
}
