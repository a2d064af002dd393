import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Requests for access that the app finds by itself", .timeLimit(.minutes(5))) @MainActor
struct ConsentPollTests {
    private let service = InMemoryAuthService.signedIn()

    init() { service.serverSettings.hasOAuthServer = true }

    private var count: Int { service.calls.count { $0 == .pendingAuthorizations } }

    /// Watching, and asleep after the first question.
    private func watching() async throws -> (AuthManager, Task<Void, Never>) {
        let manager = service.makeManager()
        await manager.wait { $0.isLoggedIn && !$0.isLoading }
        let watch = Task { await manager.consents.watch() }
        try await service.clock.waitForSleepers()
        #expect(count == 1)
        return (manager, watch)
    }

    /// The interval passes, and the watch sleeps again.
    private func pass(_ interval: Duration = AuthManager.Consents.pollInterval) async throws {
        let before = service.clock.sleeps.count
        service.clock.advance(by: interval)
        while service.clock.sleeps.count == before { await Task.yield() }
        try await service.clock.waitForSleepers()
    }

    @Test("The server is asked now and every 20 seconds, and a new request is shown")
    func interval() async throws {
        let (manager, watch) = try await watching()
        let asked = service.beginAuthorization(for: "ada@example.com")
        #expect(service.clock.sleeps.last == .seconds(20) && manager.authorizationRequest == nil)
        service.clock.advance(by: .seconds(19))
        #expect(count == 1)
        try await pass(.seconds(1))
        #expect(count == 2)
        #expect(manager.authorizationRequest == AuthorizationRequest(.authorization(asked.id), from: .poll))
        watch.cancel()
        await watch.value
        #expect(service.clock.sleeperCount == 0)
        service.clock.advance(by: .seconds(600))
        #expect(count == 2)
    }

    @Test("A device's request on the screen of its code is not shown a second time")
    func deviceCode() async throws {
        let (manager, watch) = try await watching()
        let screen = DeviceCodeModel(manager: manager)
        screen.typed = try #require(service.beginDeviceAuthorization().userCode).text
        await screen.submit()?.value
        #expect(screen.request?.phase == .asking)
        try await pass()
        #expect(count == 2 && manager.authorizationRequest == nil)
        let other = service.beginAuthorization(for: "ada@example.com")
        try await pass()
        #expect(manager.authorizationRequest?.link == .authorization(other.id))
        watch.cancel()
    }

