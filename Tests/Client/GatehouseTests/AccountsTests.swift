import Foundation
import Gatehouse
import TestSupport
import Testing

/// Ends its process after a number of writes.
actor StorageOfDyingProcess: SecureStorage {
    let inner: MemoryStorage
    private var left: Int
    private(set) var isDead = false

    init(_ inner: MemoryStorage, writes: Int) { (self.inner, left) = (inner, writes) }

    func read(_ key: String) async -> StoredValue { isDead ? .unavailable("ended") : await inner.read(key) }
    func write(_ bytes: [UInt8], for key: String) async throws {
        try spend()
        await inner.write(bytes, for: key)
    }
    func remove(_ key: String) async throws {
        try spend()
        await inner.remove(key)
    }

    private func spend() throws {
        if left == 0 { isDead = true }
        if isDead { throw DiskFull() }
        left -= 1
    }

    nonisolated func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await inner.withLock(body)
    }
}

extension GatehouseClient.Options {
    static var severalAccounts: Self {
        var options = Self()
        options.allowsSeveralAccounts = true
        return options
    }
}

/// Ada has signed in, then Bob.
struct AccountsWorld: Sendable {
    let world: World
    let ada: UUID
    let bob: UUID
    var client: GatehouseClient { world.client }

    static func with(
        storage: any SecureStorage = MemoryStorage(), _ test: (AccountsWorld) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            let world = try World(server, storage: storage, options: .severalAccounts)
            let ada = try await world.signUp().user.id
            let bob = try await world.signUp("bob@example.com").user.id
            try await test(AccountsWorld(world: world, ada: ada, bob: bob))
        }
    }

    /// `ada: active` and so on, in the list's order.
    static func states(_ client: GatehouseClient) async throws -> [String] {
        try await client.accounts.map { "\($0.email?.prefix(3) ?? "?"): \($0.state)" }
    }

    /// The account's tokens are the newest: the server takes older ones for stolen.
    static func expectAlive(_ id: UUID, _ client: GatehouseClient) async throws {
        #expect(try await client.use(account: id).user.id == id)
        for _ in 0..<2 { #expect(try await client.refreshSession().user.id == id) }
    }
}

@Suite("Several accounts on one device")
struct AccountsTests {
    @Test("A sign-in to another account keeps the first, and a switch makes no call")
    func keeps() async throws {
        try await AccountsWorld.with { device in
            #expect(try await AccountsWorld.states(device.client) == ["ada: signedIn", "bob: active"])
            let listener = await Listener(to: device.client)
            let sent = device.world.network.calls.count
            #expect(try await device.client.use(account: device.ada).user.id == device.ada)
            #expect(device.world.network.calls.count == sent)
            #expect(await device.client.currentUser?.id == device.ada)
            #expect(try await AccountsWorld.states(device.client) == ["ada: active", "bob: signedIn"])
            await listener.waits(for: 2)
            #expect(await listener.events == [.initialSession, .signedIn])
            for id in [device.bob, device.ada, device.bob] {
                try await AccountsWorld.expectAlive(id, device.client)
            }
        }
    }

