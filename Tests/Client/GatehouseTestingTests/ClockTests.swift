import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("The manual clock")
struct ClockTests {
    @Test("A sleeper wakes when the clock has moved far enough, the earliest first")
    func wakes() async throws {
        let clock = VirtualClock()
        let woken = Locked<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.clock.sleep(.seconds(seconds))
                    woken.withLock { $0.append(seconds) }
                }
            }
            try await clock.waitForSleepers(3)
            clock.advance(by: .milliseconds(999))
            #expect(clock.sleeperCount == 3)
            clock.advance(by: .milliseconds(1))
            await until { woken.withLock { $0 } == [1] }
            #expect(clock.sleeperCount == 2)
            clock.advance(by: .seconds(5))
            try await group.waitForAll()
        }
        #expect(Set(clock.sleeps) == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(clock.now == Fixtures.date + 6)
    }

    @Test("A sleep ends with its task, also before it began; an empty one does not wait")
    func cancelled() async throws {
        let clock = VirtualClock()
        let sleeper = Task { try await clock.clock.sleep(.seconds(1)) }
        try await clock.waitForSleepers()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
        let early = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.clock.sleep(.seconds(1))
        }
        early.cancel()
        await #expect(throws: CancellationError.self) { try await early.value }
        try await clock.clock.sleep(.zero)
        clock.advance(by: .seconds(1))
    }

    @Test("Fixtures are the same in every run, and differ by number")
    func fixtures() {
        #expect(Fixtures.id(1).uuidString == "00000000-0000-4000-8000-000000000001")
        #expect(Fixtures.id(1) != Fixtures.id(2))
        #expect(Fixtures.user(2).id == Fixtures.account(2).id)
        #expect(Fixtures.user().identities?.map(\.provider) == ["email"])
        #expect(Fixtures.user().appMetadata["providers"] == ["email"])
        #expect(Fixtures.session(Fixtures.user(3)).user.id == Fixtures.authenticatedUser(3).id)
    }
}
