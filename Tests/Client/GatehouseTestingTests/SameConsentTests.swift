import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Requests for access: the server in memory behaves like the real one", .timeLimit(.minutes(5)))
@MainActor
struct SameConsentTests {
    private nonisolated static func with(
        _ kind: ServiceKind, _ test: @escaping @MainActor @Sendable (ServiceWorld, AuthManager) async throws -> Void
    ) async throws {
        try await ServiceWorld.with(kind, hasAgents: true) { world in
            try await world.signUp()
            let manager = await manager(of: world)
            try await test(world, manager)
        }
    }

    private static func manager(of world: ServiceWorld) async -> AuthManager {
        let manager = AuthManager(
            service: world.service, storage: MemoryStorage(), clock: VirtualClock().clock,
            appleCredentials: .unavailable)
        await manager.wait { !$0.isLoading && $0.isLoggedIn }
        await manager.loadServerSettings()
        return manager
    }

    private func looked(_ asked: ServiceAgent.Request, _ manager: AuthManager) async throws -> OAuthAuthorizationDetails
    {
        guard case .details(let details) = try await manager.consents.details(asked.link) else {
            throw CancellationError()
        }
        return details
    }

    private func refusal(_ call: () async throws -> Void) async -> String? {
        do {
            try await call()
            return nil
        } catch AuthError.networkError(.refused(let refusal)), AuthClientError.refused(let refusal) {
            return "\(refusal.status) \(refusal.code?.rawValue ?? "")"
        } catch {
            return "\(error)"
        }
    }

    @Test("An approved agent gets its tokens, is listed in words, and loses access", arguments: ServiceKind.allCases)
    func approve(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world, manager in
            #expect(manager.serverSettings?.hasOAuthServer == true)
            let asked = try await world.agent.ask("email scores:read")
            let details = try await looked(asked, manager)
            #expect(details.client.name == "Scout" && details.user.email == "ada@example.com")
            #expect(details.flow == .redirect)
            #expect(details.scopes.map(\.explanation) == [nil, "Read your scores"])
            #expect(details.redirectURI == "https://agent.example/callback" && details.resources.isEmpty)
            #expect(try await world.service.pendingAuthorizations().map(\.id) == [details.id])
            let redirect = try #require(try await manager.consents.approve(details))
            #expect(redirect.redirectURL.absoluteString.hasPrefix("https://agent.example/callback?"))
            // A lost response is repeated.
            #expect(try await manager.consents.approve(details) == redirect)
            #expect(try await world.service.pendingAuthorizations().isEmpty)
            #expect(try await asked.redeem(redirect))
            let grants = try await manager.consents.grants()
            #expect(grants.map(\.scopes) == [["email", "scores:read"]] && grants.first?.lastUsedAt != nil)
            #expect(grants.first?.permissions.map(\.english) == ["See your email address", "Read your scores"])
            #expect(try await world.service.sessions().contains { $0.oauthClient?.name == "Scout" })
            try await manager.consents.remove(try #require(grants.first))
            #expect(try await manager.consents.grants().isEmpty)
            #expect(try await !world.service.sessions().contains { $0.oauthClient != nil })
            let again = await refusal { try await manager.consents.remove(grants[0]) }
            #expect(again == "404 oauth_consent_not_found")
        }
    }

    @Test("Consent is remembered until it is removed, and asked again for more", arguments: ServiceKind.allCases)
    func remembered(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world, manager in
            let details = try await looked(try await world.agent.ask("email scores:read"), manager)
            _ = try await manager.consents.approve(details)
            let known = try await world.agent.ask("email")
            guard case .redirect(let redirect) = try await manager.consents.details(known.link) else {
                throw CancellationError()
            }
            #expect(try await known.redeem(redirect))
            let more = try await looked(try await world.agent.ask("email phone"), manager)
            #expect(more.scopes.map(\.name) == ["email", "phone"])
            _ = try await manager.consents.approve(more)
            let grants = try await manager.consents.grants()
            #expect(grants.map(\.scopes) == [["email", "scores:read", "phone"]])
            try await manager.consents.remove(try #require(grants.first))
            _ = try await looked(try await world.agent.ask("email"), manager)
        }
    }

