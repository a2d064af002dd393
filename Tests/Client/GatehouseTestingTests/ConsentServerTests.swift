import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("The server in memory takes requests for access")
struct ConsentServerTests {
    private let memory = InMemoryAuthService.signedIn()
    private var service: LiveAuthService { memory.service }

    init() { memory.serverSettings.hasOAuthServer = true }

    private func refused(_ call: () async throws -> Void) async -> String? {
        do {
            try await call()
            return nil
        } catch AuthClientError.refused(let refusal) {
            return "\(refusal.status) \(refusal.code?.rawValue ?? "")"
        } catch {
            return "\(error)"
        }
    }

    private func look(_ asked: InMemoryAuthService.Authorization) async throws -> OAuthAuthorizationDetailsResponse {
        try await service.authorization(try #require(OAuthConsentLink(asked.link)))
    }

    private func lookFails(_ asked: InMemoryAuthService.Authorization) async -> String? {
        await refused { _ = try await look(asked) }
    }

    @Test("A look has the details, and the approval a code; both can be repeated")
    func approve() async throws {
        let asked = memory.beginAuthorization(scope: "email scores:read", resources: ["https://api.example.org/mcp"])
        guard case .details(let details) = try await look(asked) else { throw CancellationError() }
        #expect(details.authorizationID == asked.id && details.flow == .redirect && details.client == Fixtures.agent)
        #expect(details.scopes.map(\.explanation) == [nil, "Read your scores"])
        #expect(details.user.email == "ada@example.com" && details.resources == ["https://api.example.org/mcp"])
        #expect(details.expiresAt == memory.clock.now + 600)
        #expect(try await look(asked) == .details(details))
        #expect(memory.decision(on: asked) == .pending && !memory.redeem(asked))
        let redirect = try #require(try await service.approve(asked.id))
        #expect(redirect.redirectURL.absoluteString.hasPrefix("https://agent.example/callback?code="))
        #expect(try await service.approve(asked.id) == redirect)
        #expect(try await look(asked) == .redirect(redirect))
        #expect(await refused { _ = try await service.deny(asked.id, reporting: false) } == "400 validation_failed")
        #expect(memory.redeem(asked) && !memory.redeem(asked))
        #expect(await lookFails(asked) == "400 validation_failed")
        #expect(await refused { _ = try await service.approve(asked.id) } == "400 validation_failed")
    }

    @Test("A denial is final, and can be repeated; only the first reports the client")
    func deny() async throws {
        let asked = memory.beginAuthorization()
        _ = try await look(asked)
        let redirect = try #require(try await service.deny(asked.id, reporting: true))
        #expect(redirect.redirectURL.absoluteString.contains("error=access_denied"))
        #expect(try await service.deny(asked.id, reporting: true) == redirect)
        #expect(memory.reportedClients == [Fixtures.agent.id] && memory.decision(on: asked) == .denied)
        #expect(await lookFails(asked) == "400 validation_failed")
        #expect(await refused { _ = try await service.approve(asked.id) } == "400 validation_failed")
        #expect(try await service.grants().isEmpty)
    }

    @Test("A device's code opens its request, in any spelling; the device learns the decision by itself")
    func device() async throws {
        let asked = memory.beginDeviceAuthorization()
        let code = try #require(asked.userCode)
        let typed = try #require(OAuthUserCode(code.text.lowercased().replacing("-", with: " ")))
        guard case .details(let details) = try await service.authorization(.device(typed)) else {
            throw CancellationError()
        }
        #expect(details.flow == .device && details.redirectURI == nil && details.authorizationID == asked.id)
        #expect(try await service.approve(asked.id) == nil)
        #expect(try await look(asked) == .approved && memory.redeem(asked))
        let unknown = OAuthConsentLink.device(try #require(OAuthUserCode("ZZZZ-ZZZZ")))
        #expect(
            await refused { _ = try await service.authorization(unknown) } == "404 oauth_authorization_not_found")
    }

    @Test("The first who looks owns a request: another user finds none, and no decision precedes a look")
    func owner() async throws {
        memory.addAccount(email: "grace@example.com")
        let asked = memory.beginAuthorization()
        let unknown = "404 oauth_authorization_not_found"
        #expect(await refused { _ = try await service.approve(asked.id) } == unknown)
        _ = try await look(asked)
        _ = try await service.signIn(email: "grace@example.com", password: Fixtures.password)
        #expect(await lookFails(asked) == unknown)
        #expect(await refused { _ = try await service.approve(asked.id) } == unknown)
        #expect(await refused { _ = try await service.deny(asked.id, reporting: false) } == unknown)
        #expect(try await service.pendingAuthorizations().isEmpty)
        let named = memory.beginAuthorization(for: "ada@example.com")
        #expect(await lookFails(named) == unknown)
    }

    @Test("A request expires after ten minutes")
    func expiry() async throws {
        let asked = memory.beginAuthorization()
        memory.clock.advance(by: .seconds(599))
        _ = try await look(asked)
        #expect(try await service.pendingAuthorizations().map(\.id) == [asked.id])
        memory.clock.advance(by: .seconds(1))
        #expect(memory.decision(on: asked) == .expired)
        #expect(await lookFails(asked) == "404 oauth_authorization_not_found")
        #expect(await refused { _ = try await service.approve(asked.id) } == "404 oauth_authorization_not_found")
        #expect(try await service.pendingAuthorizations().isEmpty)
    }

    @Test("Pending are the user's own undecided requests, newest first, at most 20")
    func pending() async throws {
        let first = memory.beginAuthorization(for: "ada@example.com")
        _ = memory.beginAuthorization()
        let asked = (0..<20).map { _ in memory.beginAuthorization(for: "ada@example.com") }
        #expect(try await service.pendingAuthorizations().map(\.id) == asked.reversed().map(\.id))
        _ = try await service.deny(asked[19].id, reporting: false)
        #expect(
            try await service.pendingAuthorizations().map(\.id) == (asked.dropLast().reversed().map(\.id) + [first.id]))
    }

