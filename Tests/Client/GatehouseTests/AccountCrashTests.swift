import Foundation
import Gatehouse
import TestSupport
import Testing

@Suite("Several accounts: crashes, other processes, failing stores")
struct AccountCrashTests {
    /// The process does not survive the change: once for each number of writes, until it completes.
    private func crashing(
        in change: (AccountsWorld, GatehouseClient) async throws -> Void,
        then check: (AccountsWorld, GatehouseClient) async throws -> Void
    ) async throws {
        var isComplete = false
        var writes = 0
        while !isComplete {
            let storage = MemoryStorage()
            try await AccountsWorld.with(storage: storage) { device in
                let dying = StorageOfDyingProcess(storage, writes: writes)
                let client = try device.world.anotherProcess(on: dying)
                // Ignored: the error of a process that ends.
                try? await change(device, client)
                isComplete = await !dying.isDead
                try await check(device, try device.world.anotherProcess())
            }
            writes += 1
            try #require(writes < 40)
        }
        #expect(writes > 3)
    }

    @Test("A crash between any two writes of a switch loses no session and copies no token that is used")
    func crashInSwitch() async throws {
        try await crashing { device, client in
            try await client.use(account: device.ada)
        } then: { device, next in
            let states = try await AccountsWorld.states(next).map { $0.suffix(6) }
            #expect(states.sorted() == ["active", "gnedIn"])
            // The active one rotates its tokens first, so that a copy becomes old.
            let first = try #require(await next.currentUser?.id)
            for id in [first, first == device.ada ? device.bob : device.ada, first] {
                try await AccountsWorld.expectAlive(id, next)
            }
        }
    }

    @Test("A crash between any two writes of another sign-in leaves the first account signed in")
    func crashInSignIn() async throws {
        try await crashing { device, client in
            try await client.signUp(email: "eve@example.com", password: TestServer.password)
        } then: { device, next in
            for id in [device.bob, device.ada, device.bob] { try await AccountsWorld.expectAlive(id, next) }
            for account in try await next.accounts where account.state == .signedIn {
                try await AccountsWorld.expectAlive(account.id, next)
            }
        }
    }

    @Test("A crash between any two writes of a sign-out keeps the other account, and brings none back that has ended")
    func crashInSignOut() async throws {
        try await crashing { device, client in
            try await client.signOut(scope: .local)
        } then: { device, next in
            let before = try await AccountsWorld.states(next)
            let isSignedIn = await next.currentUser?.id == device.bob
            #expect(before.contains("ada: signedIn") && !before.contains("bob: signedIn"))
            #expect(before.contains("bob: active") == isSignedIn)
            if !isSignedIn { #expect(await next.state == .signedOut(.neverSignedIn)) }
            // Signing out completes what the crash has left.
            try await next.remove(account: device.bob)
            #expect(try await AccountsWorld.states(next) == ["ada: signedIn"])
            try await AccountsWorld.expectAlive(device.ada, next)
        }
    }

    @Test("A copy that a crash has left does not bring the account back after its sign-out")
    func copy() async throws {
        let storage = MemoryStorage()
        try await AccountsWorld.with(storage: storage) { device in
            // The list is complete; the copy's two entries are written.
            let dying = StorageOfDyingProcess(storage, writes: 2)
            await #expect(throws: (any Error).self) {
                try await device.world.anotherProcess(on: dying).use(account: device.ada)
            }
            let key = "gatehouse.account.\(device.bob.uuidString.lowercased()).refresh-token"
            #expect(await storage.contents[key] != nil)
            let next = try device.world.anotherProcess()
            try await next.refreshSession()
            try await next.signOut(scope: .local)
            #expect(await storage.contents[key] == nil)
            #expect(try await AccountsWorld.states(next) == ["ada: signedIn"])
        }
    }

