import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

/// Responds immediately, with a problem until it is solved.
private final class ReadyStorage: SecureStorage {
    private let inner: MemoryStorage
    private let problem: Locked<StoreProblem?>

    init(_ inner: MemoryStorage, _ problem: StoreProblem?) {
        self.inner = inner
        self.problem = Locked(problem)
    }

    func meet(_ problem: StoreProblem?) { self.problem.withLock { $0 = problem } }
    func read(_ key: String) async -> StoredValue { readNow(key) ?? .absent }
    func readNow(_ key: String) -> StoredValue? {
        problem.withLock { $0 }.map(StoredValue.unavailable) ?? inner.readNow(key)
    }
    func write(_ bytes: [UInt8], for key: String) async throws { await inner.write(bytes, for: key) }
    func remove(_ key: String) async throws { await inner.remove(key) }
}

private struct SlowStorage: SecureStorage {
    let inner: MemoryStorage
    func read(_ key: String) async -> StoredValue { await inner.read(key) }
    func write(_ bytes: [UInt8], for key: String) async throws { await inner.write(bytes, for: key) }
    func remove(_ key: String) async throws { await inner.remove(key) }
}

@Suite("The state of the first frame")
struct InitialStateTests {
    @Test("A4, B8: A store that answers at once gives the state without waiting: fresh, then stale")
    func signedIn() async throws {
        try await World.with { world in
            let session = try await world.signUp()
            let calls = world.network.calls.count
            #expect(try world.anotherProcess().initialState == .signedIn(session, isFresh: true))
            world.expireToken()
            #expect(try world.anotherProcess().initialState == .signedIn(session, isFresh: false))
            #expect(world.network.calls.count == calls)
        }
    }

    @Test("A4: Files answer at once too")
    func files() async throws {
        try await TestFolder.with { folder in
            let storage = FileStorage(folder: folder.url.appendingPathComponent("state"))
            try await World.with(storage: storage) { world in
                #expect(world.client.initialState == .signedOut(.neverSignedIn))
                let session = try await world.signUp()
                #expect(try world.anotherProcess().initialState == .signedIn(session, isFresh: true))
            }
        }
    }

    @Test("Without a session the state is signed out, and with damaged bytes it says so")
    func signedOut() async throws {
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            #expect(world.client.initialState == .signedOut(.neverSignedIn))
            await storage.write([1], for: "gatehouse.refresh-token")
            #expect(world.client.initialState == .signedOut(.storeDamaged))
        }
    }

    @Test("A4: A locked store, and one that needs time, decide nothing")
    func undecided() async throws {
        let memory = MemoryStorage()
        try await World.with(storage: memory) { world in
            try await world.signUp()
            let locked = try World(world.server, storage: ReadyStorage(memory, "locked"))
            #expect(locked.client.initialState == .restoring)
            let slow = try World(world.server, storage: SlowStorage(inner: memory))
            #expect(slow.client.initialState == .restoring)
            #expect(await slow.client.currentSession != nil)
        }
    }

    @Test("While the store does not answer, the notices say why, once for each cause and to later listeners")
    func problem() async throws {
        let memory = MemoryStorage()
        try await World.with(storage: memory) { world in
            try await world.signUp()
            let (locked, refused) = (
                StoreProblem("keychain -25308", cause: .locked), StoreProblem("keychain -34018", cause: .notPermitted)
            )
            let storage = ReadyStorage(memory, locked)
            let client = try World(world.server, storage: storage).client
            var notices = client.notices.makeAsyncIterator()
            await #expect(throws: AuthClientError.storeUnavailable(locked)) { try await client.session }
            let first = await notices.next()
            #expect(first == .storeUnavailable(locked))
            await #expect(throws: AuthClientError.storeUnavailable(locked)) { try await client.session }
            storage.meet(refused)
            await #expect(throws: AuthClientError.storeUnavailable(refused)) { try await client.session }
            let second = await notices.next()
            #expect(second == .storeUnavailable(refused))
            var later = client.notices.makeAsyncIterator()
            let repeated = await later.next()
            #expect(repeated == .storeUnavailable(refused))
            storage.meet(nil)
            #expect(await client.currentSession != nil)
        }
    }
}