    @Test("What the user approved once is not asked again, unless it is more, or for a device")
    func again() async throws {
        let first = memory.beginAuthorization(scope: "openid email")
        _ = try await look(first)
        _ = try await service.approve(first.id)
        let less = memory.beginAuthorization(scope: "email")
        guard case .redirect = try await look(less) else { throw CancellationError() }
        #expect(memory.decision(on: less) == .approved)
        for asked in [memory.beginAuthorization(scope: "email phone"), memory.beginDeviceAuthorization(scope: "email")]
        {
            guard case .details = try await look(asked) else { throw CancellationError() }
        }
        var other = Fixtures.agent
        other.id = "another"
        guard case .details = try await look(memory.beginAuthorization(by: other)) else { throw CancellationError() }
    }

    @Test("A grant is used with its session, and ends with all of them")
    func grants() async throws {
        let asked = memory.beginAuthorization(scope: "email", resources: ["https://api.example.org/mcp"])
        _ = try await look(asked)
        _ = try await service.approve(asked.id)
        let grant = try #require(try await service.grants().first)
        #expect(grant.client == Fixtures.agent && grant.scopes == ["email"] && grant.lastUsedAt == nil)
        #expect(grant.resources == ["https://api.example.org/mcp"])
        memory.clock.advance(by: .seconds(5))
        #expect(memory.redeem(asked))
        #expect(try await service.grants().first?.lastUsedAt == memory.clock.now)
        let sessions = try await service.sessions()
        #expect(sessions.map { $0.oauthClient?.name } == [nil, "Scout"])
        try await service.revokeGrant(of: grant.client.id)
        #expect(try await service.grants().isEmpty)
        #expect(try await service.sessions().count == 1)
        #expect(
            await refused { try await service.revokeGrant(of: grant.client.id) } == "404 oauth_consent_not_found")
    }

    @Test("An account with a second factor must have proven it")
    func level() async throws {
        memory.addApp()
        let asked = memory.beginAuthorization()
        #expect(await lookFails(asked) == "403 insufficient_aal")
    }

    @Test("A server without requests says so")
    func disabled() async throws {
        memory.serverSettings.hasOAuthServer = false
        #expect(await lookFails(memory.beginAuthorization()) == "404 feature_disabled")
        #expect(await refused { _ = try await service.grants() } == "404 feature_disabled")
        #expect(await refused { _ = try await service.pendingAuthorizations() } == "404 feature_disabled")
    }

    @Test("Faults apply to each call")
    func faults() async throws {
        let asked = memory.beginAuthorization(for: "ada@example.com")
        memory.meet(.rateLimited(retryAfter: .seconds(9)), at: .authorization)
        memory.meet(.freshProofNeeded, .answerLost, at: .decideAuthorization)
        memory.meet(.notSupported, at: .pendingAuthorizations)
        #expect(await lookFails(asked) == "429 over_request_rate_limit")
        #expect(await refused { _ = try await service.approve(asked.id) } == "403 fresh_sign_in_required")
        #expect(await refused { _ = try await service.approve(asked.id) }?.contains("-1005") == true)
        #expect(memory.decision(on: asked) == .approved)
        #expect(await refused { _ = try await service.pendingAuthorizations() } == "404 ")
        #expect(memory.pendingFaults.isEmpty)
    }
}
