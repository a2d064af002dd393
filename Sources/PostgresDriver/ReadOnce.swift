import SQLDatabase

/// Runs a reader's body without a database: to learn what it asks first, or with the answer to that.
///
/// A body may run more than once, so a read of one statement needs no connection to itself: its statement is sent
/// with others', and the body runs again when the answer is there.
final class ReadOnce: Connection {
    /// Thrown through the body; a body that swallows it is run on a connection of its own.
    struct Stopped: Error {}

    private(set) var asked: SQL?
    /// Whether it needs more than the one answer.
    private(set) var needsMore = false
    private let known: (statement: SQL, answer: Result<PostgresResult, any Error>)?

    init(known: (statement: SQL, answer: Result<PostgresResult, any Error>)? = nil) { self.known = known }

    func rows<Value>(_ statement: SQL, _ decode: (any Row) throws -> Value) throws -> [Value] {
        if needsMore { throw Stopped() }
        if asked == nil, let known, known.statement.text == statement.text, known.statement.values == statement.values {
            asked = statement
            return try known.answer.get().rows(decode)
        }
        needsMore = known != nil || asked != nil
        asked = asked ?? statement
        throw Stopped()
    }

    func run(_ statement: SQL) throws -> Int {
        needsMore = true
        throw Stopped()
    }

    func plan(_ statement: SQL) throws -> [String] {
        needsMore = true
        throw Stopped()
    }
}

/// Statements whose reads are better off on a connection of their own: more follow them, or they take long and
/// others would wait behind them.
struct UnfitStatements {
    private var until: [String: Duration] = [:]
    private var slowAt: [String: Duration] = [:]

    /// What takes longer is slow. Well above what a busy machine takes for a short one.
    static let slow: Duration = .milliseconds(100)
    static let pause: Duration = .seconds(60)
    private static let limit = 500

    func contains(_ text: String, at now: Duration) -> Bool { until[text].map { now < $0 } ?? false }

    /// Keeps a statement out for a while.
    mutating func add(_ text: String, at now: Duration) {
        if until.count >= Self.limit { until = [:] }
        until[text] = now + Self.pause
    }

    /// Keeps a statement out that was slow before, within ``pause``. Once is no sign: after a start of the database the
    /// first of each has to read from the disk, and these are the ones that are asked most.
    mutating func addSlow(_ text: String, at now: Duration) {
        if let last = slowAt[text], now < last + Self.pause { return add(text, at: now) }
        if slowAt.count >= Self.limit { slowAt = [:] }
        slowAt[text] = now
    }
}
