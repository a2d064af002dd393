import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

/// The same in memory and with a server that sends email.
@Suite("Codes of mails", .timeLimit(.minutes(5))) @MainActor
struct MailCodeTests {
    private static let ada = "ada@example.com"

    private nonisolated static func with(
        _ kind: ServiceKind, _ test: @escaping @MainActor @Sendable (ServiceWorld) async throws -> Void
    ) async throws {
        try await ServiceWorld.with(kind, confirms: false, sendsMail: true) { try await test($0) }
    }

    private func manager(_ service: any AuthService) async -> AuthManager {
        let manager = AuthManager(
            service: service, storage: MemoryStorage(), clock: VirtualClock().clock, appleCredentials: .unavailable)
        await manager.wait { !$0.isLoading }
        return manager
    }

    /// Signed up, with a confirmed address.
    private func user(_ world: ServiceWorld) async throws -> AuthManager {
        let manager = await manager(world.service)
        try await manager.signUpWithEmail(Self.ada, password: Fixtures.password, firstName: "Ada")
        try await manager.signIn(withCode: try await code(world, .confirmation), sentTo: Self.ada)
        await manager.wait { !$0.isLoading }
        world.advance(.seconds(61))
        return manager
    }

    private func code(
        _ world: ServiceWorld, _ kind: InMemoryAuthService.Mail.Kind, to email: String = ada
    ) async throws -> String { try #require(try await world.code(kind, email)) }

    private static func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test("D11: the code of a sign-up confirms the address and signs in, once", arguments: ServiceKind.allCases)
    func signUp(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let manager = await manager(world.service)
            let login = LoginModel(manager: manager, mode: .signUp)
            (login.form.name, login.form.email) = ("Ada", " Ada@example.com ")
            await login.submit(password: Fixtures.password, confirmation: Fixtures.password)?.value
            #expect(login.phase == .checkMail)
            let model = try #require(login.code)
            let code = try await code(world, .confirmation)
            model.code = Self.wrong(code)
            await model.submit()?.value
            #expect(model.message?.text == "The code is wrong or has expired." && !manager.isLoggedIn)
            model.code = code
            await model.submit()?.value
            #expect(model.phase == .confirmed && manager.user?.email == Self.ada && manager.isNewUser)
            await manager.signOut()
            await #expect(throws: AuthError.codeWrong) {
                try await manager.signIn(withCode: code, sentTo: Self.ada)
            }
            #expect(try await manager.signInWithEmail(Self.ada, password: Fixtures.password) == .signedIn)
            #expect(!manager.isNewUser)
        }
    }

    @Test("Five wrong codes void a code, and so does an hour; a newer mail does not", arguments: ServiceKind.allCases)
    func void(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let manager = await manager(world.service)
            try await manager.signUpWithEmail(Self.ada, password: Fixtures.password)
            let guessed = try await code(world, .confirmation)
            for _ in 1...5 {
                await #expect(throws: AuthError.codeWrong) {
                    try await manager.signIn(withCode: Self.wrong(guessed), sentTo: Self.ada)
                }
            }
            await #expect(throws: AuthError.codeWrong) { try await manager.signIn(withCode: guessed, sentTo: Self.ada) }
            world.advance(.seconds(61))
            try await manager.mail.resendConfirmation(to: Self.ada)
            let old = try await code(world, .confirmation)
            world.advance(.seconds(3_601))
            await #expect(throws: AuthError.codeWrong) { try await manager.signIn(withCode: old, sentTo: Self.ada) }
            try await manager.mail.resendConfirmation(to: Self.ada)
            let earlier = try await code(world, .confirmation)
            world.advance(.seconds(61))
            try await manager.mail.resendConfirmation(to: Self.ada)
            let newest = try await code(world, .confirmation)
            try await manager.signIn(withCode: earlier, sentTo: Self.ada)
            #expect(manager.isLoggedIn)
            await manager.signOut()
            await #expect(throws: AuthError.codeWrong) { try await manager.signIn(withCode: newest, sentTo: Self.ada) }
        }
    }

    @Test("A stranger's sign-up with the address of an account gets no code", arguments: ServiceKind.allCases)
    func taken(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let manager = try await user(world)
            let used = try await world.code(.confirmation, Self.ada)
            await manager.signOut()
            let outcome = try await manager.signUpWithEmail(Self.ada, password: "another password")
            #expect(outcome == .checkMail)
            #expect(try await world.code(.confirmation, Self.ada) == used)
            await #expect(throws: AuthError.codeWrong) {
                try await manager.signIn(withCode: "123456", sentTo: Self.ada)
            }
            #expect(try await manager.signInWithEmail(Self.ada, password: Fixtures.password) == .signedIn)
        }
    }

    @Test("D11: the code of a recovery mail signs in and asks for a new password", arguments: ServiceKind.allCases)
    func recovery(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let manager = try await user(world)
            await manager.signOut()
            let mail = MailModel(.passwordReset, email: Self.ada, manager: manager)
            await mail.send()?.value
            let model = try #require(mail.code)
            model.code = try await code(world, .recovery)
            await model.submit()?.value
            #expect(model.phase == .confirmed)
            await manager.wait { $0.needsNewPassword }
            let password = ChangePasswordModel(manager: manager)
            await password.submit(password: "another password", confirmation: "another password")?.value
            #expect(password.phase == .changed)
            await manager.signOut()
            #expect(try await manager.signInWithEmail(Self.ada, password: "another password") == .signedIn)
            #expect(!manager.needsNewPassword)
        }
    }

    @Test("D11: a mailed code signs in new and existing users alike", arguments: ServiceKind.allCases)
    func signIn(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let manager = await manager(world.service)
            for isNew in [true, false] {
                try await manager.mail.sendSignIn(to: "Ada@example.com")
                try await manager.signIn(withCode: try await code(world, .signIn), sentTo: "Ada@example.com")
                #expect(manager.user?.email == Self.ada && manager.isNewUser == isNew)
                await manager.signOut()
                world.advance(.seconds(61))
            }
        }
    }

    @Test("D1: a new address needs both codes; until then the old one stays", arguments: ServiceKind.allCases)
    func emailChange(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let manager = try await user(world)
            let change = ChangeEmailModel(manager: manager)
            change.form.email = " Countess@example.com "
            await change.submit()?.value
            #expect(change.phase == .checkMail)
            await manager.wait { $0.user?.newEmail != nil }
            #expect(manager.user?.newEmail == "countess@example.com" && manager.user?.email == Self.ada)
            let model = try #require(change.code)
            model.code = try await code(world, .emailChange, to: "countess@example.com")
            await model.submit()?.value
            #expect(model.isHalfway && model.email == Self.ada && model.code.isEmpty && model.phase == .editing)
            #expect(manager.user?.email == Self.ada)
            model.code = try await code(world, .emailChange)
            await model.submit()?.value
            #expect(model.phase == .confirmed)
            await manager.wait { $0.user?.newEmail == nil }
            #expect(manager.user?.email == "countess@example.com" && manager.user?.firstName == "Ada")
            #expect(change.isConfirmed)
            // Ignored: a failed call is repeated.
            await until { (try? await manager.devices.list().count) == 1 }
            await manager.signOut()
            #expect(try await manager.signInWithEmail("countess@example.com", password: Fixtures.password) == .signedIn)
        }
    }

    @Test("A change that was begun can be confirmed later, with new mails", arguments: ServiceKind.allCases)
    func laterEmailChange(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let manager = try await user(world)
            #expect(try await manager.credentials.changeEmail("countess@example.com") == .checkMail)
            await manager.wait { $0.user?.newEmail != nil }
            let first = try await code(world, .emailChange, to: "countess@example.com")
            #expect(
                try await manager.credentials.confirmEmail(withCode: first, sentTo: "countess@example.com")
                    == .checkMail)
            let change = ChangeEmailModel(manager: manager)
            #expect(change.phase == .checkMail && change.form.email == "countess@example.com")
            let model = try #require(change.code)
            #expect(model.canSendAgain && model.otherEmail == nil)
            world.advance(.seconds(61))
            await model.sendAgain()?.value
            #expect(model.wasSentAgain && !model.canSendAgain)
            model.code = try await code(world, .emailChange)
            await model.submit()?.value
            #expect(model.otherEmail == Self.ada)
            model.useOther()
            model.code = try await code(world, .emailChange)
            await model.submit()?.value
            // The new address's confirmation is still valid.
            #expect(model.phase == .confirmed)
            change.startOver()
            #expect(change.phase == .editing && change.code == nil && change.form.email.isEmpty)
        }
    }

    @Test("A server that sends no mail says so for each mail")
    func withoutMail() async throws {
        let service = InMemoryAuthService()
        let manager = await manager(service.service)
        service.stay(.mailDisabled)
        await #expect(throws: AuthError.emailDisabled) { try await manager.mail.sendSignIn(to: Self.ada) }
        await #expect(throws: AuthError.emailDisabled) { try await manager.mail.sendPasswordReset(to: Self.ada) }
        let model = MailModel(.signIn, email: Self.ada, manager: manager)
        await model.send()?.value
        #expect(model.message?.text == "Email isn't available here." && model.code == nil)
    }

    @Test(
        "The link of a mail does what its code does", arguments: [InMemoryAuthService.Mail.Kind.signIn, .emailChange])
    func links(_ kind: InMemoryAuthService.Mail.Kind) async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        let manager = await manager(service.service)
        try await manager.mail.sendSignIn(to: Self.ada)
        try await manager.mail.openLink(try #require(service.mailLink(.signIn, to: Self.ada)))
        await manager.wait { $0.isLoggedIn }
        guard kind == .emailChange else { return }
        _ = try await manager.credentials.changeEmail("countess@example.com")
        // The first of two links has no session for the app.
        await #expect(throws: AuthError.invalidCallback) {
            try await manager.mail.openLink(try #require(service.mailLink(.emailChange, to: "countess@example.com")))
        }
        try await manager.mail.openLink(try #require(service.mailLink(.emailChange, to: Self.ada)))
        await manager.wait { $0.user?.email == "countess@example.com" }
        await #expect(throws: AuthError.invalidCallback) {
            try await manager.mail.openLink(try #require(service.mailLink(.emailChange, to: Self.ada)))
        }
    }
}
