import AccountDomain
import AuthServer
import Foundation
import Gatehouse
import GatehouseModel
import HTTPTypes
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Mails")
    struct MailTests {
        /// Of the newest email.
        private func code(
            _ world: World, _ kinds: Set<MailKind>, to address: String = "ada@example.com"
        ) async throws -> String { try #require(try await world.server.mailedCode(to: address, of: kinds)) }

        /// Signs up with an emailed code.
        private func signUp(_ world: World) async throws {
            try await world.typeSignUp()
            try await world.screen.tap("submit")
            try await world.screen.wait { $0.has(field: "Code") }
            try await world.screen.type(try await code(world, [.signUp]), into: "Code")
            try await world.waitForUser()
        }

        // Criteria: 004.18
        @Test("004, D11: a sign-up waits for the code of its mail, whose owner it then signs in")
        func signUp() async throws {
            try await World.with(sendsMail: true) { world in
                try await world.typeSignUp()
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "If ada@example.com can be used here, we've sent a code to it.")
                let code = try await code(world, [.signUp])
                try await world.screen.type(code == "000000" ? "000001" : "000000", into: "Code")
                try await world.screen.wait(for: "The code is wrong or has expired.")
                #expect(!world.manager.isLoggedIn)
                try await world.screen.type(code, into: "Code")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome, Ada") && world.manager.isNewUser)
            }
        }

        // Criteria: 004.18
        @Test("004, D11: the link of the same mail signs in too, on the device that asked")
        func link() async throws {
            try await World.with(sendsMail: true) { world in
                try await world.typeSignUp()
                try await world.screen.tap("submit")
                try await world.screen.wait { $0.has(field: "Code") }
                let path = try await world.server.deliveredMail().path
                // The form that the page's button sends.
                let form = Array((path.split(separator: "?").last ?? "").utf8)
                let answer = try await world.server.send(
                    .post, "/auth/v1/verify/page", headers: [.contentType: "application/x-www-form-urlencoded"],
                    raw: form)
                await world.screen.open(try #require(answer.headers[.location].flatMap { URL(string: $0) }))
                try await world.waitForUser()
            }
        }

        // Criteria: 004.19
        @Test("004, D11: a forgotten password is replaced after a code")
        func recovery() async throws {
            try await World.with(sendsMail: true) { world in
                try await signUp(world)
                try await world.signOut()
                try await world.openLogin()
                try await world.screen.tap("Sign in with Email")
                try await world.screen.type("ada@example.com", into: "Email")
                try await world.screen.tap("Forgot password?")
                try await world.screen.tap("Send Email")
                try await world.screen.wait { $0.has(field: "Code") }
                try await world.screen.type(try await code(world, [.recovery]), into: "Code")
                try await world.screen.wait { $0.title == "New Password" }
                for field in ["New Password", "Confirm Password"] {
                    try await world.screen.type("another password", into: field)
                }
                try await world.screen.tap("Save Password")
                try await world.waitForUser()
                try await world.signOut()
                try await world.typeSignIn("ada@example.com", "another password")
                try await world.screen.tap("submit")
                try await world.waitForUser()
            }
        }

        // Criteria: 004.20
        @Test("004, D1: a new address applies after the codes of both mails")
        func emailChange() async throws {
            try await World.with(sendsMail: true) { world in
                try await signUp(world)
                try await world.openProfile()
                try await world.screen.tap("Sign-In Methods")
                try await world.screen.wait { $0.has(button: "Change Email") }
                try await world.screen.tap("Change Email")
                try await world.screen.type("countess@example.com", into: "New Email")
                try await world.screen.tap("Save Email")
                try await world.screen.wait(for: "We've sent a code to countess@example.com.")
                let new = try await code(world, [.emailChangeNew], to: "countess@example.com")
                try await world.screen.type(new, into: "Code")
                try await world.screen.wait(for: "We've sent a code to ada@example.com.")
                try await world.screen.type(try await code(world, [.emailChangeCurrent]), into: "Code")
                try await world.screen.wait { $0.title == "Sign-In Methods" && $0.has(button: "Change Email") }
                try await world.screen.wait { _ in world.manager.user?.email == "countess@example.com" }
                #expect(try await world.users().compactMap { $0["email"]?.stringValue } == ["countess@example.com"])
            }
        }

        // Criteria: 004.19
        @Test("004, D11: a server that sends no mail offers no new password")
        func withoutMail() async throws {
            try await World.with { world in
                try await world.openLogin()
                try await world.screen.wait { _ in world.manager.serverSettings != nil }
                try await world.screen.tap("Sign in with Email")
                #expect(!world.screen.has(button: "Forgot password?"))
            }
        }
    }
}
