import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Screens for requests that expect another account", .timeLimit(.minutes(5))) @MainActor
struct ExpectedAccountTests {
    private static let grace = "grace@example.com"

    private func service(severalAccounts: Bool = false) async throws -> InMemoryAuthService {
        let service = InMemoryAuthService(allowsSeveralAccounts: severalAccounts)
        service.serverSettings.hasOAuthServer = true
        for email in ["ada@example.com", Self.grace] { service.addAccount(email: email) }
        return service
    }

    private func user(_ service: InMemoryAuthService) async throws -> AuthManager {
        let manager = service.makeManager()
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        await manager.wait { $0.isLoggedIn && !$0.isLoading }
        return manager
    }

    private func shown(_ asked: InMemoryAuthService.Authorization, _ manager: AuthManager) async throws
        -> AuthorizationRequestModel
    {
        #expect(manager.consents.handle(asked.link))
        let model = AuthorizationRequestModel(try #require(manager.authorizationRequest), manager: manager)
        await model.load()
        #expect(model.phase == .asking && model.canDecide)
        return model
    }

    private func become(_ email: String, _ manager: AuthManager) async throws {
        try await manager.switchAccount { account throws(AuthError) in
            try await account.signInWithEmail(email, password: Fixtures.password)
        }
    }

    @Test("Another account may approve after a hint, but not what only the expected one can")
    func approve() async throws {
        let service = try await service()
        let manager = try await user(service)
        let hinted = service.beginAuthorization(expecting: OAuthExpectedAccount(name: Self.grace))
        let hint = try await shown(hinted, manager)
        #expect(hint.details?.expectedAccount?.shownName == "\u{2068}\(Self.grace)\u{2069}" && hint.canApprove)
        let asked = service.beginAuthorization(expecting: OAuthExpectedAccount(name: nil, isRequired: true))
        let model = try await shown(asked, manager)
        #expect(model.details?.expectedAccount?.isRequired == true && model.details?.expectedAccount?.shownName == nil)
        #expect(!model.canApprove && model.approve() == nil && model.canUseAnotherAccount)
        let details = try #require(model.details)
        await #expect {
            _ = try await manager.consents.approve(details)
        } throws: { error in
            guard case AuthError.networkError(.refused(let refusal)) = error else { return false }
            return refusal.status == 404 && refusal.code == .oauthAuthorizationNotFound
        }
        await model.deny()?.value
        #expect(service.decision(on: asked) == .denied && service.decision(on: hinted) == .pending)
        await hint.approve()?.value
        #expect(service.decision(on: hinted) == .approved)
        let mine = try await shown(
            service.beginAuthorization(scope: "phone", expecting: OAuthExpectedAccount(name: "ada@example.com")),
            manager)
        #expect(mine.details?.expectedAccount == nil)
    }

    @Test("Another account signs in and decides; this one stays until then", arguments: [false, true])
    func switching(_ severalAccounts: Bool) async throws {
        let service = try await service(severalAccounts: severalAccounts)
        let manager = try await user(service)
        let asked = service.beginAuthorization(
            expecting: OAuthExpectedAccount(name: Self.grace, isRequired: true))
        let model = try await shown(asked, manager)
        await model.useAnotherAccount()?.value
        #expect(model.choosesAccount && model.details == nil && !model.canDecide)
        await model.load()
        #expect(model.details == nil && manager.user?.email == "ada@example.com")
        try await become(Self.grace, manager)
        #expect(manager.user?.email == Self.grace && manager.authorizationRequest == model.request)
        model.endChoice()
        await model.load()
        #expect(model.phase == .asking && model.details?.user.email == Self.grace && model.canApprove)
        #expect(model.details?.expectedAccount == nil)
        await model.approve()?.value
        #expect(service.decision(on: asked) == .approved)
        // The next user sees no earlier request.
        try await become("ada@example.com", manager)
        #expect(manager.authorizationRequest == nil)
    }

    @Test("A user who stays sees the request again, and it ends with the account")
    func staying() async throws {
        let service = try await service()
        let manager = try await user(service)
        let asked = service.beginAuthorization()
        let model = try await shown(asked, manager)
        await model.useAnotherAccount()?.value
        model.endChoice()
        await model.load()
        #expect(model.phase == .asking && model.details?.user.email == "ada@example.com")
        try await become(Self.grace, manager)
        #expect(manager.authorizationRequest == nil)
        // A screen that is still open shows nothing of the previous account's.
        await model.load()
        #expect(model.phase == .gone && model.details == nil && service.decision(on: asked) == .pending)
    }

    @Test("A lost response is repeated; a device's request cannot be given up")
    func lost() async throws {
        let service = try await service()
        let manager = try await user(service)
        let model = try await shown(service.beginAuthorization(), manager)
        service.meet(.offline, .answerLost, at: .releaseAuthorization)
        for _ in 0..<2 {
            if case .failed = model.phase { await model.retry()?.value } else { await model.useAnotherAccount()?.value }
            guard case .failed(let message) = model.phase else { throw CancellationError() }
            #expect(message.action == .retry && !model.choosesAccount)
        }
        await model.retry()?.value
        #expect(model.choosesAccount && service.pendingFaults.isEmpty)
        let device = try await shown(service.beginDeviceAuthorization(), manager)
        #expect(!device.canUseAnotherAccount && device.useAnotherAccount() == nil)
    }

    @Test("A phone number is shown in blocks, and a made-up name cannot disturb the text around it")
    func names() {
        for (name, shown) in [
            ("491701234567", "\u{2066}+49 170 123 4567\u{2069}"),
            ("a@xn--bcher-kva.example", "\u{2068}a@bücher.example\u{2069}"),
            ("\u{202E}x\n@y", "\u{2068}x@y\u{2069}"), ("\u{0}", nil), (nil, nil),
        ] {
            #expect(OAuthExpectedAccount(name: name).shownName == shown)
        }
    }
}
