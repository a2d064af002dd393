import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("A mailed code answers a link question (D7)", .timeLimit(.minutes(5))) @MainActor
struct LinkCodeTests {
    private static let ada = "ada@example.com"
    private let service = InMemoryAuthService()
    private let events = HeardTelemetry()
    private let sheet = ScriptedProviderSheet(.signsIn(.ada))

    /// The account is proven, but its owner has unlinked Google before.
    private func asked() async throws -> (AuthManager, LinkModel) {
        service.addAccount(email: Self.ada, firstName: "Ada", isEmailProven: true)
        let manager = service.makeManager(telemetry: [events])
        await manager.wait { $0.phase == .unauthenticated }
        try await manager.signInWithGoogle { try await sheet.google() }
        try await service.service.unlink(try #require(try await manager.identities.list().last))
        await manager.signOut()
        await #expect(throws: AuthError.self) { try await manager.signInWithGoogle { try await sheet.google() } }
        return (manager, LinkModel(manager: manager))
    }

    private func mailed() async throws -> (AuthManager, LinkModel, CodeModel) {
        let (manager, screen) = try await asked()
        await screen.sendCode()?.value
        return (manager, screen, try #require(screen.code))
    }

    private func code() throws -> String { try #require(service.mailCode(.link, to: Self.ada)) }

    @Test("The code links and signs in; a wrong one keeps the question and the screen")
    func confirm() async throws {
        let (manager, screen, model) = try await mailed()
        #expect(model.kind == .link && model.email == Self.ada && model.countdown == "1:00" && screen.phase == .asking)
        #expect(service.mails.last == .init(kind: .link, email: Self.ada))
        let code = try code()
        model.code = code == "000000" ? "000001" : "000000"
        await model.submit()?.value
        #expect(model.message?.text == "The code is wrong or has expired.")
        #expect(screen.question != nil && screen.code === model && manager.phase == .unauthenticated)
        model.code = code
        await model.submit()?.value
        #expect(model.phase == .confirmed && screen.question == nil && manager.user?.email == Self.ada)
        #expect(try await manager.identities.list().map(\.provider) == ["email", "google"])
        #expect(events.all.last == .linked(existing: .email, new: .google))
        #expect(!manager.isNewUser)
        await manager.signOut()
        // The address was proven before: the code took nothing.
        #expect(try await manager.signInWithEmail(Self.ada, password: Fixtures.password) == .signedIn)
    }

    @Test("Five wrong codes void a code, and a newer mail brings another; too many attempts ask to wait")
    func void() async throws {
        let (_, _, model) = try await mailed()
        let first = try code()
        for _ in 1...5 {
            model.code = first == "000000" ? "000001" : "000000"
            await model.submit()?.value
        }
        model.code = first
        await model.submit()?.value
        #expect(model.message?.text == "The code is wrong or has expired.")
        service.clock.advance(by: .seconds(60))
        await model.countDown()
        await model.sendAgain()?.value
        #expect(model.wasSentAgain && model.countdown == "1:00" && model.code.isEmpty)
        service.meet(.rateLimited(retryAfter: nil), at: .confirmLink)
        model.code = try code()
        await model.submit()?.value
        #expect(model.message?.text == "Too many attempts. Please wait a moment and try again.")
        await model.submit()?.value
        #expect(model.phase == .confirmed)
    }

    @Test("The code ends with its question, and the login screen says so", arguments: [true, false])
    func expired(_ bySending: Bool) async throws {
        let (manager, screen, model) = try await mailed()
        model.code = try code()
        service.clock.advance(by: .seconds(601))
        await model.countDown()
        if bySending { await model.sendAgain()?.value } else { await model.submit()?.value }
        #expect(screen.question == nil && manager.phase == .unauthenticated)
        #expect(LoginModel(manager: manager).message?.text == "That took too long. Please sign in again.")
    }

    @Test("A mail that was requested too soon leads to its code, with the server's countdown")
    func tooSoon() async throws {
        let (_, screen) = try await asked()
        service.meet(.rateLimited(retryAfter: .seconds(42)), at: .sendLinkCode)
        await screen.sendCode()?.value
        let model = try #require(screen.code)
        #expect(model.countdown == "0:42")
        #expect(
            model.message?.text == "We just sent you an email. Please wait before requesting another.")
    }

    @Test("Without a connection, question and code stay, and can be tried again")
    func offline() async throws {
        let (manager, screen) = try await asked()
        service.goOffline()
        await screen.sendCode()?.value
        #expect(screen.message?.text == "Unable to connect. Check your internet and try again.")
        #expect(screen.code == nil && screen.question != nil)
        service.goOnline()
        await screen.sendCode()?.value
        let model = try #require(screen.code)
        model.code = try code()
        service.goOffline()
        await model.submit()?.value
        #expect(model.message?.action == .retry && model.code.count == 6 && screen.question != nil)
        service.goOnline()
        await model.retry()?.value
        #expect(model.phase == .confirmed && manager.isLoggedIn)
    }

    @Test("The user can return to the question, or leave it; a late answer then signs nobody in")
    func cancelled() async throws {
        let (manager, screen, model) = try await mailed()
        screen.startOver()
        #expect(screen.code == nil && screen.question != nil && screen.phase == .asking)
        service.meet(.slow, at: .confirmLink)
        model.code = try code()
        let work = model.submit()
        await until { service.heldCount == 1 }
        await manager.signOut()
        screen.dismiss()
        service.release()
        await work?.value
        #expect(!manager.isLoggedIn && screen.question == nil && screen.code == nil)
        try await manager.linking.sendCode()
        #expect(try await manager.linking.confirm(.code("123456")) == .ignored)
        #expect(service.calls.filter { $0 == .sendLinkCode }.count == 1)
    }

    @Test("A second tap sends nothing, and a question that is gone gets no screen for a code")
    func once() async throws {
        let (manager, screen) = try await asked()
        service.meet(.slow, at: .sendLinkCode)
        let work = screen.sendCode()
        #expect(screen.sendCode() == nil && screen.isBusy && screen.phase == .sending)
        #expect(screen.confirm(password: Fixtures.password) == nil)
        await until { service.heldCount == 1 }
        manager.linking.dismiss()
        service.release()
        await work?.value
        #expect(screen.code == nil && screen.phase == .asking)
        #expect(service.calls.filter { $0 == .sendLinkCode }.count == 1)
    }

    @Test("A server without mail offers no code", arguments: [true, false])
    func withoutMail(_ isKnown: Bool) async throws {
        if isKnown { service.serverSettings.sendsMail = false }
        let (_, screen) = try await asked()
        #expect(screen.canMailCode != isKnown)
        service.meet(.mailDisabled)
        await screen.sendCode()?.value
        #expect(screen.code == nil && screen.message?.text == (isKnown ? nil : "Email isn't available here."))
    }
}