    @Test("Without the option a sign-in replaces the account, and the store has the two entries of one session")
    func single() async throws {
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            let ada = try await world.signUp()
            try await world.signUp("bob@example.com")
            #expect(try await world.client.accounts.isEmpty)
            #expect(await storage.contents.keys.sorted() == ["gatehouse.access-token", "gatehouse.refresh-token"])
            await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) {
                try await world.client.use(account: ada.user.id)
            }
            #expect(try await world.client.remove(account: ada.user.id) == .revoked)
            #expect(await world.client.currentUser?.email == "bob@example.com")
        }
    }

    @Test("The session of an app without the option is the first account; such an app reads the one in use")
    func migration() async throws {
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            let ada = try await world.signUp()
            let before = await storage.contents
            let several = try world.anotherProcess(.severalAccounts)
            #expect(try await AccountsWorld.states(several) == ["ada: active"])
            #expect(await storage.contents == before)
            try await several.signUp(email: "bob@example.com", password: TestServer.password)
            let earlier = try world.anotherProcess()
            #expect(try await earlier.session.user.email == "bob@example.com")
            try await several.use(account: ada.user.id)
            #expect(try await world.anotherProcess().session.user.id == ada.user.id)
        }
    }

    @Test("Signing out ends that account alone; no other one comes into use until the user chooses it")
    func signOut() async throws {
        try await AccountsWorld.with { device in
            try await device.client.signOut(scope: .local)
            #expect(await device.client.state == .signedOut(.requested))
            #expect(try await AccountsWorld.states(device.client) == ["ada: signedIn"])
            #expect(try await device.world.anotherProcess().state == .signedOut(.neverSignedIn))
            try await AccountsWorld.expectAlive(device.ada, device.client)
        }
    }

    @Test("An account that is not in use is removed at the server and from the list; the one in use stays")
    func remove() async throws {
        try await AccountsWorld.with { device in
            let sent = device.world.network.calls.count
            #expect(try await device.client.remove(account: device.ada) == .revoked)
            #expect(device.world.network.calls.dropFirst(sent).map(\.url.lastPathComponent) == ["logout"])
            #expect(try await AccountsWorld.states(device.client) == ["bob: active"])
            try await AccountsWorld.expectAlive(device.bob, device.client)
            device.world.network.stay(.isDown)
            #expect(try await device.client.remove(account: device.bob) != .revoked)
            #expect(try await device.client.accounts.isEmpty)
        }
    }

    @Test("Signing out of all accounts leaves nothing in the store, also without a network")
    func signOutOfAll() async throws {
        let storage = MemoryStorage()
        try await AccountsWorld.with(storage: storage) { device in
            device.world.network.stay(.isDown)
            try await device.client.signOutOfAllAccounts()
            #expect(await storage.contents.isEmpty)
            #expect(await device.client.state == .signedOut(.requested))
        }
    }

    @Test("A switch to an account with an expired token makes no call; the next use refreshes it")
    func expired() async throws {
        try await AccountsWorld.with { device in
            device.world.expireToken()
            let sent = device.world.network.calls.count
            let refreshes = device.world.network.refreshCount
            try await device.client.use(account: device.ada)
            #expect(device.world.network.calls.count == sent)
            #expect(try await device.client.session.user.id == device.ada)
            #expect(device.world.network.refreshCount == refreshes + 1)
            device.world.network.stay(.isDown)
            #expect(try await device.client.use(account: device.bob).user.id == device.bob)
            #expect(await device.client.currentUser?.id == device.bob)
            device.world.network.clear()
            try await AccountsWorld.expectAlive(device.ada, device.client)
        }
    }

    @Test("An account whose session the server has ended is signed out at its next refresh; no other is used")
    func ended() async throws {
        try await AccountsWorld.with { device in
            let elsewhere = try device.world.anotherProcess(on: MemoryStorage())
            try await elsewhere.signIn(email: "ada@example.com", password: TestServer.password)
            try await elsewhere.signOut(scope: .global)
            device.world.expireToken()
            try await device.client.use(account: device.ada)
            #expect(try await AccountsWorld.states(device.client) == ["ada: active", "bob: signedIn"])
            await #expect(throws: AuthClientError.self) { try await device.client.session }
            guard case .signedOut(.endedByServer) = await device.client.state else {
                Issue.record("the session should have ended")
                return
            }
            #expect(try await AccountsWorld.states(device.client) == ["ada: signedOut", "bob: signedIn"])
            await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) {
                try await device.client.use(account: device.ada)
            }
            try await AccountsWorld.expectAlive(device.bob, device.client)
            try await device.client.signIn(email: "ada@example.com", password: TestServer.password)
            #expect(try await AccountsWorld.states(device.client) == ["ada: active", "bob: signedIn"])
        }
    }

    @Test("A sign-in to an account of the list replaces its session, and the server ends the earlier one")
    func again() async throws {
        try await AccountsWorld.with { device in
            try await device.client.signIn(email: "ada@example.com", password: TestServer.password)
            #expect(try await AccountsWorld.states(device.client) == ["ada: active", "bob: signedIn"])
            // Ignored: no error is expected, and the test would hang.
            await until { (try? await device.client.sessions().count) == 1 }
            try await device.client.signIn(email: "ada@example.com", password: TestServer.password)
            // Ignored: the same.
            await until { (try? await device.client.sessions().count) == 1 }
        }
    }

    @Test("The eleventh account is refused, and its session ends; a signed-out one makes room")
    func limit() async throws {
        try await AccountsWorld.with { device in
            for number in 3...DeviceAccount.limit { try await device.world.signUp("p\(number)@example.com") }
            let inUse = try #require(await device.client.currentUser)
            await #expect(throws: AuthClientError.tooManyAccounts) { try await device.world.signUp("p11@example.com") }
            #expect(await device.client.currentUser?.id == inUse.id)
            #expect(try await device.client.accounts.count == DeviceAccount.limit)
            try await device.client.remove(account: device.bob)
            try await device.client.signIn(email: "p11@example.com", password: TestServer.password)
            #expect(try await device.client.accounts.count == DeviceAccount.limit)
            try await AccountsWorld.expectAlive(inUse.id, device.client)
        }
    }
}