    @Test("A denial is final", arguments: ServiceKind.allCases)
    func deny(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world, manager in
            let asked = try await world.agent.ask("email")
            let details = try await looked(asked, manager)
            let redirect = try #require(try await manager.consents.deny(details, reporting: true))
            #expect(redirect.redirectURL.absoluteString.contains("error=access_denied"))
            #expect(try await manager.consents.deny(details, reporting: true) == redirect)
            #expect(await refusal { _ = try await manager.consents.approve(details) } == "400 validation_failed")
            #expect(await refusal { _ = try await manager.consents.details(asked.link) } == "400 validation_failed")
            #expect(try await !asked.redeem(redirect))
            #expect(try await manager.consents.grants().isEmpty)
        }
    }

    @Test("A typed code approves a device, which continues by itself", arguments: ServiceKind.allCases)
    func device(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world, manager in
            let asked = try await world.agent.askAsDevice("email")
            let details = try await looked(asked, manager)
            #expect(details.flow == .device && details.redirectURI ?? "" == "")
            #expect(try await manager.consents.approve(details) == nil)
            #expect(try await manager.consents.details(asked.link) == .approved)
            #expect(try await asked.redeem(nil))
            #expect(try await manager.consents.grants().map(\.scopes) == [["email"]])
            let unknown = OAuthConsentLink.device(try #require(OAuthUserCode("ZZZZ-ZZZZ")))
            #expect(
                await refusal { _ = try await manager.consents.details(unknown) } == "404 oauth_authorization_not_found"
            )
        }
    }

    @Test("Of another account, a request names the expected one, which can take it", arguments: ServiceKind.allCases)
    func expected(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world, manager in
            let known = try await looked(try await world.agent.ask("email"), manager)
            #expect(known.expectedAccount == nil)
            _ = try await manager.consents.approve(known)
            // Despite the earlier consent.
            let asked = try await world.agent.askExpecting("email", "Grace@example.com")
            let details = try await looked(asked, manager)
            #expect(details.expectedAccount == OAuthExpectedAccount(name: "grace@example.com"))
            try await manager.consents.release(details)
            // As after a lost response.
            try await manager.consents.release(details)
            #expect(try await world.service.pendingAuthorizations().isEmpty)
            await manager.signOut()
            try await world.signUp("grace@example.com", name: "Grace")
            await manager.wait { $0.user?.email == "grace@example.com" }
            let seen = try await looked(asked, manager)
            #expect(seen.expectedAccount == nil && seen.user.email == "grace@example.com")
            let redirect = try #require(try await manager.consents.approve(seen))
            #expect(try await asked.redeem(redirect))
            let device = try await looked(try await world.agent.askAsDevice("email"), manager)
            let release = await refusal { try await world.service.release(device.authorizationID) }
            #expect(release == "404 oauth_authorization_not_found")
        }
    }

    @Test("Another user finds no request that someone has looked at", arguments: ServiceKind.allCases)
    func owner(_ kind: ServiceKind) async throws {
        try await Self.with(kind) { world, manager in
            let asked = try await world.agent.ask("email")
            let details = try await looked(asked, manager)
            await manager.signOut()
            try await world.signUp("grace@example.com", name: "Grace")
            await manager.wait { $0.user?.email == "grace@example.com" }
            let unknown = "404 oauth_authorization_not_found"
            #expect(await refusal { _ = try await manager.consents.details(asked.link) } == unknown)
            #expect(await refusal { _ = try await manager.consents.approve(details) } == unknown)
            #expect(await refusal { _ = try await manager.consents.deny(details) } == unknown)
            #expect(try await world.service.pendingAuthorizations().isEmpty)
        }
    }
}
