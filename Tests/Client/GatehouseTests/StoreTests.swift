import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

@Suite("The session in the store")
struct StoreTests {
    @Test("A start with a stored session makes no call and knows the user")
    func restore() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            let before = world.network.calls.count
            let next = try world.anotherProcess()
            #expect(await next.state == .signedIn(first, isFresh: true))
            #expect(try await next.session == first)
            let listener = await Listener(to: next)
            #expect(await listener.events == [.initialSession])
            #expect(await listener.sessions == [first])
            #expect(world.network.calls.count == before)
        }
    }

    @Test("A start offline with a stale session shows the user")
    func offlineStart() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.expireToken()
            world.network.stay(.isDown)
            let next = try world.anotherProcess()
            let listener = await Listener(to: next)
            #expect(await listener.sessions == [first])
            #expect(await next.state == .signedIn(first, isFresh: false))
            await #expect(throws: AuthClientError.offline(.noAnswer("GatehouseTests.ConnectionLost 1"))) {
                try await next.session
            }
            #expect(await next.currentUser == first.user)
            #expect(await listener.events == [.initialSession])
        }
    }

    @Test("A locked store leaves the state undecided, and is read again")
    func locked() async throws {
        let memory = MemoryStorage()
        try await World.with(storage: memory) { world in
            let first = try await world.signUp()
            let storage = StorageThatIsLocked(memory)
            let locked = try World(world.server, storage: storage)
            #expect(await locked.client.state == .restoring)
            await #expect(throws: AuthClientError.storeUnavailable("locked")) { try await locked.client.session }
            await #expect(throws: AuthClientError.storeUnavailable("locked")) {
                try await locked.client.signIn(email: "bob@example.com", password: TestServer.password)
            }
            let listener = Listener(early: locked.client)
            await until { locked.device.sleeps.count > 5 }
            #expect(await listener.events.isEmpty)
            #expect(Array(locked.device.sleeps.prefix(6)) == [1, 2, 4, 8, 16, 30].map { Duration.seconds($0) })
            #expect(locked.network.calls.isEmpty)
            await storage.unlock()
            await listener.waits(for: 1)
            #expect(await listener.sessions == [first])
            #expect(await storage.writesWhileLocked == 0)
        }
    }

    @Test("A store that locks while the app runs loses no session")
    func locksLater() async throws {
        let storage = StorageThatIsLocked(isLocked: false)
        try await World.with(storage: storage) { world in
            let first = try await world.signUp()
            world.expireToken()
            await storage.lock()
            await #expect(throws: AuthClientError.storeUnavailable("locked")) { try await world.client.session }
            #expect(world.network.refreshCount == 0)
            await storage.unlock()
            #expect(try await world.client.session.user.id == first.user.id)
            #expect(await storage.writesWhileLocked == 0)
        }
    }

    @Test("A token that cannot be stored is not used, and the server returns the same one again")
    func cannotSave() async throws {
        let storage = StorageThatCannotSave()
        try await World.with(storage: storage) { world in
            let first = try await world.signUp()
            world.expireToken()
            await storage.refuse("refresh-token")
            for _ in 0..<3 {
                await #expect(throws: AuthClientError.storeFailed("GatehouseTests.DiskFull 1")) {
                    try await world.client.session
                }
            }
            #expect(await world.client.currentSession == first)
            await storage.refuse()
            let fresh = try await world.client.session
            #expect(try await world.anotherProcess().session == fresh)
        }
    }

    @Test("A sign-in that cannot be stored signs nobody in")
    func signInCannotSave() async throws {
        let storage = StorageThatCannotSave()
        try await World.with(storage: storage) { world in
            let first = try await world.signUp()
            _ = try await world.server.signUp("bob@example.com")
            await storage.refuse("refresh-token")
            await #expect(throws: AuthClientError.storeFailed("GatehouseTests.DiskFull 1")) {
                try await world.client.signIn(email: "bob@example.com", password: TestServer.password)
            }
            #expect(await world.client.currentSession == first)
            #expect(try await world.anotherProcess().session == first)
        }
    }

    @Test("A crash between the two entries costs one refresh")
    func tornWrite() async throws {
        let storage = StorageThatCannotSave()
        try await World.with(storage: storage) { world in
            try await world.signUp()
            world.expireToken()
            await storage.refuse("access-token")
            let fresh = try await world.client.session
            await storage.refuse()
            let next = try world.anotherProcess()
            #expect(await next.currentUser == fresh.user)
            #expect(await next.currentSession?.accessToken == "")
            let after = try await next.session
            #expect(after.refreshToken != fresh.refreshToken)
            #expect(world.network.refreshCount == 2)
        }
    }

    @Test(
        "A stored access token with impossible times costs one refresh",
        arguments: [
            ["expires_in": .double(1e30), "expires_at": .integer(4_611_686_018_427_387_904)],
            ["expires_in": .double(-1)], ["expires_at": .double(1e30)], ["server_ahead": .double(-1e30)],
        ] as [AuthJSONObject])
    func impossibleTimes(_ times: AuthJSONObject) async throws {
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            let first = try await world.signUp()
            let entry = try #require(await storage.contents["gatehouse.access-token"])
            let members = try #require(try JSONReader.read(entry).objectValue)
            let damaged = AuthJSON.object(members.merging(times) { $1 }).text
            await storage.write(Array(damaged.utf8), for: "gatehouse.access-token")
            let next = try world.anotherProcess()
            #expect(await next.currentUser == first.user)
            #expect(await next.currentSession?.accessToken == "")
            #expect(try await next.session.refreshToken != first.refreshToken)
            #expect(world.network.refreshCount == 1)
        }
    }

    @Test("A crash during sign-out leaves nobody signed in, and nothing behind")
    func tornSignOut() async throws {
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            try await world.signUp()
            await storage.remove("gatehouse.refresh-token")
            let next = try world.anotherProcess()
            #expect(await next.state == .signedOut(.neverSignedIn))
            #expect(await storage.contents.isEmpty)
        }
    }

    @Test("Bytes that are not a session sign out with the reason, and a sign-in replaces them")
    func damaged() async throws {
        let storage = MemoryStorage(["gatehouse.refresh-token": Array("{}".utf8)])
        try await World.with(storage: storage) { world in
            let listener = await Listener(to: world.client)
            await listener.waits(for: 2)
            #expect(await listener.events == [.initialSession, .signedOut(.storeDamaged)])
            let session = try await world.signUp()
            #expect(try await world.anotherProcess().session == session)
        }
    }

    @Test("Each token has its own entry")
    func entries() async throws {
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            let session = try await world.signUp()
            let contents = await storage.contents
            #expect(contents.keys.sorted() == ["gatehouse.access-token", "gatehouse.refresh-token"])
            let texts = contents.mapValues { String(decoding: $0, as: UTF8.self) }
            #expect(texts["gatehouse.access-token"]?.contains(session.accessToken) == true)
            #expect(texts["gatehouse.access-token"]?.contains(session.refreshToken) == false)
            #expect(texts["gatehouse.refresh-token"]?.contains(session.refreshToken) == true)
            #expect(texts["gatehouse.refresh-token"]?.contains(session.accessToken) == false)
        }
    }
}

