import CPostgres
import SQLDatabase

/// libpq's pipeline mode: one packet carries several commands up to a sync, and results return in order. Created, used
/// and closed by one thread.
final class PostgresSession {
    enum Command {
        case plain(String)
        case statement(SQL)
        case bound(BoundStatement)
        case plan(SQL)
    }

    let handle: PostgresHandle
    let cancellation: PostgresCancellation?
    let plan: SessionPlan
    /// By signature and caller's text.
    private var names: [String: String] = [:]
    private var preparedCount = 0
    /// Including statements that failed on their first run.
    private var keptCount = 0
    /// Keys added to ``names`` since this was last emptied.
    var newNames: [String] = []

    /// A caller that puts values into the SQL text reaches it; all statements are then forgotten.
    private static let keptLimit = 500

    /// Blocks for at most the connect limit per host.
    init(_ plan: SessionPlan) throws {
        self.plan = plan
        let keywords = plan.parameters.map(\.keyword)
        let values = plan.parameters.map(\.value)
        // Blocks the session's own thread. Only the blocking call makes libpq try the next host after a timeout.
        let made = Self.withCStrings(keywords) { keywords in
            Self.withCStrings(values) { values in PQconnectdbParams(keywords, values, 0) }
        }
        guard let made else { throw LostConnection(detail: "out of memory") }
        handle = PostgresHandle(pointer: made)
        guard PQstatus(made) == CONNECTION_OK else {
            let lost = Self.lost(handle)
            PQfinish(made)
            throw lost
        }
        // libpq would write notices to standard error.
        PQsetNoticeProcessor(made, { _, _ in }, nil)
        PQsetnonblocking(made, 1)
        PQenterPipelineMode(made)
        cancellation = PostgresCancellation(handle)
        // Connection poolers refuse startup options.
        _ = try answer(
            plan.settings.sorted { $0.key < $1.key }.map { .plain("SET \($0.key) TO '\($0.value)'") },
            by: plan.uptime() + plan.connectLimit)
    }

    deinit { PQfinish(handle.pointer) }

    var descriptor: Int32 { PQsocket(handle.pointer) }
    var isBroken: Bool { PQstatus(handle.pointer) != CONNECTION_OK }
    var serverProcess: Int { Int(PQbackendPID(handle.pointer)) }

    /// The server has closed the idle connection or is about to: it sends a message first. Other unsolicited messages,
    /// such as changed parameters, are rare enough to reconnect for.
    var hasEnded: Bool { isBroken || postgres_wait(descriptor, 0, -1, 0) & Int32(postgres_readable) != 0 }

    /// Runs commands in one round trip and waits for the last result.
    ///
    /// - Parameters:
    ///   - limit: Overrides the session's statement timeout.
    ///   - deadline: The caller's. After a network failure nothing else ends the wait.
    /// - Throws: The first failed command's ``ServerRefusal``, ``LostConnection``, or ``DatabaseFailure`` for a value
    ///   that cannot be sent.
    func answer(
        _ commands: [Command], limit: Duration? = nil, by deadline: Duration? = nil
    ) throws -> PostgresResult? {
        try exchange(commands, limit: limit, by: deadline).result
    }

    /// Runs changes in one round trip, which is one implicit transaction.
    ///
    /// - Parameter changes: At least one; all have the same statements.
    /// - Returns: Each change's number of changed rows, and the rows found.
    /// - Throws: As ``answer(_:limit:by:)``. With ``ServerRefusal`` and ``DatabaseFailure`` nothing happened.
    func carryOut(_ changes: [Change], by deadline: Duration) throws -> [(Int, SharedRows)] {
        let statements = try [changes.map(\.statement), changes.map(\.query)].map { try BoundStatement(shared: $0) }
        let answer = try exchange(statements.map(Command.bound), by: deadline)
        guard let changed = answer.tables.previous, let found = answer.tables.last else {
            throw LostConnection(detail: "answers are missing")
        }
        return SharedRows.dealt([changed, found], among: changes.count)
    }

    private func exchange(
        _ commands: [Command], limit: Duration? = nil, by deadline: Duration? = nil
    ) throws -> PendingAnswer {
        let limit = limit ?? plan.statementLimit
        let start = plan.uptime()
        newNames = []
        for command in commands { try send(command) }
        try sync()
        var pending = PendingAnswer()
        let deadline = answerDeadline(since: plan.uptime(), limit, by: deadline)
        while true {
            try flush(until: deadline)
            while let isComplete = try receive(into: &pending) {
                if !isComplete { continue }
                // Whether their preparation succeeded before the failure is unknown.
                if pending.refusal != nil { forget(newNames) }
                try pending.check(cameEarly: plan.uptime() - start < limit)
                return pending
            }
            try wait(until: deadline)
        }
    }