    @Test("Failures double the interval up to 320 seconds, and a success restores it")
    func backOff() async throws {
        let (_, watch) = try await watching()
        service.stay(.serviceUnavailable, at: .pendingAuthorizations)
        var waits: [Duration] = []
        for wait in [20, 40, 80, 160, 320, 320] {
            try await pass(.seconds(wait))
            waits.append(try #require(service.clock.sleeps.last))
        }
        #expect(waits == [40, 80, 160, 320, 320, 320].map { .seconds($0) } && count == 7)
        service.clear()
        try await pass(.seconds(320))
        #expect(service.clock.sleeps.last == .seconds(20))
        watch.cancel()
    }

    @Test("Two windows ask together: one request at a time")
    func singleFlight() async throws {
        let (manager, watch) = try await watching()
        let second = Task { await manager.consents.watch() }
        try await service.clock.waitForSleepers(2)
        #expect(count == 1)
        service.meet(.slow, at: .pendingAuthorizations)
        service.clock.advance(by: .seconds(20))
        await manager.wait { _ in service.heldCount == 1 }
        try await service.clock.waitForSleepers(1)
        #expect(count == 2)
        service.release()
        try await service.clock.waitForSleepers(2)
        #expect(count == 2)
        for watch in [watch, second] { watch.cancel() }
    }

    @Test("In the background nothing is asked, and a question under way is no failure")
    func background() async throws {
        let (manager, watch) = try await watching()
        service.meet(.slow, at: .pendingAuthorizations)
        service.clock.advance(by: .seconds(20))
        await manager.wait { _ in service.heldCount == 1 }
        watch.cancel()
        await watch.value
        let again = Task { await manager.consents.watch() }
        try await service.clock.waitForSleepers()
        #expect(count == 3 && service.clock.sleeps.last == .seconds(20))
        again.cancel()
    }

    @Test("A denied client, and a request closed without a decision, are not shown again; a link shows them")
    func denied() async throws {
        let (manager, watch) = try await watching()
        let first = service.beginAuthorization(for: "ada@example.com")
        try await pass()
        let model = AuthorizationRequestModel(try #require(manager.authorizationRequest), manager: manager)
        await model.load()
        #expect(!model.continuesHere && model.details?.authorizationID == first.id)
        await model.deny()?.value
        manager.consents.dismiss()
        let second = service.beginAuthorization(for: "ada@example.com")
        try await pass()
        #expect(manager.authorizationRequest == nil)
        var other = Fixtures.agent
        other.id = "another"
        let third = service.beginAuthorization(by: other, for: "ada@example.com")
        try await pass()
        #expect(manager.authorizationRequest?.link == .authorization(third.id))
        manager.consents.dismiss()
        try await pass()
        #expect(manager.authorizationRequest == nil)
        #expect(manager.consents.handle(second.link))
        #expect(manager.authorizationRequest == AuthorizationRequest(.authorization(second.id), from: .link))
        watch.cancel()
    }

    @Test("A shown request is not replaced by the poll, but by a push message")
    func shown() async throws {
        let (manager, watch) = try await watching()
        #expect(manager.consents.handle(service.beginDeviceAuthorization().link))
        let link = manager.authorizationRequest
        let asked = service.beginAuthorization(for: "ada@example.com")
        try await pass()
        #expect(manager.authorizationRequest == link)
        #expect(manager.consents.handle(payload: ["authorization_id": asked.id.text]))
        #expect(manager.authorizationRequest == AuthorizationRequest(.authorization(asked.id), from: .message))
        watch.cancel()
    }

    @Test("A server without requests is asked only for its settings", arguments: [false, nil])
    func disabled(_ has: Bool?) async throws {
        service.serverSettings.hasOAuthServer = has
        let manager = service.makeManager()
        await manager.wait { $0.isLoggedIn && !$0.isLoading }
        await manager.consents.watch()
        #expect(count == 0 && service.clock.sleeps.isEmpty)
        // Hosted Supabase does not say what it has.
        #expect(manager.consents.handle(service.beginAuthorization().link) == (has == nil))
    }

    @Test("Unknown settings are asked for again")
    func settings() async throws {
        service.meet(.offline, at: .settings)
        let manager = service.makeManager()
        await manager.wait { $0.isLoggedIn && !$0.isLoading }
        let watch = Task { await manager.consents.watch() }
        try await service.clock.waitForSleepers()
        #expect(count == 0 && service.clock.sleeps.last == .seconds(40))
        try await pass(.seconds(40))
        #expect(count == 1)
        watch.cancel()
    }

    @Test("A link outlives the sign-in that it needs, but not the sign-out of its user")
    func signIn() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.hasOAuthServer = true
        service.addAccount(email: "ada@example.com")
        let manager = service.makeManager()
        let asked = service.beginAuthorization()
        #expect(manager.consents.handle(asked.link))
        await manager.wait { $0.phase == .unauthenticated }
        try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        #expect(manager.authorizationRequest?.link == .authorization(asked.id))
        await manager.signOut()
        #expect(manager.authorizationRequest == nil)
    }

    @Test("Other URLs and messages are left to the app")
    func others() async throws {
        let manager = service.makeManager()
        let url = try #require(URL(string: "com.example.app://callback?code=c"))
        #expect(!manager.consents.handle(url) && !manager.consents.handle(payload: ["x": 1]))
        #expect(manager.authorizationRequest == nil)
    }
}
