import CPostgres
import Dispatch
import Foundation
import SQLDatabase
import Synchronization

/// An advisory lock. If its connection breaks, another node can take it.
final class NamedLock: Sendable {
    private let name: String
    private let waits: Bool
    private let plan: SessionPlan
    private let isOver = DispatchSemaphore(value: 0)
    private let releasing = Mutex<CheckedContinuation<Void, Never>?>(nil)
    private let isCancelled = Atomic(false)

    init(_ name: String, waits: Bool, plan: SessionPlan) {
        self.name = name
        self.waits = waits
        self.plan = plan
    }

    /// - Returns: Always true if `waits`.
    func take() async throws -> Bool {
        try await withCheckedThrowingContinuation { caller in
            Thread.detachNewThread {
                do {
                    let session = try PostgresSession(self.plan)
                    let isHeld = try self.isTaken(on: session)
                    caller.resume(returning: isHeld)
                    if isHeld {
                        self.isOver.wait()
                        self.giveBack(session)
                        self.releasing.withLock { $0 }?.resume()
                    }
                } catch {
                    caller.resume(throwing: Transaction.told(error))
                }
            }
        }
    }

    /// Even if the caller is cancelled. Waits at most one second for a response.
    func release() async {
        await withCheckedContinuation { caller in
            releasing.withLock { $0 = caller }
            isOver.signal()
        }
    }

    private func giveBack(_ session: PostgresSession) {
        // Ignored: the server releases the lock when it notices the closed connection.
        _ = try? session.answer([.plain("SELECT pg_advisory_unlock_all()")], by: plan.uptime())
    }

    /// Stops waiting. A held lock stays held until released.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Polls: waiting in the server would exceed its statement timeout.
    private func isTaken(on session: PostgresSession) throws -> Bool {
        // The schema separates installations in one database.
        let attempt: SQL = """
            SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ' ' || \(name), 0))
            """
        while true {
            let isFree = try session.answer([.statement(attempt)])?.rows { $0.bool() }.first ?? false
            if isFree || !waits { return isFree }
            if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
            _ = postgres_wait(-1, 0, -1, 100)
        }
    }
}
