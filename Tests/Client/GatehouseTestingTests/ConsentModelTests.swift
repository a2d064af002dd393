import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Screens for requests for access", .timeLimit(.minutes(5))) @MainActor
struct ConsentModelTests {
    private let service = InMemoryAuthService.signedIn()

    init() { service.serverSettings.hasOAuthServer = true }

    private func user() async -> AuthManager {
        let manager = service.makeManager()
        await manager.wait { $0.isLoggedIn && !$0.isLoading }
        return manager
    }

    private func model(_ asked: InMemoryAuthService.Authorization, _ manager: AuthManager) throws
        -> AuthorizationRequestModel
    {
        #expect(manager.consents.handle(asked.link))
        return AuthorizationRequestModel(try #require(manager.authorizationRequest), manager: manager)
    }

    /// Loaded.
    private func shown(_ asked: InMemoryAuthService.Authorization, _ manager: AuthManager) async throws
        -> AuthorizationRequestModel
    {
        let model = try model(asked, manager)
        await model.load()
        #expect(model.phase == .asking && model.details?.authorizationID == asked.id && model.canDecide)
        return model
    }

    private func redirect(_ phase: AuthorizationRequestModel.Phase) -> OAuthRedirect? {
        switch phase {
        case .approved(let redirect), .denied(let redirect): redirect
        default: nil
        }
    }

    @Test("A link loads, asks, and an approval says where to go")
    func approve() async throws {
        let (manager, asked) = (await user(), service.beginAuthorization())
        let fresh = try model(asked, manager)
        #expect(fresh.phase == .loading && !fresh.canDecide && fresh.approve() == nil && fresh.retry() == nil)
        let model = try await shown(asked, manager)
        #expect(model.continuesHere && model.message == nil && model.userCode == nil)
        let work = model.approve()
        #expect(model.phase == .deciding && model.deny() == nil)
        await work?.value
        #expect(redirect(model.phase)?.redirectURL.host() == "agent.example")
        #expect(service.decision(on: asked) == .approved && !model.canDecide && model.approve() == nil)
        // A screen that appears again changes nothing.
        await model.load()
        #expect(redirect(model.phase) != nil)
    }

    @Test("A device's approval has nowhere to go, and shows the code to compare")
    func device() async throws {
        let (manager, asked) = (await user(), service.beginDeviceAuthorization())
        let model = try await shown(asked, manager)
        #expect(model.details?.flow == .device && model.userCode == asked.userCode)
        await model.approve()?.value
        #expect(model.phase == .approved(nil) && service.redeem(asked))
    }

    @Test("A denial says so; with a report, nothing leads back to the client")
    func deny() async throws {
        let manager = await user()
        let denied = try await shown(service.beginAuthorization(), manager)
        await denied.deny()?.value
        #expect(redirect(denied.phase)?.redirectURL.query()?.contains("access_denied") == true)
        #expect(service.reportedClients.isEmpty)
        let reported = try await shown(service.beginAuthorization(), manager)
        await reported.deny(reporting: true)?.value
        #expect(reported.phase == .denied(nil) && service.reportedClients == [Fixtures.agent.id])
    }

    @Test("What was approved before continues without a question")
    func known() async throws {
        let manager = await user()
        await (try await shown(service.beginAuthorization(), manager)).approve()?.value
        let again = try model(service.beginAuthorization(), manager)
        await again.load()
        #expect(redirect(again.phase) != nil && again.details == nil)
    }

    @Test("Unknown, expired and another user's requests are gone; decided ones say so")
    func gone() async throws {
        service.addAccount(email: "grace@example.com")
        let manager = await user()
        for asked in [service.beginAuthorization(for: "grace@example.com"), service.beginDeviceAuthorization()] {
            let model = try model(asked, manager)
            service.clock.advance(by: .seconds(asked.userCode == nil ? 0 : 600))
            await model.load()
            #expect(model.phase == .gone && !model.canDecide)
        }
        let late = try await shown(service.beginAuthorization(), manager)
        service.clock.advance(by: .seconds(600))
        await late.approve()?.value
        #expect(late.phase == .gone)
        let asked = service.beginAuthorization()
        let elsewhere = try await shown(asked, manager)
        await (try await shown(asked, manager)).deny()?.value
        await elsewhere.approve()?.value
        #expect(elsewhere.phase == .alreadyDecided)
    }

    @Test("After a lost response the same decision is repeated, and has the same result")
    func lost() async throws {
        let manager = await user()
        let asked = service.beginAuthorization()
        let model = try await shown(asked, manager)
        service.meet(.answerLost, .offline, at: .decideAuthorization)
        await model.approve()?.value
        guard case .failed(let message) = model.phase else { throw CancellationError() }
        #expect(message.action == .retry && model.canDecide && service.decision(on: asked) == .approved)
        await model.retry()?.value
        guard case .failed = model.phase else { throw CancellationError() }
        await model.retry()?.value
        #expect(redirect(model.phase)?.redirectURL.query()?.contains("code=") == true)
        let denied = try await shown(service.beginAuthorization(scope: "phone"), manager)
        service.meet(.answerLost, at: .decideAuthorization)
        await denied.deny(reporting: true)?.value
        await denied.retry()?.value
        #expect(denied.phase == .denied(nil) && service.reportedClients.count == 1)
    }

    @Test("A failed load is repeated")
    func failedLoad() async throws {
        let manager = await user()
        let model = try model(service.beginAuthorization(), manager)
        service.meet(.serviceUnavailable, at: .authorization)
        await model.load()
        guard case .failed = model.phase else { throw CancellationError() }
        #expect(!model.canDecide && model.approve() == nil)
        await model.retry()?.value
        #expect(model.phase == .asking)
    }

    @Test("An approval asks for a fresh proof, a denial never; the approval then repeats by itself")
    func proof() async throws {
        let manager = await user()
        manager.answersProofQuestions = true
        let model = try await shown(service.beginAuthorization(), manager)
        service.meet(.freshProofNeeded, at: .decideAuthorization)
        let work = model.approve()
        await manager.wait { $0.proofQuestion != nil }
        #expect(model.phase == .deciding && manager.proofQuestion?.need == .freshProof)
        try await manager.proofs.prove(password: Fixtures.password)
        await work?.value
        #expect(redirect(model.phase) != nil && manager.authorizationRequest != nil)
    }

    @Test("A dismissed proof decides nothing, and the user can try again; so can one whom no screen asks")
    func dismissedProof() async throws {
        let manager = await user()
        let asked = service.beginAuthorization()
        let model = try await shown(asked, manager)
        service.meet(.freshProofNeeded, at: .decideAuthorization)
        await model.approve()?.value
        #expect(model.phase == .needsProof && model.message != nil && model.canDecide)
        manager.answersProofQuestions = true
        service.meet(.freshProofNeeded, at: .decideAuthorization)
        let work = model.approve()
        await manager.wait { $0.proofQuestion != nil }
        manager.proofs.dismiss()
        await work?.value
        #expect(model.phase == .needsProof && service.decision(on: asked) == .pending)
        await model.approve()?.value
        #expect(service.decision(on: asked) == .approved)
    }

    @Test("An unproven second factor is asked for before the details are shown")
    func level() async throws {
        service.addApp()
        let manager = service.makeManager()
        await manager.wait { $0.phase == .secondFactorNeeded }
        #expect(manager.consents.handle(service.beginAuthorization().link))
        let question = try #require(manager.authorizationRequest)
        let model = AuthorizationRequestModel(question, manager: manager)
        await model.load()
        #expect(model.details == nil && !service.calls.contains(.authorization))
        try await manager.proofs.prove(code: try #require(service.appCode()), of: try #require(app(manager)))
        #expect(manager.isLoggedIn && manager.authorizationRequest == question)
        let again = AuthorizationRequestModel(question, manager: manager)
        await again.load()
        #expect(again.phase == .asking)
    }

    private func app(_ manager: AuthManager) -> UUID? {
        if case .app(let factor)? = manager.secondFactor?.methods.first { factor.id } else { nil }
    }

    @Test("The typed code opens its request; a wrong one and a refused one say so")
    func code() async throws {
        let manager = await user()
        let asked = service.beginDeviceAuthorization()
        let model = DeviceCodeModel(manager: manager)
        #expect(!model.canSubmit && model.submit() == nil)
        model.typed = "BCD"
        #expect(!model.canSubmit)
        model.typed = "zzzz zzzz"
        await model.submit()?.value
        #expect(model.message?.text == "The code is wrong or has expired." && model.request == nil)
        service.meet(.rateLimited(retryAfter: nil), at: .authorization)
        await model.submit()?.value
        #expect(model.message?.text == "Too many attempts. Please wait a moment and try again.")
        model.typed = try #require(asked.userCode).text.lowercased()
        let work = model.submit()
        #expect(model.isWorking && !model.canSubmit && model.message == nil)
        await work?.value
        #expect(model.request?.phase == .asking && model.request?.request.origin == .code)
        model.typed = String(repeating: "B", count: 65)
        #expect(model.typed.count <= 64)
    }

    @Test("Connected apps are listed and removed, also after a lost response")
    func grants() async throws {
        let manager = await user()
        let asked = service.beginAuthorization()
        await (try await shown(asked, manager)).approve()?.value
        #expect(service.redeem(asked))
        let model = ConnectedAppsModel(manager: manager)
        service.meet(.offline, at: .grants)
        await model.load()
        #expect(model.phase == .failed)
        await model.load()
        #expect(model.phase == .showing && model.grants.map(\.client.name) == ["Scout"])
        #expect(model.grants[0].permissions.map(\.english) == ["Know who you are", "See your email address"])
        service.meet(.offline, .answerLost, at: .revokeGrant)
        await model.remove(model.grants[0])?.value
        #expect(model.message?.action == .retry && model.grants.count == 1)
        await model.remove(model.grants[0])?.value
        #expect(model.message != nil && model.grants.count == 1)
        await model.remove(model.grants[0])?.value
        #expect(model.phase == .showing && model.grants.isEmpty && service.openSessionCount == 1)
    }
}
