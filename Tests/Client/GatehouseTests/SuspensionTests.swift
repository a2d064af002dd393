import Foundation
import TestSupport
import Testing

@testable import Gatehouse

/// Grants time, and then suspends the process.
private final class TestSystem: Sendable {
    private struct State {
        var isOver = false
        var begun = 0
        var running: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Locked(State())

    var begun: Int { state.withLock { $0.begun } }
    var isIdle: Bool { state.withLock { $0.running.isEmpty } }

    /// Grants more time only to a process that it resumes. Returns without waiting.
    func suspendSoon(thenResumes: Bool = false) {
        let running = state.withLock { state in
            state.isOver = !thenResumes
            return Array(state.running.values)
        }
        for isOver in running { isOver() }
    }

    func resume() { state.withLock { $0.isOver = false } }

    func stayAwake(_ isOver: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let (number, isDenied) = state.withLock { state in
            state.begun += 1
            state.running[state.begun] = isOver
            return (state.begun, state.isOver)
        }
        if isDenied { isOver() }
        return { self.state.withLock { $0.running[number] = nil } }
    }
}

/// In a shared container of a system that suspends processes.
private struct SharedStorage: SecureStorage {
    let inner = MemoryStorage()
    let lock: FileLock

    init(_ folder: TestFolder, _ system: TestSystem, clock: ClientClock = LimitClock().clock) {
        let folder = SecretFolder(path: folder.path, now: clock.now)
        lock = FileLock(folder: folder, clock: clock) { system.stayAwake($0) }
    }

    func read(_ key: String) async -> StoredValue { await inner.read(key) }
    func write(_ bytes: [UInt8], for key: String) async throws { await inner.write(bytes, for: key) }
    func remove(_ key: String) async throws { await inner.remove(key) }
    func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await lock.run(body)
    }
}

@Suite("A process that the system suspends")
struct SuspensionTests {
    private static func with(_ test: (World, TestSystem, _ lock: String) async throws -> Void) async throws {
        try await TestFolder.with { folder in
            let system = TestSystem()
            try await World.with(storage: SharedStorage(folder, system)) { world in
                try await test(world, system, folder.below(".lock"))
                #expect(system.isIdle)
            }
        }
    }

    @Test("A refresh releases the lock before the process is suspended, and is repeated later with the same token")
    func refresh() async throws {
        try await Self.with { world, system, lock in
            let before = try await world.signUp()
            world.expireToken()
            world.network.hold()
            let caller = Task { try await world.client.session }
            await until { world.network.heldCount == 1 }
            #expect(!FileLockTests.isFree(lock))
            system.suspendSoon(thenResumes: true)
            // Only one caller has the lock: the first call has released it.
            await until { world.network.heldCount == 2 }
            world.network.release()
            let after = try await caller.value
            #expect(after.accessToken != before.accessToken && after.user.id == before.user.id)
            #expect(world.network.refreshCount == 2)
            for _ in 0..<2 {
                world.expireToken()
                #expect(try await world.client.session.user.id == before.user.id)
            }
        }
    }

    @Test("A process without time sends no refresh; its session stays, and the next call refreshes")
    func denied() async throws {
        try await Self.with { world, system, lock in
            let user = try await world.signUp().user.id
            world.expireToken()
            system.suspendSoon()
            await #expect(throws: AuthClientError.offline(.noAnswer("suspended"))) { try await world.client.session }
            #expect(world.network.refreshCount == 0 && FileLockTests.isFree(lock))
            system.resume()
            #expect(try await world.client.session.user.id == user)
        }
    }

    @Test("A token that is still valid is returned although its refresh was suspended")
    func stillValid() async throws {
        try await Self.with { world, system, _ in
            let session = try await world.signUp()
            world.server.clock.advance(by: .seconds(3_580))
            system.suspendSoon()
            #expect(try await world.client.session == session)
        }
    }

    @Test("A sign-in and a sign-out reach the store in a process without time")
    func changes() async throws {
        try await Self.with { world, system, _ in
            system.suspendSoon()
            let session = try await world.signUp()
            #expect(try await world.anotherProcess().session == session)
            try await world.client.signOut()
            await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) {
                try await world.anotherProcess().session
            }
        }
    }

    @Test("A verification releases the lock, signs nobody out, and can be repeated")
    func verification() async throws {
        try await TestFolder.with { folder in
            let system = TestSystem()
            try await TestServer.with(factors: .withRecoveryCodes) { server in
                let world = try World(server, storage: SharedStorage(folder, system))
                try await world.signUp()
                let factor = try await world.client.mfa.enroll(params: .totp(issuer: "Journal", friendlyName: "phone"))
                let secret = try #require(factor.totp).secret
                let challenge = try await world.client.mfa.challenge(params: FactorChallengeParams(factorId: factor.id))
                    .id
                let code = try #require(server.appCode(secret))
                world.network.hold()
                let first = Task {
                    try await world.client.mfa.verify(
                        params: FactorVerifyParams(factorId: factor.id, challengeId: challenge, code: code))
                }
                await until { world.network.heldCount == 1 }
                system.suspendSoon()
                await until { FileLockTests.isFree(folder.below(".lock")) }
                system.resume()
                world.network.release()
                await #expect(throws: AuthClientError.offline(.noAnswer("suspended"))) { try await first.value }
                server.clock.advance(by: .seconds(30))
                #expect(try await Self.verify(world, factor.id, secret).assurance.currentLevel == .aal2)
                world.expireToken()
                #expect(try await world.client.session.assurance.currentLevel == .aal2)
            }
        }
    }

    private static func verify(_ world: World, _ factor: UUID, _ secret: String) async throws -> AuthSession {
        let code = try #require(world.server.appCode(secret))
        return try await world.client.mfa.challengeAndVerify(
            params: FactorChallengeAndVerifyParams(factorId: factor, code: code))
    }

    @Test("A process that was suspended while it waited for the lock asks for time again")
    func waiting() async throws {
        try await TestFolder.with { folder in
            let (system, clock) = (TestSystem(), LimitClock().clock)
            let holder = FileLock(folder: SecretFolder(path: folder.path, now: clock.now), clock: clock)
            let storage = SharedStorage(folder, system)
            let waiter = Locked<Task<Bool, any Error>?>(nil)
            try await holder.run {
                let task = Task { try await storage.withLock { Task.isCancelled } }
                waiter.withLock { $0 = task }
                await until { system.begun == 1 }
                system.suspendSoon(thenResumes: true)
                await until { system.begun == 2 }
            }
            let task = try #require(waiter.withLock { $0 })
            let wasCancelled = try await task.value
            #expect(!wasCancelled && system.begun == 2 && system.isIdle)
        }
    }
}
