import AccountDomain
import AppSupport
import Foundation
import Gatehouse
import GatehouseModel
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Second factors")
    struct FactorTests {
        /// Up to the second step.
        private func typePassword(_ world: World) async throws {
            try await world.typeSignIn()
            try await world.screen.tap("submit")
            try await world.screen.wait { $0.title == "Confirm It's You" }
        }

        /// The code of 30 seconds later: each is single-use.
        private func typeNextCode(_ secret: String, _ world: World) async throws {
            world.server.clock.advance(by: .seconds(30))
            try await world.screen.type(try #require(world.server.appCode(secret)), into: "Code")
        }

        /// After the last proof is too old.
        private func askToDelete(_ world: World) async throws {
            world.server.clock.advance(by: .seconds(601))
            try await world.openProfile()
            try await world.screen.tap("Delete Account")
            try await world.screen.tap("Delete Account")
            try await world.screen.wait { $0.title == "Confirm It's You" }
        }

        // Criteria: 005.1, 005.2, 005.3
        @Test(
            "005: an authenticator app is added with its first code, other sessions end, and recovery codes show once")
        func enroll() async throws {
            try await World.with { world in
                try await world.begin()
                _ = try await world.server.signIn("ada@example.com", password: World.password)
                let (_, codes) = try await world.addApp()
                #expect(codes.count == 10 && Set(codes).count == 10)
                let user = try #require(await world.accounts.client.currentUser)
                #expect(user.factors?.map(\.factorType.rawValue).sorted() == ["recovery_code", "totp"])
                #expect(try await world.manager.devices.list().count == 1)
                try await world.openProfile()
                try await world.screen.tap("Security")
                try await world.screen.wait(for: "10 of 10 left")
                #expect(!world.screen.texts.contains { codes.contains($0) })
            }
        }

        // Criteria: 005.4, 005.6
        @Test("005: a stolen password alone opens nothing; the app's code signs in, and each code works once")
        func code() async throws {
            try await World.with { world in
                try await world.begin()
                let (secret, _) = try await world.addApp()
                try await world.signOut()
                try await typePassword(world)
                #expect(!world.manager.isLoggedIn && world.manager.user == nil)
                await #expect(throws: AuthClientError.self) {
                    try await world.accounts.client.update(user: AuthUserAttributes(password: "another battery"))
                }
                // The code that has proven the app.
                try await world.screen.type(try #require(world.server.appCode(secret)), into: "Code")
                try await world.screen.wait(for: "The code is wrong or has expired.")
                try await typeNextCode(secret, world)
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome back, Ada"))
            }
        }

        // Criteria: 005.5
        @Test("005: a stolen mailbox alone opens nothing: a password reset asks for the code before the new password")
        func mailbox() async throws {
            try await World.with(sendsMail: true) { world in
                try await world.typeSignUp()
                try await world.screen.tap("submit")
                try await world.screen.wait { $0.has(field: "Code") }
                let mailed = try await world.server.mailedCode(to: "ada@example.com", of: [.signUp])
                try await world.screen.type(try #require(mailed), into: "Code")
                try await world.waitForUser()
                let (secret, _) = try await world.addApp()
                try await world.signOut()
                world.server.clock.advance(by: .seconds(61))
                try await world.openLogin()
                try await world.screen.tap("Sign in with Email")
                try await world.screen.type("ada@example.com", into: "Email")
                try await world.screen.tap("Forgot password?")
                try await world.screen.tap("Send Email")
                try await world.screen.wait { $0.has(field: "Code") }
                let reset = try await world.server.mailedCode(to: "ada@example.com", of: [.recovery])
                try await world.screen.type(try #require(reset), into: "Code")
                try await world.screen.wait { $0.title == "Confirm It's You" }
                #expect(!world.manager.isLoggedIn)
                try await world.screen.type(try #require(world.server.appCode(secret)), into: "Code")
                try await world.screen.wait { $0.title == "New Password" }
                #expect(world.manager.isLoggedIn)
            }
        }

        // Criteria: 005.7
        @Test("005: a user without the phone signs in with a recovery code, in any spelling, once")
        func recoveryCode() async throws {
            try await World.with { world in
                try await world.begin()
                let (_, codes) = try await world.addApp()
                try await world.signOut()
                for attempt in 0..<2 {
                    try await typePassword(world)
                    try await world.screen.tap("Use a Recovery Code")
                    try await world.screen.type(codes[0].uppercased(), into: "Code")
                    try await world.screen.tap("submit")
                    if attempt == 0 {
                        try await world.waitForUser()
                        try await world.signOut()
                    }
                }
                try await world.screen.wait(for: "The code is wrong or has expired.")
                #expect(!world.manager.isLoggedIn)
            }
        }

        // Criteria: 005.8
        @Test("005: five wrong recovery codes lock them, and the app still signs in")
        func locked() async throws {
            try await World.with { world in
                try await world.begin()
                let (secret, codes) = try await world.addApp()
                try await world.signOut()
                try await typePassword(world)
                try await world.screen.tap("Use a Recovery Code")
                for _ in 0..<5 {
                    try await world.screen.type("wrong", into: "Code")
                    try await world.screen.tap("submit")
                    try await world.screen.wait(for: "The code is wrong or has expired.")
                }
                try await world.screen.type(codes[0], into: "Code")
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Too many wrong codes. Please wait a while, or use another way.")
                try await world.screen.tap("Use an Authenticator App")
                try await typeNextCode(secret, world)
                try await world.waitForUser()
            }
        }

        // Criteria: 005.9
        @Test("005: a code whose answer is lost signs nobody out, and the next one signs in; a restart asks again")
        func lost() async throws {
            try await World.with { world in
                try await world.begin()
                let (secret, _) = try await world.addApp()
                try await world.signOut()
                try await typePassword(world)
                world.server.clock.advance(by: .seconds(30))
                world.network.lose("/verify", times: 1)
                try await world.screen.type(try #require(world.server.appCode(secret)), into: "Code")
                try await world.screen.wait(for: "Unable to connect. Check your internet and try again.")
                try world.restart()
                try await world.screen.wait { $0.title == "Confirm It's You" }
                try await typeNextCode(secret, world)
                try await world.waitForUser()
            }
        }

        // Criteria: 005.10
        @Test("005: giving up the second step signs out, and nothing of the session is left")
        func cancelled() async throws {
            try await World.with { world in
                try await world.begin()
                _ = try await world.addApp()
                try await world.signOut()
                try await typePassword(world)
                try await world.screen.tap("Cancel")
                try await world.screen.wait { _ in world.manager.phase == .unauthenticated }
                #expect(await world.isStoreEmptied())
            }
        }

        // Criteria: 005.11
        @Test("005: the deletion asks for a fresh proof where the server requires one, and goes on with it")
        func freshProof() async throws {
            try await World.with(policy: SessionPolicy(freshSignIn: .seconds(600))) { world in
                try await world.begin()
                try await askToDelete(world)
                try await world.screen.type("wrong password", into: "Password")
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "That isn't your account's password.")
                try await world.screen.type(World.password, into: "Password")
                try await world.screen.tap("submit")
                try await world.waitForGuest()
                #expect(try await world.users().isEmpty)
            }
        }

        // Criteria: 005.12
        @Test("005: a question for a proof that is dismissed changes nothing, and shows no error")
        func dismissed() async throws {
            try await World.with(policy: SessionPolicy(freshSignIn: .seconds(600))) { world in
                try await world.begin()
                try await askToDelete(world)
                try await world.screen.tap("Cancel")
                try await world.screen.wait { $0.title == "Profile" && $0.presentations == ["sheet"] }
                #expect(world.manager.isLoggedIn)
                #expect(try await world.users().count == 1)
            }
        }

        // Criteria: 005.11
        @Test("005: with a second factor the proof is its code, never the password")
        func freshFactor() async throws {
            try await World.with(policy: SessionPolicy(freshSignIn: .seconds(600))) { world in
                try await world.begin()
                let (secret, _) = try await world.addApp()
                try await askToDelete(world)
                #expect(!world.screen.has(button: "Use Your Password") && world.screen.has(field: "Code"))
                try await world.screen.type(try #require(world.server.appCode(secret)), into: "Code")
                try await world.waitForGuest()
                #expect(try await world.users().isEmpty)
            }
        }

        // Criteria: 005.13
        @Test("005: factor and recovery codes are removed on the security screen, and a password is enough again")
        func remove() async throws {
            try await World.with { world in
                try await world.begin()
                _ = try await world.addApp()
                try await world.openProfile()
                try await world.screen.tap("Security")
                try await world.screen.wait { $0.has(button: "Remove Authenticator App") }
                try await world.screen.tap("Remove Authenticator App")
                try await world.screen.tap("Remove")
                try await world.screen.wait(for: "Remove the recovery codes first.")
                try await world.screen.tap("Remove Recovery Codes")
                try await world.screen.tap("Remove Recovery Codes")
                try await world.screen.wait { $0.has(button: "Create Recovery Codes") }
                try await world.screen.tap("Remove Authenticator App")
                try await world.screen.tap("Remove")
                try await world.screen.wait { !$0.has(button: "Remove Authenticator App") }
                try await world.screen.tap("BackButton")
                try await world.screen.tap("Done")
                try await world.signOut()
                try await world.typeSignIn()
                try await world.screen.tap("submit")
                try await world.waitForUser()
            }
        }
    }
}

extension World {
    /// - Returns: The secret and recovery codes on the screen.
    func addApp() async throws -> (secret: String, codes: [String]) {
        try await openProfile()
        try await screen.tap("Security")
        try await screen.wait { $0.has(button: "Add an Authenticator App") }
        try await screen.tap("Add an Authenticator App")
        try await screen.wait { $0.has(field: "Code") }
        let secret = try #require(screen.texts.first { $0.split(separator: " ").count == 8 })
        try await screen.type(try #require(server.appCode(secret)), into: "Code")
        try await screen.wait { $0.has(button: "I've Saved Them") }
        let codes = screen.texts.filter { $0.split(separator: "-").count == 4 }
        try await screen.tap("I've Saved Them")
        try await screen.wait(for: "10 of 10 left")
        try await screen.tap("BackButton")
        try await screen.tap("Done")
        return (secret, codes)
    }
}