    @Test("An account whose sign-out the store refused does not come back with a switch")
    func refusedSignOut() async throws {
        let storage = StorageThatCannotSave()
        try await AccountsWorld.with(storage: storage) { device in
            await storage.refuse("gatehouse.refresh-token")
            await #expect(throws: AuthClientError.self) { try await device.client.signOut(scope: .local) }
            await storage.refuse()
            try await device.client.use(account: device.ada)
            #expect(try await AccountsWorld.states(device.client) == ["ada: active", "bob: signedOut"])
            try await AccountsWorld.expectAlive(device.ada, device.client)
        }
    }

    @Test("Signing out of all accounts reports an unreadable list, after the account in use is signed out")
    func unreadableList() async throws {
        let storage = MemoryStorage()
        try await AccountsWorld.with(storage: storage) { device in
            await storage.write(Array("not JSON".utf8), for: "gatehouse.accounts")
            await #expect(throws: AuthClientError.storeFailed("the list of accounts is unreadable")) {
                try await device.client.signOutOfAllAccounts()
            }
            #expect(await device.client.state == .signedOut(.requested))
        }
    }

    @Test("A lost list comes back account by account, and their slots are found")
    func lostList() async throws {
        let storage = MemoryStorage()
        try await AccountsWorld.with(storage: storage) { device in
            await storage.write(Array("not JSON".utf8), for: "gatehouse.accounts")
            #expect(try await AccountsWorld.states(device.client) == ["bob: active"])
            try await AccountsWorld.expectAlive(device.ada, device.client)
            #expect(try await AccountsWorld.states(device.client) == ["bob: signedIn", "ada: active"])
            await storage.remove("gatehouse.account.\(device.bob.uuidString.lowercased()).refresh-token")
            #expect(try await AccountsWorld.states(device.client) == ["bob: signedOut", "ada: active"])
        }
    }

    @Test("Another process notices the switch: one call fails, and the next one is the other account's")
    func otherProcess() async throws {
        try await AccountsWorld.with { device in
            let widget = try device.world.anotherProcess()
            #expect(try await widget.session.user.id == device.bob)
            try await device.client.use(account: device.ada)
            await #expect(throws: AuthClientError.sessionChanged) { try await widget.session }
            #expect(try await widget.session.user.id == device.ada)
            try await widget.refreshSession()
            try await AccountsWorld.expectAlive(device.bob, device.client)
            try await AccountsWorld.expectAlive(device.ada, device.client)
        }
    }

    @Test("A switch waits for a refresh of the account in use, in any process, and parks its new tokens")
    func duringRefresh() async throws {
        try await AccountsWorld.with { device in
            for process in [device.client, try device.world.anotherProcess()] {
                device.world.network.hold()
                let refresh = Task { try await process.refreshSession() }
                await until { device.world.network.heldCount == 1 }
                let change = Task { try await device.client.use(account: device.ada) }
                for _ in 0..<100 { await Task.yield() }
                device.world.network.release()
                // Ignored: the refresh may learn that another account is in use.
                _ = try? await refresh.value
                #expect(try await change.value.user.id == device.ada)
                try await AccountsWorld.expectAlive(device.bob, device.client)
            }
        }
    }

    @Test("In a store that is locked or full nothing changes")
    func failingStore() async throws {
        let storage = StorageThatIsLocked(isLocked: false)
        try await AccountsWorld.with(storage: storage) { device in
            let before = await storage.inner.contents
            await storage.lock()
            await #expect(throws: AuthClientError.storeUnavailable("locked")) {
                try await device.client.use(account: device.ada)
            }
            await #expect(throws: AuthClientError.storeUnavailable("locked")) { try await device.client.accounts }
            #expect(await storage.writesWhileLocked == 0)
            #expect(await storage.inner.contents == before)
            await storage.unlock()
            try await AccountsWorld.expectAlive(device.ada, device.client)
        }
        let full = StorageThatCannotSave()
        try await AccountsWorld.with(storage: full) { device in
            await full.refuse("gatehouse.refresh-token")
            await #expect(throws: AuthClientError.self) { try await device.client.use(account: device.ada) }
            await full.refuse()
            #expect(try await AccountsWorld.states(device.client) == ["ada: signedIn", "bob: active"])
            for id in [device.bob, device.ada] { try await AccountsWorld.expectAlive(id, device.client) }
        }
    }
}
