import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import TestSupport
import Testing

@Suite("Races in the manager", .timeLimit(.minutes(5))) @MainActor
struct OvertakenTests {
    private func manager(_ service: any AuthService) async -> AuthManager {
        let manager = AuthManager(service: service, storage: MemoryStorage())
        await manager.wait { !$0.isLoading }
        return manager
    }

    private func letOthersRun() async { for _ in 0..<100 { await Task.yield() } }

    @Test("B3: a proxy's 401 to a refresh signs nobody out; the profile loads once the proxy is gone")
    func refusedRefresh() async throws {
        try await TestServer.with { @Sendable @MainActor server in
            let network = LiveNetwork(server)
            let service = try network.service()
            let manager = await manager(service)
            try await manager.signUpWithEmail("ada@example.com", password: Fixtures.password)
            server.clock.advance(by: .seconds(3_601))
            network.refuse("/token")
            manager.reloadProfile()
            await manager.wait { !$0.isLoading }
            #expect(manager.error.map { if case .networkError = $0 { true } else { false } } == true)
            #expect(manager.isLoggedIn)
            #expect(await service.currentSession != nil)
            network.refuse(nil)
            manager.reloadProfile()
            await manager.wait { !$0.isLoading }
            #expect(manager.error == nil && manager.isLoggedIn)
        }
    }

    @Test("A9: a profile read before a change does not undo the change")
    func olderProfile() async throws {
        let service = InMemoryAuthService.signedIn(data: ["pens": ["blue"]])
        let manager = await manager(service.service)
        service.meet(.slow, at: .fetchMe)
        manager.reloadProfile()
        await until { service.heldCount == 1 }
        try await manager.updateProfile(data: ["pens": ["blue", "red"]])
        service.release()
        await manager.wait { !$0.isLoading }
        #expect(manager.user?.data == ["pens": ["blue", "red"]])
    }

    @Test("The profile is known after a profile has arrived, and unknown for the next user and after a sign-out")
    func known() async throws {
        let service = InMemoryAuthService.signedIn()
        service.addAccount(email: "grace@example.com")
        service.meet(.offline, at: .fetchMe)
        let manager = await manager(service.service)
        #expect(manager.isLoggedIn && !manager.isProfileLoaded)
        manager.reloadProfile()
        await manager.wait { !$0.isLoading }
        #expect(manager.isProfileLoaded)
        service.meet(.offline, at: .fetchMe)
        service.openRecoveryMail(of: "grace@example.com")
        await manager.wait { $0.error == .offline(.noAnswer("NSURLErrorDomain -1009")) }
        #expect(manager.user?.email == "grace@example.com" && !manager.isProfileLoaded)
        try await manager.updateProfile(firstName: "Grace")
        #expect(manager.isProfileLoaded)
        await manager.signOut()
        #expect(!manager.isProfileLoaded)
    }

    @Test("A mail link opened during a sign-out shows its user and asks for the new password")
    func comesDuringSignOut() async throws {
        let service = InMemoryAuthService.signedIn()
        service.addAccount(email: "grace@example.com")
        let manager = await manager(service.service)
        service.meet(.slow, at: .signOut)
        let end = Task { await manager.signOut() }
        await until { service.heldCount == 1 }
        service.openRecoveryMail(of: "grace@example.com")
        await service.settled()
        await letOthersRun()
        service.release()
        await end.value
        #expect(manager.user?.email == "grace@example.com" && manager.phase == .authenticated)
        // On a busy machine the link's event may arrive later.
        await manager.wait { $0.needsNewPassword }
        #expect(manager.needsNewPassword)
    }

    @Test("A mail link followed by a sign-out does not ask for a new password")
    func leavesAtOnce() async throws {
        let service = InMemoryAuthService.signedIn()
        let manager = await manager(service.service)
        service.openRecoveryMail(of: "ada@example.com")
        await service.settled()
        await manager.signOut()
        await letOthersRun()
        #expect(!manager.needsNewPassword && !manager.isLoggedIn)
    }

    @Test("A mail link opened during a provider's sheet shows its user when the sheet ends")
    func comesDuringSheet() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "grace@example.com")
        let manager = await manager(service.service)
        let outcome = try await manager.signInWithApple {
            service.openRecoveryMail(of: "grace@example.com")
            await service.settled()
            await self.letOthersRun()
            throw AuthError.cancelled
        }
        #expect(outcome == .cancelled)
        #expect(manager.user?.email == "grace@example.com" && manager.phase == .authenticated)
        // As above.
        await manager.wait { $0.needsNewPassword }
        #expect(manager.needsNewPassword)
    }
}
