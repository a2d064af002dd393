import AccountDomain
import Foundation
import GatehouseModel
import GatehouseWire
import HTTPTypes
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    /// "Account linking conflict" of design 002; requirement D7 decides which account an identity opens.
    @MainActor @Suite("Linking two sign-in methods")
    struct LinkingTests {
        private static let conflict = "This email is already associated with another account."
        private static let ada = Phone.Person.existing("ada@example.com")

        // Criteria: 002.6, 002.7
        @Test(
            "002, D7: a user with a password links a provider by entering it, and keeps all data",
            arguments: ["Google", "Apple"])
        func password(_ provider: String) async throws {
            try await World.with { world in
                try await world.begin(teams: ["nba_1610612748"])
                let id = world.manager.user?.id
                try await world.signOut()
                try await world.signIn(with: provider, as: Self.ada)
                try await world.screen.wait { $0.title == "Link Accounts" }
                #expect(world.screen.shows("ada@example.com already has an account. Sign in to it to link the two."))
                try await world.screen.type(World.password, into: "Password")
                try await world.screen.tap("Link with Password")
                try await world.waitForUser()
                #expect(world.manager.user?.id == id && world.screen.has(button: "Unfollow Miami Heat"))
                #expect(world.screen.shows("Welcome back, Ada"))
                #expect(try await world.providers(of: "ada@example.com") == [provider.lowercased(), "email"].sorted())
                try await world.signOut()
                try await world.signIn(with: provider, as: Self.ada)
                try await world.waitForUser()
                #expect(world.manager.user?.id == id, "from now on without a question")
            }
        }

        // Criteria: 002.22
        @Test("002, D7: an address that Google and Apple both verify opens one account, without a question")
        func provenByBoth() async throws {
            try await World.with { world in
                try await world.signIn(with: "Google")
                try await world.waitForUser()
                let id = world.manager.user?.id
                try await world.signOut()
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                #expect(world.manager.user?.id == id)
                #expect(try await world.providers(of: "verified@example.com") == ["apple", "google"])
            }
        }

        // Criteria: 005.21
        @Test("002, 005, D7: an account with a second factor links after its password and its code, in one session")
        func secondFactor() async throws {
            try await World.with { world in
                try await world.begin()
                let id = world.manager.user?.id
                let (secret, _) = try await world.addApp()
                try await world.signOut()
                try await world.signIn(with: "Google", as: Self.ada)
                try await world.screen.wait { $0.title == "Link Accounts" }
                try await world.screen.type(World.password, into: "Password")
                try await world.screen.tap("Link with Password")
                try await world.screen.wait { $0.title == "Confirm It's You" }
                #expect(!world.manager.isLoggedIn && world.manager.user == nil)
                #expect(try await world.providers(of: "ada@example.com") == ["email"])
                world.server.clock.advance(by: .seconds(30))
                try await world.screen.type(try #require(world.server.appCode(secret)), into: "Code")
                try await world.waitForUser()
                #expect(world.manager.user?.id == id && world.screen.complaints.isEmpty)
                #expect(try await world.providers(of: "ada@example.com") == ["email", "google"])
                #expect(try await world.manager.devices.list().count == 1)
                #expect(try await world.manager.factors.list().count == 2)
            }
        }

        // Criteria: 002.21
        @Test("002, E7: the conflict has its exact message, and Back returns to the login sheet")
        func back() async throws {
            try await World.with { world in
                try await world.addAccount()
                try await world.signIn(with: "Google", as: Self.ada)
                try await world.screen.wait { $0.title == "Link Accounts" }
                try await world.screen.goBack()
                #expect(world.screen.shows(Self.conflict))
                #expect(world.manager.linkQuestion == nil && !world.manager.isLoggedIn)
                #expect(try await world.providers(of: "ada@example.com") == ["email"])
                try await world.screen.tap("Continue as Guest")
                try await world.waitForGuest()
            }
        }

        // Criteria: 002.21
        @Test("002, D7: a wrong password links nothing, shows an error and can be corrected")
        func wrongPassword() async throws {
            try await World.with { world in
                try await world.addAccount()
                try await world.signIn(with: "Google", as: Self.ada)
                try await world.screen.wait { $0.title == "Link Accounts" }
                try await world.screen.type("wrong password", into: "Password")
                try await world.screen.submit("Password")
                try await world.screen.wait(for: "Incorrect email or password. Please try again.")
                #expect(try world.screen.value(of: "Password") != "" && !world.manager.isLoggedIn)
                #expect(try await world.providers(of: "ada@example.com") == ["email"])
            }
        }

        // Criteria: 002.23
        @Test("002, D8: the owner of a taken address starts anew after a warning, and the other user keeps the account")
        func recover() async throws {
            try await World.with { world in
                let eve = try await world.addAccount(name: "Eve")
                try await world.signIn(with: "Google", as: Self.ada)
                try await world.screen.wait { $0.title == "Link Accounts" }
                try await world.screen.tap("Start Over with This Email")
                #expect(
                    world.screen.shows("The account that has this email now will lose it, but keep everything else."))
                try await world.screen.tap("Cancel")
                #expect(!world.manager.isLoggedIn)
                try await world.screen.tap("Start Over with This Email")
                try await world.screen.tap("Start Over with This Email")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome, Existing"))
                #expect(world.manager.user?.id.uuidString.lowercased() != eve.userID)
                let old = try #require(TestSession(try await world.server.signIn(password: World.password)))
                #expect(old.userID == eve.userID)
                #expect(try await world.server.refresh(eve.refreshToken).status == 200)
            }
        }

        // Criteria: 002.22
        @Test("002, D7: with the confirm policy, the account's other provider confirms the link")
        func confirmByProvider() async throws {
            try await World.with(providers: TestProviders(linking: .confirm)) { world in
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                let id = world.manager.user?.id
                try await world.signOut()
                try await world.signIn(with: "Google")
                try await world.screen.wait { $0.title == "Link Accounts" }
                #expect(!world.screen.has(field: "Password") && !world.screen.has(button: "Start Over with This Email"))
                try await world.screen.tap("Sign in with Apple")
                try await world.waitForUser()
                #expect(world.manager.user?.id == id)
                #expect(try await world.providers(of: "verified@example.com") == ["apple", "google"])
            }
        }

        // Criteria: 002.22
        @Test("002, D7: an owner who forgot the password links by a code to the address, once a stranger is out")
        func mailedCode() async throws {
            try await World.with(sendsMail: true) { world in
                // Confirmed without an email, so the address is unproven.
                let link = try await world.server.admin(
                    .post, "/generate_link",
                    json: [
                        "type": "signup", "email": "ada@example.com", "password": .string(World.password),
                        "data": ["first_name": "Ada"],
                    ])
                let hash = try #require(link["hashed_token"])
                let confirmed = try await world.server.send(
                    .post, "/auth/v1/verify", json: ["type": "signup", "token_hash": hash])
                let made = try #require(TestSession(confirmed))
                try await world.signIn(with: "Google", as: Self.ada)
                try await world.screen.wait { $0.title == "Link Accounts" }
                try await world.screen.tap("Email Me a Code")
                try await world.screen.wait(for: "We've sent a code to ada@example.com.")
                let code = try #require(
                    try await world.server.mailedCode(to: "ada@example.com", of: [.linkConfirmation]))
                try await world.screen.type(code == "000000" ? "000001" : "000000", into: "Code")
                try await world.screen.wait(for: "The code is wrong or has expired.")
                #expect(!world.manager.isLoggedIn)
                try await world.screen.type(code, into: "Code")
                try await world.waitForUser()
                #expect(world.manager.user?.id.uuidString.lowercased() == made.userID)
                #expect(world.screen.shows("Welcome back, Ada"))
                #expect(try await world.providers(of: "ada@example.com") == ["email", "google"])
                #expect(try await world.server.signIn(password: World.password).code == "credential_set_aside")
            }
        }

        // Criteria: 002.3
        @Test("002, D7: a relay address gets its own account, whatever accounts exist")
        func hidden() async throws {
            try await World.with { world in
                try await world.signIn(with: "Google")
                try await world.waitForUser()
                let id = world.manager.user?.id
                try await world.signOut()
                try await world.signIn(with: "Apple", as: Phone.Person(id: "hidden"))
                try await world.waitForUser()
                #expect(world.manager.user?.id != id)
                #expect(try await world.users().count == 2)
            }
        }

        // Criteria: 002.24
        @Test("002, D7: the profile screen adds a sign-in method and removes it again, but never the last one")
        func byHand() async throws {
            try await World.with { world in
                try await world.begin()
                (world.phone.google, world.phone.apple) = (.chooses(.verified), .chooses(.verified))
                try await world.openProfile()
                try await world.screen.tap("Sign-In Methods")
                try await world.screen.wait(for: "Add another way to sign in before you remove this one.")
                #expect(!world.screen.has(button: "Remove Email and Password"))
                try await world.screen.tap("Sign in with Google")
                try await world.screen.wait { $0.has(button: "Remove Google") }
                try await world.screen.tap("Sign in with Apple")
                try await world.screen.wait { $0.has(button: "Remove Apple") }
                try await world.screen.tap("Remove Google")
                #expect(world.screen.shows("You'll no longer be able to sign in this way."))
                try await world.screen.tap("Remove")
                try await world.screen.wait { $0.has(button: "Sign in with Google") }
                #expect(try await world.providers(of: "ada@example.com") == ["apple", "email"])
                #expect(world.telemetry.events.contains(.linked(existing: .email, new: .google)))
            }
        }

        // Criteria: 002.21
        @Test("002, E7: a provider account of another user cannot be added, and the screen says so")
        func belongsToAnother() async throws {
            try await World.with { world in
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                try await world.signOut()
                try await world.begin()
                try await world.openProfile()
                try await world.screen.tap("Sign-In Methods")
                try await world.screen.wait(for: "Email and Password")
                try await world.screen.tap("Sign in with Apple")
                try await world.screen.wait(for: Self.conflict)
                #expect(try await world.providers(of: "ada@example.com") == ["email"])
            }
        }
    }
}
