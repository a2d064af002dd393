import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Synchronization
import Testing

@Suite("A provider's user whose address has an account (D7, E7)") @MainActor
struct LinkQuestionTests {
    private let service = InMemoryAuthService()
    private let events = HeardTelemetry()
    private let sheet = ScriptedProviderSheet(.signsIn(.ada))

    /// After a Google sign-in of Ada, whose address has an account.
    private func asked() async -> AuthManager {
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let manager = service.makeManager(telemetry: [events])
        await manager.wait { $0.phase == .unauthenticated }
        // Ignored: the refusal, which `linkQuestion` carries.
        _ = try? await manager.signInWithGoogle { try await sheet.google() }
        return manager
    }

    @Test("The screen shows the address, the sign-in methods, and whether it can be recovered")
    func question() async throws {
        service.addAccount(email: "ada@example.com")
        let manager = service.makeManager(telemetry: [events])
        await manager.wait { $0.phase == .unauthenticated }
        let screen = LoginModel(manager: manager)
        await screen.signIn(with: .google, in: sheet)?.value
        #expect(screen.message?.text == "This email is already associated with another account.")
        #expect(screen.message?.action == .link)
        let question = try #require(screen.message?.question)
        #expect(manager.linkQuestion == question && manager.phase == .unauthenticated && !manager.isLoggedIn)
        #expect(question.email == "ada@example.com" && question.provider == "google")
        #expect(question.signInMethods == ["password"] && question.canRecover)
        let link = LinkModel(manager: manager)
        #expect(link.question == question && link.methods == [.email] && link.canRecover && !link.isBusy)
        #expect(events.all.last == .failed(.google, .emailInUse))
        link.dismiss()
        #expect(manager.linkQuestion == nil)
    }

    @Test("The account's password links and signs in; a wrong one keeps the question")
    func password() async throws {
        let manager = await asked()
        let screen = LinkModel(manager: manager)
        await screen.confirm(password: "another password")?.value
        #expect(screen.message?.text == "Incorrect email or password. Please try again.")
        #expect(screen.question != nil && manager.phase == .unauthenticated)
        await screen.confirm(password: Fixtures.password)?.value
        #expect(screen.question == nil && screen.message == nil)
        #expect(manager.phase == .authenticated && manager.user?.email == "ada@example.com")
        #expect(try await manager.identities.list().map(\.provider) == ["email", "google"])
        #expect(events.all.suffix(2).last == .linked(existing: .email, new: .google))
        guard case .completed(.email, _) = events.all.suffix(2).first else {
            Issue.record("\(events.all)")
            return
        }
        await manager.signOut()
        #expect(try await manager.signInWithGoogle { try await sheet.google() } == .signedIn)
    }

    @Test("Another provider of the account signs in and links, in one call")
    func otherProvider() async throws {
        let apple = ProviderPerson(id: "apple-ada", email: "ada@example.com", firstName: "Ada")
        service.addAccount(of: apple, at: .apple, firstName: nil)
        // Ada has unlinked Google before.
        _ = try await service.service.signIn(with: apple.credentials(from: .apple))
        let linked = try await service.service.link(with: ProviderPerson.ada.credentials(from: .google))
        try await service.service.unlink(try #require(linked.user.identities?.last))
        try await service.service.signOut()
        let manager = service.makeManager(telemetry: [events])
        await manager.wait { $0.phase == .unauthenticated }
        sheet.follow(.signsIn(.ada), .cancels, .signsIn(apple))
        await #expect(throws: AuthError.self) {
            try await manager.signInWithGoogle { try await sheet.google() }
        }
        let screen = LinkModel(manager: manager)
        #expect(screen.methods == [.apple] && !screen.canRecover)
        await screen.confirmWithApple { try await sheet.apple(nonce: SignInNonce()) }?.value
        #expect(screen.phase == .asking && screen.question != nil && manager.phase == .unauthenticated)
        await screen.confirmWithApple { try await sheet.apple(nonce: SignInNonce()) }?.value
        #expect(screen.question == nil && manager.isLoggedIn)
        #expect(try await manager.identities.list().map(\.provider) == ["apple", "google"])
        await manager.wait { $0.user?.firstName == "Ada" }
        #expect(events.all.last == .linked(existing: .apple, new: .google))
    }

