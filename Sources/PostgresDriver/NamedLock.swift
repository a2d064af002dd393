import CPostgres
import Dispatch
import Foundation
import SQLDatabase
import Synchronization

/// A name that one node at a time holds (an advisory lock), on a connection and a thread of its own. When the
/// connection breaks, another node may take it.
final class NamedLock: Sendable {
    private let name: String
    private let waits: Bool
    private let plan: SessionPlan
    private let isOver = DispatchSemaphore(value: 0)
    /// Who waits until it is nobody's any more.
    private let releasing = Mutex<CheckedContinuation<Void, Never>?>(nil)
    private let isCancelled = Atomic(false)

    init(_ name: String, waits: Bool, plan: SessionPlan) {
        self.name = name
        self.waits = waits
        self.plan = plan
    }

    /// - Returns: Whether it was free; after waiting for it, always.
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

    /// Returns when others can take it, for a caller who is cancelled too; after a second without an answer.
    func release() async {
        await withCheckedContinuation { caller in
            releasing.withLock { $0 = caller }
            isOver.signal()
        }
    }

    private func giveBack(_ session: PostgresSession) {
        // Without an answer the server gives it back when it finds the connection closed.
        _ = try? session.answer([.plain("SELECT pg_advisory_unlock_all()")], by: plan.uptime())
    }

    /// Ends the waiting. One that is held stays so until it is released.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Asks again and again instead of waiting in the server, whose time limit for a statement would end that.
    private func isTaken(on session: PostgresSession) throws -> Bool {
        // Two installations in schemas of one database have names of their own.
        let attempt: SQL = """
            SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ' ' || \(name), 0))
            """
        while true {
            let isFree = try session.answer([.statement(attempt)])?.rows { $0.bool(0) }.first ?? false
            if isFree || !waits { return isFree }
            if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
            _ = postgres_wait(-1, 0, -1, 100)
        }
    }
}
