import AuthServer
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import TestSupport
import Testing

/// The same in memory and with a server.
@Suite("Changing address and password", .timeLimit(.minutes(5))) @MainActor
struct CredentialTests {
    private static let another = "another password"

    private nonisolated static func with(
        _ kind: ServiceKind, _ test: @escaping @MainActor @Sendable (ServiceWorld) async throws -> Void
    ) async throws {
        try await ServiceWorld.with(kind) { try await test($0) }
    }

    /// Requires the current password for a new one.
    private nonisolated static func with(
        confirms: Bool, _ test: @escaping @MainActor @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(
            providers: TestProviders(),
            change: { ($0.confirmsAutomatically, $0.requiresCurrentPassword) = (confirms, true) }
        ) { try await test($0) }
    }

    private func manager(_ service: any AuthService) async -> AuthManager {
        let manager = AuthManager(
            service: service, storage: MemoryStorage(), clock: VirtualClock().clock, appleCredentials: .unavailable)
        await manager.wait { !$0.isLoading }
        return manager
    }

    @Test(
        "D1: A new address applies at once, is shown, and opens the account; the old one does not",
        arguments: ServiceKind.allCases)
    func email(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            try await world.signUp()
            let manager = await manager(world.service)
            let model = ChangeEmailModel(manager: manager)
            model.form.email = " ada@example.com "
            #expect(!model.canSubmit(), "it is the same one")
            model.form.email = " Countess@example.com"
            await model.submit()?.value
            #expect(model.phase == .changed)
            await until { manager.user?.email == "countess@example.com" && !manager.isLoading }
            #expect(manager.user?.email == "countess@example.com" && manager.user?.firstName == "Ada")
            #expect(try await manager.identities.list().map(\.email) == ["countess@example.com"])
            await manager.signOut()
            let old = await world.failure { @Sendable in
                try await world.service.signIn(email: "ada@example.com", password: Fixtures.password)
            }
            #expect(old == "refused 400 invalid_credentials")
            _ = try await world.service.signIn(email: "countess@example.com", password: Fixtures.password)
        }
    }

    @Test("A taken address is refused, and the old one stays", arguments: ServiceKind.allCases)
    func takenEmail(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            try await world.signUp("grace@example.com")
            try await world.signUp()
            let model = ChangeEmailModel(manager: await manager(world.service))
            model.form.email = "grace@example.com"
            await model.submit()?.value
            #expect(model.message?.text == "This email is already associated with another account.")
            #expect(await world.service.currentSession?.user.email == "ada@example.com")
        }
    }

    @Test(
        "D1: A new password opens the account, the old one does not, and other sessions end",
        arguments: ServiceKind.allCases)
    func password(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            try await world.signUp()
            let model = ChangePasswordModel(manager: await manager(world.service))
            await model.submit(password: Fixtures.password, confirmation: Fixtures.password)?.value
            #expect(model.message?.text == "Please choose a password that isn't the current one.")
            await model.submit(password: Self.another, confirmation: "other")?.value
            #expect(model.message != nil, "nothing was sent")
            await model.submit(password: Self.another, confirmation: Self.another)?.value
            #expect(model.phase == .changed)
            try await world.service.signOut()
            let old = await world.failure { @Sendable in
                try await world.service.signIn(email: "ada@example.com", password: Fixtures.password)
            }
            #expect(old == "refused 400 invalid_credentials")
            _ = try await world.service.signIn(email: "ada@example.com", password: Self.another)
        }
    }

    @Test("A password change whose response was lost succeeds on a retry")
    func answerLost() async throws {
        let service = InMemoryAuthService.signedIn()
        let model = ChangePasswordModel(manager: await manager(service.service))
        service.meet(.answerLost, at: .updateUser)
        await model.submit(password: Self.another, confirmation: Self.another)?.value
        #expect(model.message?.action == .retry)
        await model.submit(password: Self.another, confirmation: Self.another)?.value
        #expect(model.phase == .changed)
        await model.submit(password: Self.another, confirmation: Self.another)?.value
        #expect(model.message?.text == "Please choose a password that isn't the current one.")
    }

    @Test("A pending or changed address is not sent again")
    func emailOnce() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.addAccount(email: "ada@example.com")
        _ = try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
        let model = ChangeEmailModel(manager: await manager(service.service))
        model.form.email = "countess@example.com"
        await model.submit()?.value
        #expect(model.phase == .checkMail && !model.canSubmit())
    }

    @Test("A wrong current password is refused, also where none is asked for", arguments: ServiceKind.allCases)
    func wrongCurrent(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            try await world.signUp()
            let codes: [String: AuthErrorCode] = ["not the password": .currentPasswordInvalid]
            for current in ["not the password", Fixtures.password] {
                let change = AuthUserAttributes(password: Self.another, currentPassword: current)
                do {
                    _ = try await world.service.update(user: change)
                    #expect(codes[current] == nil)
                } catch AuthClientError.refused(let refusal) {
                    #expect(refusal.code == codes[current] && refusal.status == 400)
                }
            }
        }
    }

    @Test("A user with only Apple sets a password and signs in with it", arguments: ServiceKind.allCases)
    func firstPassword(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            let apple = try await world.providers.credentials(.apple, "ada@example.com")
            let account = try await world.service.signIn(with: apple).user.id
            let manager = await manager(world.service)
            let methods = SignInMethodsModel(manager: manager)
            await methods.load()
            #expect(methods.phase == .showing && methods.has(.apple) && !methods.has("email") && !methods.canRemove)
            let model = ChangePasswordModel(manager: manager)
            await model.submit(password: Self.another, confirmation: Self.another)?.value
            #expect(model.phase == .changed && !model.asksForCurrent)
            try await world.service.signOut()
            let session = try await world.service.signIn(email: "ada@example.com", password: Self.another)
            #expect(session.user.id == account)
        }
    }

    @Test(
        "Without a connection the same attempt can be repeated",
        arguments: ServiceKind.allCases)
    func offline(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world in
            try await world.signUp()
            let manager = await manager(world.service)
            let (password, email) = (ChangePasswordModel(manager: manager), ChangeEmailModel(manager: manager))
            email.form.email = "countess@example.com"
            world.setOffline(true)
            await password.submit(password: Self.another, confirmation: Self.another)?.value
            await email.submit()?.value
            #expect(password.message?.action == .retry && email.message?.action == .retry)
            world.setOffline(false)
            await password.submit(password: Self.another, confirmation: Self.another)?.value
            await email.submit()?.value
            #expect(password.phase == .changed && email.phase == .changed)
        }
    }

    @Test("A guest changes nothing")
    func guest() async throws {
        let manager = await manager(InMemoryAuthService().service)
        await #expect(throws: AuthError.notAuthenticated) {
            try await manager.credentials.changeEmail("ada@example.com")
        }
        await #expect(throws: AuthError.notAuthenticated) { try await manager.credentials.changePassword(Self.another) }
    }

    @Test("A server that requires the current password gets it, and a wrong one shows an error")
    func currentPassword() async throws {
        try await Self.with(confirms: true) { server in
            let service = try LiveNetwork(server).service()
            _ = try await service.signUp(email: "ada@example.com", password: Fixtures.password, firstName: nil)
            let model = ChangePasswordModel(manager: await manager(service))
            let another = Self.another
            await model.submit(password: another, confirmation: another)?.value
            #expect(model.asksForCurrent)
            #expect(model.message?.text == "Please enter your current password.")
            #expect(!model.canSubmit(password: another, confirmation: another))
            await model.submit(password: another, confirmation: another, current: "not this one")?.value
            #expect(model.message?.text == "The current password isn't correct.")
            await model.submit(password: another, confirmation: another, current: Fixtures.password)?.value
            #expect(model.phase == .changed)
        }
    }

    @Test("A server that cannot confirm an address reports that it does not change it")
    func withoutMail() async throws {
        try await Self.with(confirms: false) { server in
            let service = try LiveNetwork(server).service()
            let apple = try await ServiceProviders.standIns(server).credentials(.apple, "ada@example.com")
            _ = try await service.signIn(with: apple)
            let model = ChangeEmailModel(manager: await manager(service))
            model.form.email = "countess@example.com"
            await model.submit()?.value
            #expect(model.message?.text == "The email address can't be changed here.")
        }
    }

    @Test("A server that confirms by mail leaves the old address until then")
    func waitsForMail() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.addAccount(email: "ada@example.com")
        _ = try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
        let manager = await manager(service.service)
        let model = ChangeEmailModel(manager: manager)
        model.form.email = "countess@example.com"
        await model.submit()?.value
        #expect(model.phase == .checkMail && manager.user?.email == "ada@example.com")
    }

    @Test("A server that requires a code sends one, again on request, and reports a wrong one")
    func code() async throws {
        let service = InMemoryAuthService.signedIn()
        let model = ChangePasswordModel(manager: await manager(service.service))
        let another = Self.another
        service.meet(.codeRequired, .codeWrong)
        await model.submit(password: another, confirmation: another)?.value
        #expect(model.asksForCode && service.calls.last == .reauthenticate)
        #expect(model.message?.text == "Please enter the code from the email.")
        #expect(!model.canSubmit(password: another, confirmation: another))
        model.code = "000000"
        await model.submit(password: another, confirmation: another)?.value
        #expect(model.message?.text == "The code is wrong or has expired.")
        await model.sendCodeAgain()?.value
        #expect(model.code.isEmpty && model.phase == .editing)
        #expect(service.calls.filter { $0 == .reauthenticate }.count == 2)
        model.code = "123456"
        await model.submit(password: another, confirmation: another)?.value
        #expect(model.phase == .changed)
    }

    @Test("A code that was not sent is not requested")
    func codeNotSent() async throws {
        let service = InMemoryAuthService.signedIn()
        let model = ChangePasswordModel(manager: await manager(service.service))
        service.meet(.codeRequired)
        service.meet(.serverError, at: .reauthenticate)
        await model.submit(password: Self.another, confirmation: Self.another)?.value
        #expect(!model.asksForCode && model.message?.text == "Something went wrong. Please try again.")
    }

    @Test(
        "A password that is too common is distinguished from a short one", arguments: [["pwned"], ["length"], []])
    func weak(_ reasons: [String]) {
        let refusal = AuthRefusal(status: 422, code: .weakPassword, weakPasswordReasons: reasons)
        let text = SignInMessage(changing: AuthClientError.refused(refusal))?.text
        let isEasy = reasons == ["pwned"]
        #expect(
            text
                == (isEasy
                    ? "This password is too easy to guess. Please choose another one."
                    : "Password must be at least 8 characters."))
    }
}
