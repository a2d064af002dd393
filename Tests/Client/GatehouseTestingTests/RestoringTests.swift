import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Restoring what a proof set aside", .timeLimit(.minutes(5))) @MainActor
struct RestoringTests {
    private static let ada = "ada@example.com"
    private let service: InMemoryAuthService
    private let passkeys = ScriptedPasskeys()

    init() {
        service = InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
    }

    /// An emailed code has set password and passkey aside.
    private func proven() async throws -> AuthManager {
        service.addAccount(email: Self.ada)
        _ = try await service.service.signIn(email: Self.ada, password: Fixtures.password)
        _ = try await service.service.registerPasskey(with: passkeys, style: .sheet)
        try await service.service.signOut()
        let manager = await manager()
        try await manager.mail.sendSignIn(to: Self.ada)
        try await manager.signIn(withCode: try code(), sentTo: Self.ada)
        await manager.signOut()
        service.clock.advance(by: .seconds(61))
        return manager
    }

    private func manager() async -> AuthManager {
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }
        await manager.loadServerSettings()
        return manager
    }

    private func code(_ kind: InMemoryAuthService.Mail.Kind = .signIn) throws -> String {
        try #require(service.mailCode(kind, to: Self.ada))
    }

    private func submit(_ model: CodeModel, _ code: String) async {
        model.code = code
        await model.submit()?.value
    }

    @Test("A set-aside password leads to the code, which restores it")
    func password() async throws {
        let manager = try await proven()
        let login = LoginModel(manager: manager)
        login.form.email = Self.ada
        await login.submit(password: Fixtures.password)?.value
        let model = try #require(login.code)
        #expect(login.phase == .checkMail && model.kind == .setAsidePassword && model.email == Self.ada)
        #expect(login.message == nil && model.countdown == "1:00" && model.offersAnotherMail)
        await submit(model, try code() == "000000" ? "000001" : "000000")
        #expect(model.message?.text == "The code is wrong or has expired.")
        await submit(model, try code())
        #expect(model.phase == .confirmed && manager.user?.email == Self.ada)
        #expect(manager.user?.setAside.map(\.kind).contains(.password) == false)
        await manager.signOut()
        #expect(try await manager.signInWithEmail(Self.ada, password: Fixtures.password) == .signedIn)
    }

    @Test("A form that was left restores nothing: the code signs in alone")
    func left() async throws {
        let manager = try await proven()
        let login = LoginModel(manager: manager)
        login.form.email = Self.ada
        await login.submit(password: Fixtures.password)?.value
        login.forgetPassword()
        await submit(try #require(login.code), try code())
        #expect(manager.isLoggedIn && manager.user?.setAside.map(\.kind).contains(.password) == true)
    }

    @Test("A set-aside passkey leads to the code, which restores it; another mail takes another sign-in")
    func passkey() async throws {
        let manager = try await proven()
        let login = LoginModel(manager: manager)
        await login.signInWithPasskey(with: passkeys)?.value
        let model = try #require(login.code)
        #expect(model.kind == .setAsidePasskey && model.email.isEmpty && !model.offersAnotherMail)
        service.clock.advance(by: .seconds(61))
        await model.countDown()
        #expect(!model.canSendAgain)
        await submit(model, try code())
        #expect(model.phase == .confirmed && manager.lastMethod == .passkey)
        #expect(manager.user?.setAside.map(\.kind) == [.password])
        await manager.signOut()
        #expect(try await manager.signInWithPasskey(with: passkeys) == .signedIn)
    }

    @Test("The code of a sign-up chooses the password that was typed, although another sign-up competes")
    func signUp() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        _ = try await service.service.signUp(email: Self.ada, password: "a stranger's password", firstName: "Eve")
        service.clock.advance(by: .seconds(61))
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }
        let login = LoginModel(manager: manager, mode: .signUp)
        (login.form.name, login.form.email) = ("Ada", Self.ada)
        await login.submit(password: Fixtures.password, confirmation: Fixtures.password)?.value
        let code = try #require(service.mailCode(.confirmation, to: Self.ada))
        await submit(try #require(login.code), code)
        #expect(manager.isLoggedIn)
        await manager.signOut()
        #expect(try await manager.signInWithEmail(Self.ada, password: Fixtures.password) == .signedIn)
        await manager.signOut()
        await #expect(throws: AuthError.credentialSetAside(nil)) {
            try await manager.signInWithEmail(Self.ada, password: "a stranger's password")
        }
    }

    @Test("A set-aside password answers a link question with the code", arguments: [false, true])
    func link(_ byPasskey: Bool) async throws {
        let manager = try await proven()
        // Otherwise the two would be linked without a question.
        service.addApp()
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        await #expect(throws: AuthError.self) { try await manager.signInWithGoogle { try await sheet.google() } }
        let link = LinkModel(manager: manager)
        if byPasskey {
            await link.confirm(withPasskey: passkeys)?.value
        } else {
            await link.confirm(password: Fixtures.password)?.value
        }
        let model = try #require(link.code)
        #expect(model.kind == (byPasskey ? .setAsidePasskey : .setAsidePassword) && link.phase == .asking)
        await submit(model, try code())
        #expect(manager.phase == .secondFactorNeeded && link.question == nil)
        let proof = ProofModel(question: try #require(manager.secondFactor), manager: manager)
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        #expect(manager.isLoggedIn)
        #expect(try await manager.identities.list().map(\.provider).contains("google"))
    }

    @Test("A user who cannot pass the second factor starts over, after a sign-in with a code")
    func startOver() async throws {
        let old = service.addAccount(email: Self.ada, data: ["mood": "calm"])
        service.addApp()
        let manager = await manager()
        #expect(try await manager.signInWithEmail(Self.ada, password: Fixtures.password) == .secondFactorNeeded)
        let early = ProofModel(question: try #require(manager.secondFactor), manager: manager)
        #expect(early.canStartOver)
        await early.startOver()?.value
        #expect(
            early.message?.text
                == "To start over, cancel this, sign in with a code we email you, and try again within ten minutes.")
        await early.cancel()?.value
        try await manager.mail.sendSignIn(to: Self.ada)
        #expect(try await manager.signIn(withCode: try code(), sentTo: Self.ada) == .secondFactorNeeded)
        let proof = ProofModel(question: try #require(manager.secondFactor), manager: manager)
        await proof.startOver()?.value
        #expect(proof.phase == .proven && manager.phase == .authenticated && manager.isNewUser)
        #expect(manager.user?.email == Self.ada && manager.user?.id != old && manager.secondFactor == nil)
        #expect(service.openSessionCount == 1)
    }

    @Test("Start over is offered only while a second factor is asked, and where new accounts are accepted")
    func offered() async throws {
        service.addAccount(email: Self.ada)
        service.addApp()
        service.serverSettings.allowsSignUp = false
        let manager = await manager()
        await #expect(throws: AuthError.notAuthenticated) { try await manager.startOver() }
        #expect(!manager.canStartOver)
        #expect(try await manager.signInWithEmail(Self.ada, password: Fixtures.password) == .secondFactorNeeded)
        let proof = ProofModel(question: try #require(manager.secondFactor), manager: manager)
        #expect(!proof.canStartOver && proof.startOver() == nil)
    }

    @Test("The user is told what is set aside, and of an address that moved")
    func notices() async throws {
        let manager = try await proven()
        try await manager.mail.sendSignIn(to: Self.ada)
        try await manager.signIn(withCode: try code(), sentTo: Self.ada)
        let setAside = manager.user?.notices.map(\.english) ?? []
        #expect(setAside.count == 2 && setAside.allSatisfy { $0.contains("set aside") })
        try await manager.startOver()
        #expect(manager.user?.notices == [])
        var user = AuthenticatedUser(id: Fixtures.id(1))
        user.formerEmail = Self.ada
        #expect(
            user.notices.map(\.english) == [
                "ada@example.com now belongs to another account. You can't sign in to this one with emailed codes "
                    + "anymore, but your other sign-in methods still work."
            ])
    }
}
