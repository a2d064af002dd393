import CPostgres
import SQLDatabase

/// The connection of one thread: opened on first use, replaced after it was lost or has become unusable.
struct Line {
    let plan: SessionPlan
    private(set) var session: PostgresSession?
    /// Whether the last call of ``ready()`` connected.
    private var isFresh = false

    init(_ plan: SessionPlan) { self.plan = plan }

    /// Returns the session, reconnecting if it ended while idle.
    ///
    /// - Throws: ``LostConnection``, and ``ServerRefusal`` of a setting.
    mutating func ready() throws -> PostgresSession {
        closeIfEnded()
        return try open()
    }

    /// Returns the session. It may have ended.
    mutating func open() throws -> PostgresSession {
        isFresh = session == nil
        let open = try session ?? PostgresSession(plan)
        session = open
        return open
    }

    mutating func closeIfEnded() {
        if session?.hasEnded == true { session = nil }
    }

    /// Closes the session. The server rolls back.
    mutating func close() { session = nil }

    /// Closes the session if it cannot be used after an error of a command.
    mutating func close(after error: any Error) {
        let refusal = error as? ServerRefusal
        if error is LostConnection || refusal?.needsNewSession == true || refusal?.isReadOnly == true { close() }
    }

    /// Whether nothing happened, and a retry may succeed. A connection lost before the commit was sent changed nothing.
    /// After a failover the server may be a standby; a new connection may reach the primary.
    func mayWorkAgain(_ error: any Error, changes: Bool = true) -> Bool {
        guard let refusal = error as? ServerRefusal else { return error is LostConnection }
        return refusal.mayWorkAgain || (refusal.isReadOnly && changes && !isFresh)
    }

    /// The time until the next attempt. Grows with the attempts. Randomized, so that conflicting transactions do not
    /// meet again, here or on other nodes.
    func pause(after tries: Int) -> Duration { .pause(after: tries, chance: plan.chance()) }

    func wait(_ pause: Duration) { _ = postgres_wait(-1, 0, -1, pause.pollMilliseconds) }
}
