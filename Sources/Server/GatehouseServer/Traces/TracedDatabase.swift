import GatehouseWire
import HTTPServing
import SQLDatabase

/// Adds a span for each transaction and statement of a recorded trace. Wraps the database only while traces are on.
struct TracedDatabase: Database {
    let base: any Database
    let tracer: Tracer?

    var dialect: Dialect { base.dialect }

    func write<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        try await transaction("write", body, base.write)
    }

    func writeCommitted<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await transaction("write", body, base.writeCommitted)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        try await transaction("read", body, base.read)
    }

    func rows<Result: Sendable>(
        _ query: SQL, into initial: Result, _ combine: @escaping @Sendable (inout Result, inout Row) throws -> Void
    ) async throws -> Result {
        try await span("read", query) { try await base.rows(query, into: initial, combine) }
    }

    func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (inout Row) throws -> Found
    ) async throws -> Changed<Found> {
        try await span("write", statement) { try await base.change(statement, thenRead: query, decode) }
    }

    func changeSchema<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await base.changeSchema(body)
    }

    func unbuiltIndexes(of statements: [SQL]) async throws -> [SQL] { try await base.unbuiltIndexes(of: statements) }

    func buildIndex(_ statement: SQL) async throws { try await base.buildIndex(statement) }

    func exclusively<Value: Sendable>(
        _ name: String, waits: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await base.exclusively(name, waits: waits, work)
    }

    private func transaction<Value: Sendable>(
        _ operation: String, _ body: @escaping @Sendable (any Connection) throws -> Value,
        _ run: (@escaping @Sendable (any Connection) throws -> Value) async throws -> Value
    ) async throws -> Value {
        try await tracer.inSpan("\(operation) transaction", .client, failure: Self.failure) { span in
            guard let span, let tracer else { return try await run(body) }
            span.set(.databaseSystem, dialect.systemName)
            span.set(.databaseOperation, operation)
            return try await noting(span) {
                try await run { try body(TracedConnection($0, span, tracer, dialect)) }
            }
        }
    }

    private func span<Value>(
        _ operation: String, _ statement: SQL, _ run: () async throws -> Value
    ) async throws -> Value {
        try await tracer.inSpan(statement.summary, .client, failure: Self.failure) { span in
            guard let span else { return try await run() }
            span.note(statement, dialect)
            span.set(.databaseOperation, operation)
            return try await noting(span, run)
        }
    }

    private func noting<Value>(_ span: ActiveSpan, _ run: () async throws -> Value) async throws -> Value {
        do {
            return try await run()
        } catch let failure as DatabaseFailure {
            if !failure.code.isEmpty { span.set(.databaseStatus, failure.code) }
            throw failure
        }
    }

    /// A body's own errors only roll back.
    private static func failure(_ error: any Error) -> String? {
        switch error {
        case let failure as DatabaseFailure: failure.isConstraintViolation ? "constraint" : "\(failure.reason)"
        case is CancellationError: "cancelled"
        default: nil
        }
    }
}

/// The statements of a transaction, which a repeated transaction runs again.
private final class TracedConnection: Connection {
    private let base: any Connection
    private let span: ActiveSpan
    private let tracer: Tracer
    private let dialect: Dialect
    /// Of one transaction: a loop over rows must not fill the queue.
    private var roomForSpans = 32

    init(_ base: any Connection, _ span: ActiveSpan, _ tracer: Tracer, _ dialect: Dialect) {
        (self.base, self.span, self.tracer, self.dialect) = (base, span, tracer, dialect)
    }

    func rows<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> [Value] {
        try traced(statement) { try base.rows(statement, decode) }
    }

    func run(_ statement: SQL) throws -> Int { try traced(statement) { try base.run(statement) } }

    func plan(_ statement: SQL) throws -> [String] { try base.plan(statement) }

    private func traced<Value>(_ statement: SQL, _ run: () throws -> Value) throws -> Value {
        guard roomForSpans > 0, let own = tracer.begin(statement.summary, .client, in: span) else {
            return try run()
        }
        roomForSpans -= 1
        own.note(statement, dialect)
        defer { own.end() }
        do {
            return try run()
        } catch let failure as DatabaseFailure {
            own.fail(failure.isConstraintViolation ? "constraint" : "\(failure.reason)")
            throw failure
        }
    }
}

extension ActiveSpan {
    fileprivate func note(_ statement: SQL, _ dialect: Dialect) {
        set(.databaseSystem, dialect.systemName)
        set(.databaseSummary, statement.summary)
    }
}

extension Dialect {
    fileprivate var systemName: String {
        switch self {
        case .sqlite: "sqlite"
        case .postgresql: "postgresql"
        }
    }
}

extension SQL {
    /// The verb and the first table, such as `SELECT sessions`. Values are never part of the text.
    var summary: String {
        let words = text.utf8.split { !$0.isAlphanumeric && $0 != UInt8(ascii: "_") }
        guard let verb = words.first.map({ String(Substring($0)) }) else { return "" }
        let isName = { (word: Substring.UTF8View) in word.first.map { (0x61...0x7A).contains($0) } ?? false }
        for (word, next) in zip(words, words.dropFirst()) where isName(next) {
            if ["FROM", "INTO", "UPDATE"].contains(where: { word.elementsEqual($0.utf8) }) {
                return "\(verb) \(Substring(next))"
            }
        }
        return verb
    }
}
