import CPostgres
import SQLDatabase

/// Opened on first use, replaced when lost or unusable.
struct Line {
    let plan: SessionPlan
    private(set) var session: PostgresSession?
    private var isFresh = false

    init(_ plan: SessionPlan) { self.plan = plan }

    /// Reconnects if the session ended while idle.
    mutating func ready() throws -> PostgresSession {
        closeIfEnded()
        return try open()
    }

    mutating func open() throws -> PostgresSession {
        isFresh = session == nil
        let open = try session ?? PostgresSession(plan)
        session = open
        return open
    }

    mutating func closeIfEnded() {
        if session?.hasEnded == true { session = nil }
    }

    mutating func close() { session = nil }

    /// Closes a session that the error made unusable.
    mutating func close(after error: any Error) {
        let refusal = error as? ServerRefusal
        if error is LostConnection || refusal?.needsNewSession == true || refusal?.isReadOnly == true { close() }
    }

    /// Nothing happened: the connection was lost before the commit, or after a failover a new one may reach the
    /// primary.
    func mayWorkAgain(_ error: any Error, changes: Bool = true) -> Bool {
        guard let refusal = error as? ServerRefusal else { return error is LostConnection }
        return refusal.mayWorkAgain || (refusal.isReadOnly && changes && !isFresh)
    }

    /// Random, so that conflicting transactions do not meet again, here or on other nodes.
    func pause(after tries: Int) -> Duration { .pause(after: tries, chance: plan.chance()) }

    func wait(_ pause: Duration) { _ = postgres_wait(-1, 0, -1, pause.pollMilliseconds) }
}