@Suite("Two processes on one store")
struct TwoProcessTests {
    @Test("A refresh by one is used by the other, without a call")
    func adopts() async throws {
        try await World.with { world in
            try await world.signUp()
            let widget = try world.anotherProcess()
            _ = try await widget.session
            world.expireToken()
            let fresh = try await world.client.session
            let listener = await Listener(to: widget)
            #expect(try await widget.session == fresh)
            #expect(world.network.refreshCount == 1)
            await listener.waits(for: 2)
            #expect(await listener.events == [.initialSession, .tokenRefreshed])
        }
    }

    @Test("Both at once make one request")
    func atOnce() async throws {
        try await World.with { world in
            try await world.signUp()
            let widget = try world.anotherProcess()
            _ = try await widget.session
            world.expireToken()
            async let ours = world.client.session
            async let theirs = widget.session
            #expect(try await ours == theirs)
            #expect(world.network.refreshCount == 1)
        }
    }

    @Test("A sign-out in one ends the other's session, with the reason")
    func signOutElsewhere() async throws {
        try await World.with { world in
            try await world.signUp()
            let widget = try world.anotherProcess()
            _ = try await widget.session
            let listener = await Listener(to: widget)
            try await world.client.signOut()
            // F2: immediately, although the token is valid for an hour.
            await #expect(throws: AuthClientError.signedOut(.signedOutElsewhere)) { try await widget.session }
            await #expect(throws: AuthClientError.signedOut(.signedOutElsewhere)) { try await widget.session }
            #expect(world.network.refreshCount == 0)
            await listener.waits(for: 2)
            #expect(await listener.events == [.initialSession, .signedOut(.signedOutElsewhere)])
        }
    }

    @Test("F2: A sign-in in one signs in the other, which was signed out")
    func signInElsewhere() async throws {
        try await World.with { world in
            let widget = try world.anotherProcess()
            await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) { try await widget.session }
            let listener = await Listener(to: widget)
            let ada = try await world.signUp()
            #expect(try await widget.session == ada)
            await listener.waits(for: 2)
            #expect(await listener.events == [.initialSession, .signedIn])
            try await world.client.signOut()
            await #expect(throws: AuthClientError.signedOut(.signedOutElsewhere)) { try await widget.session }
            let again = try await world.client.signIn(email: "ada@example.com", password: TestServer.password)
            #expect(try await widget.session == again)
        }
    }

    @Test("F2: While the device is locked, a token that is valid can be used")
    func locked() async throws {
        let storage = StorageThatIsLocked(isLocked: false)
        try await World.with(storage: storage) { world in
            let session = try await world.signUp()
            await storage.lock()
            #expect(try await world.client.session == session)
        }
    }

    @Test("What a failed sign-out left in the store signs nobody in again")
    func endedHere() async throws {
        let storage = StorageThatCannotSave()
        try await World.with(storage: storage) { world in
            try await world.signUp()
            await storage.refuse("refresh-token")
            await #expect(throws: AuthClientError.self) { try await world.client.signOut() }
            await storage.refuse()
            await #expect(throws: AuthClientError.signedOut(.requested)) { try await world.client.session }
        }
    }

    @Test("F2: An account switch in one reaches the other at its next call")
    func switchElsewhere() async throws {
        try await World.with { world in
            try await world.signUp()
            let widget = try world.anotherProcess()
            _ = try await widget.session
            let bob = try await world.signUp("bob@example.com")
            await #expect(throws: AuthClientError.sessionChanged) { try await widget.session }
            #expect(try await widget.session.user.id == bob.user.id)
        }
    }
}
