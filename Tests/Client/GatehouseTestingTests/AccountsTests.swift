import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Several accounts in the manager", .timeLimit(.minutes(5))) @MainActor
struct AccountsTests {
    static let (ada, bob) = ("ada@example.com", "bob@example.com")

    /// Ada is signed in; Bob has an account.
    private func world() async throws -> (InMemoryAuthService, AuthManager) {
        let service = InMemoryAuthService(allowsSeveralAccounts: true)
        service.addAccount(email: Self.ada, firstName: "Ada")
        service.addAccount(email: Self.bob, firstName: "Bob")
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }
        try await manager.signInWithEmail(Self.ada, password: Fixtures.password)
        await manager.wait { $0.isProfileLoaded && !$0.accounts.isEmpty }
        return (service, manager)
    }

    private func add(_ email: String, to manager: AuthManager) async throws -> SignInOutcome {
        try await manager.switchAccount { manager throws(AuthError) in
            try await manager.signInWithEmail(email, password: Fixtures.password)
        }
    }

    private func states(_ manager: AuthManager) -> [String] {
        manager.accounts.map { "\($0.name ?? "?"): \($0.state)" }
    }

    @Test("A sign-in adds the account, a switch shows the other one with its profile, and the list follows")
    func switches() async throws {
        let (service, manager) = try await world()
        #expect(states(manager) == ["Ada: active"] && manager.canAddAccount)
        let ada = try #require(manager.user)
        #expect(try await add(Self.bob, to: manager) == .signedIn)
        await manager.wait { $0.accounts.count == 2 && $0.isProfileLoaded }
        #expect(states(manager) == ["Ada: signedIn", "Bob: active"])
        #expect(manager.user?.email == Self.bob && service.openSessionCount == 2)
        #expect(try await manager.use(ada.id) == .signedIn)
        #expect(manager.user?.email == Self.ada && !manager.isNewUser)
        await manager.wait { $0.isProfileLoaded }
        #expect(states(manager) == ["Ada: active", "Bob: signedIn"] && manager.phase == .authenticated)
    }

    @Test("A sign-out ends one account, and the user chooses among the others; signing out of all leaves none")
    func signOut() async throws {
        let (service, manager) = try await world()
        let ada = try #require(manager.user).id
        _ = try await add(Self.bob, to: manager)
        await manager.signOut()
        #expect(manager.phase == .unauthenticated && states(manager) == ["Ada: signedIn"])
        #expect(service.openSessionCount == 1 && !manager.canAddAccount)
        #expect(try await manager.use(ada) == .signedIn)
        #expect(manager.user?.id == ada && manager.signedOutReason == nil)
        _ = try await add(Self.bob, to: manager)
        await manager.signOutOfAllAccounts()
        await manager.wait { _ in service.openSessionCount == 0 }
        #expect(manager.accounts.isEmpty && manager.phase == .unauthenticated)
    }

    @Test("A deleted account leaves the list, and the other one stays")
    func deletes() async throws {
        let (_, manager) = try await world()
        _ = try await add(Self.bob, to: manager)
        try await manager.deleteAccount()
        #expect(states(manager) == ["Ada: signedIn"] && !manager.isLoggedIn)
    }

    @Test("An account whose session has ended is shown, then signed out with the reason; the user chooses the next one")
    func ended() async throws {
        let (service, manager) = try await world()
        let ada = try #require(manager.user).id
        _ = try await add(Self.bob, to: manager)
        service.removeAccount(email: Self.ada)
        service.clock.advance(by: .seconds(3_700))
        let bob = try #require(manager.user).id
        #expect(try await manager.use(ada) == .signedIn)
        await manager.wait { $0.phase == .unauthenticated && $0.accounts.map(\.state) == [.signedOut, .signedIn] }
        #expect(manager.signedOutReason != .requested && manager.signedOutReason != nil)
        await #expect(throws: AuthError.notAuthenticated) { try await manager.use(ada) }
        #expect(try await manager.use(bob) == .signedIn)
        try await manager.remove(ada)
        await manager.wait { $0.accounts.map(\.state) == [.active] }
        #expect(manager.user?.email == Self.bob)
    }

    @Test("A sign-in that fails, or whose second factor is not proven, leaves the account in use")
    func cancelled() async throws {
        let (service, manager) = try await world()
        let ada = try #require(manager.user).id
        await #expect(throws: AuthError.wrongCredentials) {
            try await manager.switchAccount { manager throws(AuthError) in
                try await manager.signInWithEmail(Self.bob, password: "wrong battery")
            }
        }
        await manager.wait { $0.user?.id == ada && states($0) == ["Ada: active"] }
        service.addAccount(email: "eve@example.com", firstName: "Eve")
        service.addApp(to: "eve@example.com")
        #expect(try await add("eve@example.com", to: manager) == .secondFactorNeeded)
        let proof = ProofModel(question: try #require(manager.secondFactor), manager: manager)
        await proof.cancel()?.value
        await manager.wait { $0.user?.id == ada && states($0) == ["Ada: active"] }
        #expect(service.openSessionCount == 1)
    }

    @Test("A mail's link for another account adds it without a question")
    func link() async throws {
        let (service, manager) = try await world()
        try await manager.mail.sendSignIn(to: Self.bob)
        try await manager.mail.openLink(try #require(service.mailLink(.signIn, to: Self.bob)))
        await manager.wait { $0.user?.email == Self.bob && $0.accounts.count == 2 }
        #expect(manager.switchQuestion == nil && service.openSessionCount == 2)
    }

    @Test("The list is there after a restart; a locked store keeps the last one")
    func restart() async throws {
        let (service, manager) = try await world()
        _ = try await add(Self.bob, to: manager)
        let next = service.makeManager()
        await next.wait { $0.accounts.count == 2 }
        service.stay(.storeLocked)
        await next.loadAccounts()
        #expect(next.accounts.count == 2)
        await #expect(throws: AuthError.self) { try await next.use(try #require(next.accounts.first).id) }
        #expect(next.user?.email == Self.bob && next.phase == .authenticated)
    }

    @Test("Without the option there is no list, and another sign-in replaces the user")
    func single() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: Self.ada)
        service.addAccount(email: Self.bob)
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }
        try await manager.signInWithEmail(Self.ada, password: Fixtures.password)
        _ = try await add(Self.bob, to: manager)
        await manager.wait { _ in service.openSessionCount == 1 }
        await manager.loadAccounts()
        #expect(manager.accounts.isEmpty && !manager.canAddAccount && !manager.allowsSeveralAccounts)
    }
}
