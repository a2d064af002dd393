import AuthServer
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// F7: with a real server that knows Apple and Google.
@Suite("Anonymous users") @MainActor
struct AnonymousTests {
    private static func with(_ test: (ModelWorld) async throws -> Void) async throws {
        try await ModelWorld.with(providers: TestProviders()) { world in
            await until { world.manager.phase == .unauthenticated }
            #expect(try await world.manager.signInAnonymously() == .signedIn)
            #expect(world.manager.isAnonymous && world.manager.isLoggedIn && world.manager.lastMethod == nil)
            await until { !world.manager.isLoading }
            try await test(world)
        }
    }

    private func apple(_ world: ModelWorld) async throws -> AppleCredential {
        let nonce = SignInNonce()
        let answer = try await world.server.send(
            .post, "/dev/apple/native-credential",
            json: ["person": "existing", "email": "ada@example.com", "nonce": .string(nonce.hashed)])
        return AppleCredential(
            idToken: try #require(answer["identityToken"]?.stringValue), nonce: nonce.raw,
            person: try #require(answer["user"]?.stringValue), firstName: nil)
    }

    @Test("A sign-up gives the guest's account its address and password, and keeps id and session")
    func signUp() async throws {
        try await Self.with { world in
            let guest = try #require(world.manager.user)
            #expect(
                try await world.manager.signUpWithEmail(
                    "ada@example.com", password: TestServer.password, firstName: "Ada") == .signedIn)
            let ada = try #require(world.manager.user)
            #expect(ada.id == guest.id && ada.email == "ada@example.com" && !world.manager.isAnonymous)
            await world.manager.signOut()
            try await world.manager.signInWithEmail("ada@example.com", password: TestServer.password)
            #expect(world.manager.user?.id == guest.id)
        }
    }

    @Test("A sign-up that a mail confirms keeps the account; the mail can be sent again, and the code ends it")
    func mailed() async throws {
        try await ModelWorld.with(change: { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = false
        }) { world in
            let server = world.server
            await until { world.manager.phase == .unauthenticated }
            try await world.manager.signInAnonymously()
            await until { !world.manager.isLoading }
            let guest = world.manager.user?.id
            let login = LoginModel(manager: world.manager, mode: .signUp)
            (login.form.name, login.form.email) = ("Ada", "ada@example.com")
            await login.submit(password: TestServer.password, confirmation: TestServer.password)?.value
            let code = try #require(login.code)
            #expect(code.kind == .emailChange && world.manager.isAnonymous && !login.isFinished)
            #expect(world.manager.user?.newEmail == "ada@example.com")
            let first = try await server.deliveredMail().code
            server.clock.advance(by: .seconds(61))
            try await world.manager.credentials.resendEmailChange()
            let second = try await server.deliveredMail().code
            #expect(first != second)
            code.code = second
            await code.submit()?.value
            #expect(login.isFinished && world.manager.user?.id == guest)
            #expect(world.manager.user?.email == "ada@example.com")
        }
    }

    @Test("A sign-in that is cancelled leaves the app as it was, also while the profile loads")
    func cancelled() async throws {
        try await Self.with { world in
            world.manager.reloadProfile()
            #expect(world.manager.isLoading)
            let outcome = try await world.manager.signInWithApple {
                #expect(world.manager.phase == .authenticated && world.manager.isLoading)
                throw AuthError.cancelled
            }
            #expect(outcome == .cancelled && world.manager.isAnonymous)
            await until { !world.manager.isLoading }
            #expect(world.manager.phase == .authenticated && world.manager.isProfileLoaded)
        }
    }

    @Test("A token after the sign-up no longer says that the user is anonymous")
    func token() async throws {
        try await Self.with { world in
            try await world.manager.signUpWithEmail("ada@example.com", password: TestServer.password)
            let token = try await world.manager.accessToken()
            let claims = try #require(token.split(separator: ".").dropFirst().first)
            let json = try JSONReader.read(try #require(Base64URL.decode(String(claims))))
            #expect(json["is_anonymous"]?.boolValue == false)
        }
    }

    @Test("An address that has an account is refused, and the guest stays")
    func taken() async throws {
        try await Self.with { world in
            _ = try await world.server.signUp()
            let guest = world.manager.user?.id
            let login = LoginModel(manager: world.manager, mode: .signUp)
            (login.form.name, login.form.email) = ("Ada", "ada@example.com")
            await login.submit(password: TestServer.password, confirmation: TestServer.password)?.value
            #expect(login.message?.action == .otherMethod && !login.isFinished)
            #expect(
                world.manager.user?.id == guest && world.manager.isAnonymous && world.manager.phase == .authenticated)
        }
    }

    @Test("A provider's new identity is added to the guest's account")
    func provider() async throws {
        try await Self.with { world in
            let guest = world.manager.user?.id
            let outcome = try await world.manager.signInWithApple { try await apple(world) }
            #expect(outcome == .signedIn && world.manager.user?.id == guest && !world.manager.isAnonymous)
            let methods = try await world.manager.identities.list()
            #expect(methods.map(\.provider) == ["apple"])
        }
    }

    @Test("A provider's identity of another account asks; the guest stays, or is replaced with the same credential")
    func providerConflict() async throws {
        try await Self.with { world in
            try await world.manager.signInWithApple { try await apple(world) }
            let owner = world.manager.user?.id
            await world.manager.signOut()
            try await world.manager.signInAnonymously()
            let guest = world.manager.user?.id
            world.manager.answersProofQuestions = true
            let stays = Task { try await world.manager.signInWithApple { try await apple(world) } }
            await until { world.manager.switchQuestion != nil }
            #expect(world.manager.switchQuestion == SwitchQuestion(user: nil, leavesAnonymousAccount: true))
            world.manager.answerSwitch(false)
            await #expect(throws: AuthError.self) { try await stays.value }
            #expect(world.manager.user?.id == guest && world.manager.isAnonymous)
            let leaves = Task { try await world.manager.signInWithApple { try await apple(world) } }
            await until { world.manager.switchQuestion != nil }
            world.manager.answerSwitch(true)
            #expect(try await leaves.value == .signedIn)
            #expect(world.manager.user?.id == owner && !world.manager.isAnonymous)
        }
    }

    @Test("A password of an account asks before anything is sent")
    func password() async throws {
        try await Self.with { world in
            let owner = try await world.server.signUp().userID
            let guest = world.manager.user?.id
            await #expect(throws: AuthError.alreadySignedIn) {
                try await world.manager.signInWithEmail("ada@example.com", password: TestServer.password)
            }
            world.manager.answersProofQuestions = true
            let (count, stays) = (
                world.network.calls.count,
                Task { try await world.manager.signInWithEmail("ada@example.com", password: TestServer.password) }
            )
            await until { world.manager.switchQuestion != nil }
            world.manager.answerSwitch(false)
            #expect(try await stays.value == .cancelled)
            #expect(world.network.calls.count == count && world.manager.user?.id == guest)
            let leaves = Task {
                try await world.manager.signInWithEmail("ada@example.com", password: TestServer.password)
            }
            await until { world.manager.switchQuestion != nil }
            world.manager.answerSwitch(true)
            #expect(try await leaves.value == .signedIn)
            #expect(world.manager.user?.id.uuidString.lowercased() == owner)
        }
    }
}
