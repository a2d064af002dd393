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
    @MainActor @Suite("Address and password")
    struct EmailTests {
        @Test("004, E3: name, address and password make an account, and its owner is signed in at once, without a mail")
        func signUp() async throws {
            try await World.with { world in
                try await world.typeSignUp("grace@example.com", name: "Grace")
                try await world.screen.tap("submit")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome back, Grace") && world.screen.shows("G"))
                let users = try await world.users()
                #expect(users.count == 1 && users.first?["email"] == "grace@example.com")
                #expect(users.first?["email_confirmed_at"]?.stringValue != nil)
            }
        }

        @Test("004, C5: the name of a sign-up is in the profile, and the profile screen shows it")
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

        @Test("004, E5: at most 40 characters of a name are kept")
        func longName() async throws {
            try await World.with { world in
                try await world.typeSignUp(name: String(repeating: "a", count: 45))
                try await world.screen.tap("submit")
                try await world.waitForUser()
                #expect(world.manager.user?.firstName == String(repeating: "a", count: 40))
            }
        }

        @Test("004, D1: address and password sign in to the account that is there")
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
                #expect(try world.screen.value(of: "Password") == "", "no password outlives its attempt")
            }
        }

        @Test("004, E6: an address that has an account already points to signing in, Apple and Google")
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

        @Test("004, E6: a password that is on everybody's list is refused by the server in the words for weak ones")
        func weakPassword() async throws {
            try await World.with { world in
                try await world.typeSignUp("grace@example.com", "password1", again: "password1")
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Password must be at least 8 characters.")
                #expect(try await world.users().isEmpty)
            }
        }

        @Test("004, E6, D9: whoever has tried too often is asked to wait a moment")
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

        @Test("004, E6: without a connection the screen says so, keeps what was typed, and offers to try again")
        func offline() async throws {
            try await World.with { world in
                world.network.isOffline = true
                try await world.typeSignUp("grace@example.com", name: "Grace")
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Unable to connect. Check your internet and try again.")
                world.network.heal()
                try await world.screen.tap("Retry")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome back, Grace"))
            }
        }

        @Test("004, E6: a server that fails, in either way, is told in the general words", arguments: [500, 503])
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

        @Test("004, D7: a sign-up whose answer was lost says so; trying again finds the account, and signing in works")
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
