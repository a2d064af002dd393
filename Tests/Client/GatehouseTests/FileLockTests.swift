import Foundation
import Testing

@testable import Gatehouse

@Suite("The lock of a shared folder")
struct FileLockTests {
    private struct Failure: Error {}

    /// Whether another process would get the lock.
    static func isFree(_ path: String) -> Bool {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        return flock(file, LOCK_EX | LOCK_NB) == 0
    }

    @Test(
        "The process asks not to be suspended before it takes the lock, until the lock is free",
        arguments: [false, true])
    func suspension(fails: Bool) async throws {
        try await TestFolder.with { folder in
            let (steps, path) = (Locked<[String]>([]), folder.below(".lock"))
            @Sendable func note(_ step: String) {
                let state = Self.isFree(path) ? "free" : "held"
                steps.withLock { $0.append("\(step), \(state)") }
            }
            let clock = LimitClock().clock
            let lock = FileLock(folder: SecretFolder(path: folder.path, now: clock.now), clock: clock) { _ in
                note("awake")
                return { note("asleep") }
            }
            do {
                try await lock.run {
                    note("at work")
                    if fails { throw Failure() }
                }
                #expect(!fails)
            } catch is Failure {
                #expect(fails)
            }
            #expect(steps.withLock { $0 } == ["awake, free", "at work, held", "asleep, free"])
        }
    }
}
