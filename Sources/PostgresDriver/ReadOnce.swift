import SQLDatabase

/// Runs the body of a read without a connection: first to find out its statement, then with the statement's result.
///
/// A body may run more than once, so a read of one statement does not need its own connection. The statement is
/// pipelined with those of others, and the body runs again when the result has arrived.
final class ReadOnce: Connection {
    /// Thrown through the body. A body that catches it runs on a pooled connection instead.
    struct Stopped: Error {}

    private(set) var asked: SQL?
    /// Whether the body needs more than one result.
    private(set) var needsMore = false
    private let known: (statement: SQL, answer: Result<PostgresResult, any Error>)?

    init(known: (statement: SQL, answer: Result<PostgresResult, any Error>)? = nil) { self.known = known }

    func rows<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> [Value] {
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

/// Statements whose reads should not be pipelined, because other statements follow them or because they are slow and
/// would delay others.
struct UnfitStatements {
    private var until: [String: Duration] = [:]
    private var slowAt: [String: Duration] = [:]

    /// The threshold of a slow statement: well above a fast one's time on a busy machine.
    static let slow: Duration = .milliseconds(100)
    static let pause: Duration = .seconds(60)
    private static let limit = 500

    func contains(_ text: String, at now: Duration) -> Bool { until[text].map { now < $0 } ?? false }

    /// Excludes a statement for a while.
    mutating func add(_ text: String, at now: Duration) {
        if until.count >= Self.limit { until = [:] }
        until[text] = now + Self.pause
    }

    /// Excludes a statement that was slow twice within ``pause``. A single occurrence is no sign: after a restart of
    /// the database, the first run of even the most frequent statements reads from disk.
    mutating func addSlow(_ text: String, at now: Duration) {
        if let last = slowAt[text], now < last + Self.pause { return add(text, at: now) }
        if slowAt.count >= Self.limit { slowAt = [:] }
        slowAt[text] = now
    }
}
