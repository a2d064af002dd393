import CPostgres
import SQLDatabase

/// One connection with its prepared statements, in libpq's pipeline mode: several commands go out in one packet, up
/// to a sync, and their answers come back in order. Made, used and closed by one thread.
final class PostgresSession {
    /// What a session is asked to run.
    enum Command {
        /// Text of this driver's own, without values.
        case plain(String)
        case statement(SQL)
        case bound(BoundStatement)
        case plan(SQL)
    }

    let handle: PostgresHandle
    let cancellation: PostgresCancellation?
    let uptime: @Sendable () -> Duration
    let statementLimit: Duration
    /// Names of prepared statements by signature and text, as the caller wrote it.
    private var names: [String: String] = [:]
    private var preparedCount = 0
    /// How many the server may still have, those included that failed when they first ran.
    private var keptCount = 0
    /// Keys of ``names`` that were added since this was last emptied.
    var newNames: [String] = []

    /// More distinct statements than this means that a text was put together from values: forget them all.
    private static let keptLimit = 500

    /// Connects; blocks up to the limit of one try, for each host of several.
    ///
    /// - Throws: ``LostConnection`` when the server is out of reach or refuses.
    init(_ plan: SessionPlan) throws {
        uptime = plan.uptime
        statementLimit = plan.statementLimit
        let keywords = plan.parameters.map(\.keyword)
        let values = plan.parameters.map(\.value)
        // Blocks: this is the caller's own thread, and only so libpq goes on to the next of several hosts when one does
        // not answer.
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
        // Notices are for people at a terminal; without this they go to standard error.
        PQsetNoticeProcessor(made, { _, _ in }, nil)
        PQsetnonblocking(made, 1)
        PQenterPipelineMode(made)
        cancellation = PostgresCancellation(handle)
        // Not as options of the start: what manages connections between here and the server refuses those.
        _ = try answer(
            plan.settings.sorted { $0.key < $1.key }.map { .plain("SET \($0.key) TO '\($0.value)'") },
            by: uptime() + plan.connectLimit)
    }

    deinit { PQfinish(handle.pointer) }

    var descriptor: Int32 { PQsocket(handle.pointer) }
    var isBroken: Bool { PQstatus(handle.pointer) != CONNECTION_OK }
    var serverProcess: Int { Int(PQbackendPID(handle.pointer)) }

    /// Whether the server has closed the connection while nobody used it, or is about to: it says farewell first. For
    /// the little else that it says unasked, such as a setting that was changed, a new connection is cheap.
    var hasEnded: Bool { isBroken || postgres_wait(descriptor, 0, -1, 0) & Int32(postgres_readable) != 0 }

    /// Runs commands in one round trip and waits for the last one's answer.
    ///
    /// - Parameters:
    ///   - limit: The server's for a statement, where it is not the session's.
    ///   - deadline: The caller's time limit. Behind a network that is cut nothing else tells that no answer comes.
    /// - Throws: ``ServerRefusal`` of the first that fails, ``LostConnection``, ``ConstraintViolation`` for a value
    ///   that cannot be sent.
    func answer(
        _ commands: [Command], limit: Duration? = nil, by deadline: Duration? = nil
    ) throws -> PostgresResult? {
        let limit = limit ?? statementLimit
        let start = uptime()
        newNames = []
        for command in commands { try send(command) }
        try sync()
        var pending = PendingAnswer()
        let deadline = answerDeadline(limit, by: deadline)
        while true {
            try flush(until: deadline)
            while let isComplete = try receive(into: &pending) {
                if !isComplete { continue }
                // Whether they were prepared before it failed is not known.
                if pending.isRefused { forget(newNames) }
                return try pending.value(cameEarly: uptime() - start < limit)
            }
            try wait(writes: false, until: deadline)
        }
    }

    /// Who began within their time gets a second all the same: a server that only is slow must not lose its
    /// connections to those who waited long in the queue.
    func answerDeadline(_ limit: Duration, by deadline: Duration?) -> Duration {
        let now = uptime()
        // Longer than the server's own limit of a statement: who has not heard by then will not.
        let last = now + limit + .seconds(2)
        return min(last, deadline.map { max($0, now + Self.grace) } ?? last)
    }

    static let grace: Duration = .seconds(1)

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
        // Two of one name and different text would be mistaken for each other where something between here and the
        // server lends its connections to one caller after the other.
        let name = "s\(serverProcess)_\(preparedCount)"
        let types = statement.values.types
        if PQsendPrepare(handle.pointer, name, statement.spelled, Int32(types.count), types) != 1 { throw lost() }
        names[key] = name
        newNames.append(key)
        return name
    }

    /// Has them prepared anew, under other names.
    func forget(_ keys: [String]) {
        for key in keys { names[key] = nil }
    }

    func forget(_ statement: SQL) {
        // A value that cannot be sent was never prepared.
        guard let statement = try? BoundStatement(statement) else { return }
        names[statement.key] = nil
    }
}

/// How sessions of one kind are made.
struct SessionPlan: Sendable {
    let parameters: [(keyword: String, value: String)]
    /// What each session is told when it begins: text of this driver's own.
    let settings: [String: String]
    let connectLimit: Duration
    /// The server's.
    let statementLimit: Duration
    let uptime: @Sendable () -> Duration
}

/// What has come of an answer so far.
struct PendingAnswer {
    private var result: PostgresResult?
    private var refusal: ServerRefusal?

    /// - Returns: Whether it is complete.
    mutating func add(_ part: PostgresResult) -> Bool {
        switch PQresultStatus(part.pointer) {
        case PGRES_PIPELINE_SYNC: return true
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: result = part
        case PGRES_PIPELINE_ABORTED: break
        default: if refusal == nil { refusal = ServerRefusal(part.pointer) }
        }
        return false
    }

    var isRefused: Bool { refusal != nil }

    /// - Parameter cameEarly: Before the server's time limit can have run out.
    func value(cameEarly: Bool = false) throws -> PostgresResult? {
        guard var refusal else { return result }
        refusal.cameEarly = cameEarly
        throw refusal
    }
}