    /// When a result must be complete. Callers that start in time get at least one second; otherwise a slow server
    /// would lose its connections to callers that waited long in the queue.
    ///
    /// - Parameter begun: When the server began, as far as the client can tell.
    func answerDeadline(since begun: Duration, _ limit: Duration, by deadline: Duration?) -> Duration {
        // Later than the server's own statement timeout.
        let last = begun + limit + .seconds(2)
        return min(last, deadline.map { max($0, begun + .seconds(1)) } ?? last)
    }

    func send(_ command: Command) throws {
        let isSent: Int32 =
            switch command {
            case .plain(let text): PQsendQueryParams(handle.pointer, text, 0, nil, nil, nil, nil, 1)
            case .statement(let statement): try send(BoundStatement(statement))
            case .bound(let statement): try send(statement)
            case .plan(let statement): try explain(BoundStatement(statement))
            }
        if isSent != 1 { throw lost() }
    }

    func sync() throws {
        if PQpipelineSync(handle.pointer) != 1 { throw lost() }
    }

    private func send(_ statement: BoundStatement) throws -> Int32 {
        let name = try preparedName(statement)
        return statement.values.withPointers { pointers, lengths, formats in
            PQsendQueryPrepared(handle.pointer, name, Int32(pointers.count), pointers, lengths, formats, 1)
        }
    }

    private func explain(_ statement: BoundStatement) -> Int32 {
        let (text, types) = ("EXPLAIN (COSTS OFF) " + statement.spelled, statement.values.types)
        return statement.values.withPointers { pointers, lengths, formats in
            PQsendQueryParams(handle.pointer, text, Int32(pointers.count), types, pointers, lengths, formats, 1)
        }
    }

    private func preparedName(_ statement: BoundStatement) throws -> String {
        let key = statement.key
        if let name = names[key] { return name }
        if keptCount >= Self.keptLimit {
            names = [:]
            keptCount = 0
            try send(.plain("DEALLOCATE ALL"))
        }
        preparedCount += 1
        keptCount += 1
        // Unique across sessions: a connection pooler would confuse two statements with the same name.
        let name = "s\(serverProcess)_\(preparedCount)"
        let types = statement.values.types
        if PQsendPrepare(handle.pointer, name, statement.spelled, Int32(types.count), types) != 1 { throw lost() }
        names[key] = name
        newNames.append(key)
        return name
    }

    /// Prepares the statements again on next use, under new names.
    func forget(_ keys: [String]) {
        for key in keys { names[key] = nil }
    }

    func forget(_ statement: SQL) {
        // Ignored: a value that cannot be sent was never prepared.
        guard let statement = try? BoundStatement(statement) else { return }
        names[statement.key] = nil
    }
}

struct SessionPlan: Sendable {
    let parameters: [(keyword: String, value: String)]
    /// The driver's own text.
    let settings: [String: String]
    let connectLimit: Duration
    /// The server's statement timeout.
    let statementLimit: Duration
    let uptime: @Sendable () -> Duration
    /// 0 to 1, random, for pauses.
    var chance: @Sendable () -> Double = { 1 }
}

/// The part that has arrived.
struct PendingAnswer {
    /// The last command's.
    private(set) var result: PostgresResult?
    /// The last two results with rows.
    private(set) var tables: (previous: PostgresResult?, last: PostgresResult?)
    private(set) var refusal: ServerRefusal?

    /// - Returns: Whether the result is complete.
    mutating func add(_ part: PostgresResult) -> Bool {
        switch PQresultStatus(part.pointer) {
        case PGRES_PIPELINE_SYNC: return true
        case PGRES_TUPLES_OK: (result, tables) = (part, (tables.last, part))
        case PGRES_COMMAND_OK: result = part
        case PGRES_PIPELINE_ABORTED: break
        default: if refusal == nil { refusal = ServerRefusal(part.pointer) }
        }
        return false
    }

    /// - Parameter cameEarly: Before the server's time limit could have expired.
    /// - Throws: The first failed command's ``ServerRefusal``.
    func check(cameEarly: Bool = false) throws {
        guard var refusal else { return }
        refusal.cameEarly = cameEarly
        throw refusal
    }
}
