import AccountDomain
import AuthServer
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import HTTPTypes
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Accounts that begin with a passkey, and automatic passkeys")
    struct PasskeySignUpTests {
        private static let verify = "/passkeys/signup/verify"

        private func tap(_ world: World) async throws {
            try await world.openLogin()
            try await world.screen.wait { $0.has(button: "Create Account with a Passkey") }
            try await world.screen.tap("Create Account with a Passkey")
        }

        // Criteria: 005.24
        @Test("005: one tap makes an account with a passkey, a code gives it its address, and it signs in again")
        func oneTap() async throws {
            try await World.with(sendsMail: true, passkeySignUp: true) { world in
                try await tap(world)
                try await world.screen.wait { $0.has(field: "Code") }
                #expect(world.manager.isLoggedIn && world.manager.user?.email == nil && world.manager.isNewUser)
                let code = try await world.server.mailedCode(to: "ada@example.com", of: [.emailChangeNew])
                try await world.screen.type(try #require(code), into: "Code")
                try await world.waitForUser()
                #expect(world.manager.user?.email == "ada@example.com")
                try await world.signOut()
                try await world.openLogin()
                try await world.screen.wait { $0.has(button: "Sign in with a Passkey") }
                try await world.screen.tap("Sign in with a Passkey")
                try await world.waitForUser()
                #expect(world.manager.user?.email == "ada@example.com" && world.phone.passkeys.signals.isEmpty)
            }
        }

        // Criteria: 005.25
        @Test("005: a taken address looks like any other, and its owner keeps everything and gets an email")
        func taken() async throws {
            try await World.with(sendsMail: true, passkeySignUp: true) { world in
                let owner: AuthJSON = [
                    "email": "ada@example.com", "password": .string(TestServer.password), "email_confirm": true,
                ]
                #expect(try await world.server.admin(.post, "/users", json: owner).status == 200)
                try await tap(world)
                try await world.screen.wait(for: "If ada@example.com can be used here, we've sent a code to it.")
                #expect(try await world.server.deliveredMail().mail.content.kind == .accountExists)
                #expect(world.manager.isLoggedIn && world.manager.user?.email == nil)
                #expect(try await world.server.signIn()["user"]?["email"] == "ada@example.com")
            }
        }

        // Criteria: 005.26
        @Test("005: a sign-up with a passkey whose answer is lost is finished with Retry, in the account that it made")
        func lost() async throws {
            try await World.with(passkeySignUp: true) { world in
                world.network.lose(Self.verify, times: 1)
                try await tap(world)
                try await world.screen.wait(for: "No internet connection. Please try again.")
                #expect(world.manager.phase == .unauthenticated)
                try await world.screen.tap("Retry")
                try await world.waitForUser()
                #expect(world.manager.user?.email == "ada@example.com" && world.phone.passkeys.count == 1)
                #expect(try await world.users().count == 1)
                #expect(world.phone.passkeys.signals.isEmpty)
            }
        }

        // Criteria: 005.26
        @Test("005: a sign-up whose sheet stayed open too long makes no account, and leaves no passkey behind")
        func expired() async throws {
            try await World.with(passkeySignUp: true) { world in
                world.phone.passkeys.meanwhile = { world.server.clock.advance(by: .seconds(301)) }
                try await tap(world)
                try await world.screen.wait(
                    for: "This passkey couldn't be used here. Please try again, or sign in another way.")
                guard case .unknown? = world.phone.passkeys.signals.first else { throw CancellationError() }
                #expect(try await world.users().isEmpty)
                world.phone.passkeys.meanwhile = {}
                try await world.screen.tap("Create Account with a Passkey")
                try await world.waitForUser()
            }
        }

        // Criteria: 005.23
        @Test("005: an automatic passkey that the server refuses is forgotten, and the user is asked instead")
        func refusedUpgrade() async throws {
            try await World.with(hasPasskeys: true) { world in
                world.phone.passkeys.upgradesAutomatically = true
                world.phone.passkeys.meanwhile = { world.server.clock.advance(by: .seconds(301)) }
                try await world.addAccount()
                try await world.typeSignIn()
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Add a passkey?")
                guard case .unknown? = world.phone.passkeys.signals.first else { throw CancellationError() }
                #expect(world.phone.passkeys.signals.count == 1)
                #expect(try await world.manager.passkeys.list() == [])
            }
        }

        // Criteria: 005.23
        @Test(
            "005: after a lost answer, the password manager learns which passkeys the account has",
            arguments: [true, false])
        func lostUpgrade(arrived: Bool) async throws {
            try await World.with(hasPasskeys: true) { world in
                world.phone.passkeys.upgradesAutomatically = true
                let verify = "/passkeys/registration/verify"
                if arrived { world.network.lose(verify, times: 1) } else { world.network.answer(verify, 502, times: 1) }
                try await world.addAccount()
                try await world.typeSignIn()
                try await world.screen.tap("submit")
                let passkeys = world.phone.passkeys
                try await world.screen.wait { _ in passkeys.signals.count == 2 && world.network.openCount == 0 }
                guard case .accepted(_, _, let known)? = passkeys.signals.first else { throw CancellationError() }
                #expect(known.count == (arrived ? 1 : 0))
                #expect(try await world.manager.passkeys.list()?.count == known.count)
                await world.screen.settle()
                #expect(world.manager.asksForPasskey == !arrived)
            }
        }
    }
}