    @Test("A sign-in to another account leaves a guest, who can try the right one")
    func otherAccount() async throws {
        service.addAccount(of: .grace, at: .apple)
        let manager = await asked()
        sheet.follow(.signsIn(.grace))
        let screen = LinkModel(manager: manager)
        await screen.confirmWithApple { try await sheet.apple() }?.value
        #expect(
            screen.message?.text == "That account has a different email. Please sign in to the account with this email."
        )
        #expect(manager.phase == .unauthenticated && manager.user == nil && manager.linkQuestion != nil)
        #expect(await service.service.currentSession == nil)
        #expect(service.openSessionCount == 0)
        await screen.confirm(password: Fixtures.password)?.value
        #expect(manager.user?.email == "ada@example.com")
    }

    @Test("A link that fails after its sign-in leaves a guest and the question", arguments: [true, false])
    func halfway(_ isOffline: Bool) async throws {
        service.addAccount(of: .grace, at: .google)
        let manager = await asked()
        sheet.follow(.signsIn(.grace))
        service.meet(isOffline ? .offline : .serverError, at: .confirmLink)
        await #expect(throws: AuthError.self) { try await manager.linking.confirm(.provider(.google, in: sheet)) }
        #expect(manager.phase == .unauthenticated && manager.linkQuestion != nil)
        #expect(await service.service.currentSession == nil)
    }

    @Test("A sign-in during a failing link stays signed in")
    func overtaken() async throws {
        service.addAccount(of: .grace, at: .google)
        let manager = await asked()
        sheet.follow(.signsIn(.grace))
        service.meet(.slow, at: .confirmLink)
        let late = Task { try await manager.linking.confirm(.provider(.google, in: sheet)) }
        await until { service.heldCount == 1 }
        await manager.signOut()
        #expect(try await manager.signInWithEmail("ada@example.com", password: Fixtures.password) == .signedIn)
        service.release()
        #expect(try await late.value == .cancelled)
        #expect(manager.user?.email == "ada@example.com" && manager.phase == .authenticated)
        #expect(await service.service.currentSession?.user.email == "ada@example.com")
    }

    @Test("The owner of an unproven address can start over, after a warning, with a new account")
    func recover() async throws {
        let manager = await asked()
        let old = try #require(service.account(email: "ada@example.com")?.id)
        let screen = LinkModel(manager: manager)
        await screen.recover()?.value
        #expect(!manager.isLoggedIn)
        screen.askToRecover()
        #expect(screen.warning == LinkModel.recoveryWarning)
        screen.dismiss()
        #expect(screen.warning == nil && screen.question != nil)
        screen.askToRecover()
        await screen.recover()?.value
        #expect(manager.isLoggedIn && manager.user?.id != old && manager.user?.email == "ada@example.com")
        #expect(try await manager.identities.list().map(\.provider) == ["google"])
        #expect(try await service.service.signIn(email: "ada@example.com", password: Fixtures.password).user.id == old)
        #expect(!events.all.contains { if case .linked = $0 { true } else { false } })
    }

    @Test("An account keeps its providers and its data when it loses its address")
    func recoverBesideProvider() async throws {
        let old = service.addAccount(email: "ada@example.com", data: ["mood": "calm"])
        let apple = ProviderPerson.grace.credentials(from: .apple)
        _ = try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
        _ = try await service.service.link(with: apple)
        try await service.service.signOut()
        let manager = await asked()
        let screen = LinkModel(manager: manager)
        #expect(screen.methods == [.email, .apple] && screen.canRecover)
        screen.askToRecover()
        #expect(screen.warning == LinkModel.recoveryWarning)
        await screen.recover()?.value
        #expect(manager.isLoggedIn && manager.user?.id != old && manager.user?.email == "ada@example.com")
        await manager.signOut()
        let kept = try await service.service.signIn(with: apple)
        #expect(kept.user.id == old && kept.user.email == nil)
        #expect(try await service.service.fetchMe().profile?.data == ["mood": "calm"])
    }

    @Test("A proven address cannot be recovered, and the screen does not offer it")
    func notRecoverable() async throws {
        service.addAccount(of: ProviderPerson(id: "x", email: "ada@example.com"), at: .google)
        let manager = await asked()
        let screen = LinkModel(manager: manager)
        #expect(screen.question != nil && !screen.canRecover)
        screen.askToRecover()
        #expect(screen.phase == .asking)
        await #expect(throws: AuthError.self) { try await manager.linking.startOver() }
        #expect(manager.linkQuestion != nil && manager.phase == .unauthenticated)
    }

    @Test(
        "An old or used ticket, or one without its account, ends the question",
        arguments: ["old", "fault", "gone"])
    func over(_ how: String) async throws {
        let manager = await asked()
        switch how {
        case "old": service.clock.advance(by: .seconds(600))
        case "fault": service.meet(.linkTicketExpired)
        default: service.removeAccount(email: "ada@example.com")
        }
        let screen = LinkModel(manager: manager)
        screen.askToRecover()
        await screen.recover()?.value
        let text = "That took too long. Please sign in again."
        #expect(screen.message?.text == text)
        let login = LoginModel(manager: manager)
        #expect(login.message?.text == text)
        await #expect(throws: AuthError.self) {
            try await manager.signInWithEmail("grace@example.com", password: "wrong password")
        }
        #expect(login.message == nil)
        #expect(screen.question == nil && manager.phase == .unauthenticated)
        #expect(try await manager.linking.confirm(.password(Fixtures.password)) == .ignored)
    }

    @Test("Without a question nothing is sent, and the phase stays")
    func ignored() async throws {
        let manager = service.makeManager(telemetry: [events])
        await manager.wait { $0.phase == .unauthenticated }
        #expect(try await manager.linking.confirm(.password(Fixtures.password)) == .ignored)
        #expect(try await manager.linking.confirm(.apple({ try await sheet.apple() })) == .ignored)
        #expect(try await manager.linking.confirm(.google({ try await sheet.google() })) == .ignored)
        #expect(try await manager.linking.startOver() == .ignored)
        #expect(service.calls.isEmpty && sheet.requests.isEmpty && events.all.isEmpty)
        #expect(manager.phase == .unauthenticated)
    }

    @Test("Any sign-in ends the question, and so does dismissing it")
    func moot() async throws {
        let manager = await asked()
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        #expect(manager.linkQuestion == nil)
        #expect(try await manager.identities.list().map(\.provider) == ["email"])
    }

    @Test("The scripted conflict has a question that nothing can answer")
    func fault() async throws {
        service.meet(.emailTaken)
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }
        await #expect(throws: AuthError.self) { try await manager.signInWithApple { try await sheet.apple() } }
        #expect(manager.linkQuestion == Fixtures.linkQuestion())
        await #expect(throws: AuthError.self) { try await manager.linking.startOver() }
        #expect(manager.linkQuestion == nil)
    }
}

/// Records every event.
final class HeardTelemetry: TelemetrySink {
    private let heard = Mutex<[TelemetryEvent]>([])
    var all: [TelemetryEvent] { heard.withLock { $0 } }
    func record(_ event: TelemetryEvent) { heard.withLock { $0.append(event) } }
}
