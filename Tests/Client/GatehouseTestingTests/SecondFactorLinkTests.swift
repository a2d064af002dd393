import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("A link with a second factor", .timeLimit(.minutes(5))) @MainActor
struct SecondFactorLinkTests {
    private let service = InMemoryAuthService()
    private let events = HeardTelemetry()
    private let sheet = ScriptedProviderSheet(.signsIn(.ada))

    /// After Google and her account's password.
    private func answered() async throws -> (AuthManager, ProofModel) {
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        service.addApp()
        let manager = service.makeManager(telemetry: [events])
        await manager.wait { $0.phase == .unauthenticated }
        await #expect(throws: AuthError.self) { try await manager.signInWithGoogle { try await sheet.google() } }
        let link = LinkModel(manager: manager)
        await link.confirm(password: Fixtures.password)?.value
        #expect(manager.phase == .secondFactorNeeded && link.message == nil && !link.isBusy)
        link.dismiss()
        return (manager, ProofModel(question: try #require(manager.secondFactor), manager: manager))
    }

    private func isLinked() -> Bool { events.all.contains(.linked(existing: .email, new: .google)) }

    @Test("The password leads to the code, and the code links; a wrong one links nothing")
    func links() async throws {
        let (manager, proof) = try await answered()
        #expect(!manager.isLoggedIn && !isLinked())
        proof.code = "000000"
        await proof.submit()?.value
        #expect(proof.message?.text == "The code is wrong or has expired." && !isLinked())
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        #expect(proof.phase == .proven && manager.phase == .authenticated && isLinked())
        #expect(try await manager.identities.list().map(\.provider) == ["email", "google"])
        #expect(service.openSessionCount == 1)
        try await manager.credentials.changePassword("another battery")
        #expect(manager.secondFactor == nil && manager.linkQuestion == nil)
    }

    @Test("Nobody is shown between the code and the link")
    func together() async throws {
        let (manager, proof) = try await answered()
        service.meet(.slow, at: .confirmLink)
        proof.code = try #require(service.appCode())
        let work = proof.submit()
        await until { service.heldCount == 1 }
        #expect(!manager.isLoggedIn && manager.phase == .secondFactorNeeded)
        service.release()
        await work?.value
        #expect(manager.isLoggedIn && isLinked())
    }

    @Test("A link that fails after the code signs out, and asks again; a late answer says so")
    func fails() async throws {
        let (manager, proof) = try await answered()
        service.meet(.offline, at: .confirmLink)
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        #expect(manager.phase == .unauthenticated && !isLinked() && service.openSessionCount == 0)
        #expect(manager.linkQuestion?.email == "ada@example.com")
        let link = LinkModel(manager: manager)
        await link.confirm(password: Fixtures.password)?.value
        service.clock.advance(by: .seconds(601))
        let late = ProofModel(question: try #require(manager.secondFactor), manager: manager)
        late.code = try #require(service.appCode())
        await late.submit()?.value
        #expect(manager.phase == .unauthenticated && manager.linkHasExpired && manager.linkQuestion == nil)
    }

    @Test("A cancelled second step links nothing, and a later sign-in neither")
    func cancelled() async throws {
        let (manager, proof) = try await answered()
        await proof.cancel()?.value
        #expect(manager.phase == .unauthenticated && service.openSessionCount == 0)
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        let next = ProofModel(question: try #require(manager.secondFactor), manager: manager)
        next.code = try #require(service.appCode())
        await next.submit()?.value
        #expect(try await manager.identities.list().map(\.provider) == ["email"])
    }

    @Test("A mailed code is not enough, and the message says what is")
    func mailed() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        service.addApp()
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }
        await #expect(throws: AuthError.self) { try await manager.signInWithGoogle { try await sheet.google() } }
        await #expect(throws: AuthError.secondFactorNeeded) { try await manager.linking.confirm(.code("123456")) }
        #expect(manager.phase == .unauthenticated && manager.linkQuestion != nil)
        let code = CodeModel(.link, email: "ada@example.com", manager: manager)
        code.code = "123456"
        await code.submit()?.value
        #expect(code.message?.text == "This account uses two-step verification. Sign in to it to link your accounts.")
    }
}
