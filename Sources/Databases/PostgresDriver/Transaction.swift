import SQLDatabase

/// Begins with its first statement, in the same round trip.
final class Transaction: Connection {
    private let session: PostgresSession
    private let opening: [String]
    private let limit: Duration?
    private let deadline: Duration?
    private let observe: @Sendable (DatabaseEvent) -> Void
    private(set) var hasBegun = false
    /// The server accepts no further statements after it.
    private(set) var failure: (any Error)?

    init(
        _ session: PostgresSession, of job: Job, _ settings: PostgresSettings,
        observe: @escaping @Sendable (DatabaseEvent) -> Void
    ) {
        self.session = session
        opening = job.opening(settings)
        let takesLong = job.kind == .schema
        limit = takesLong ? settings.schemaStatementLimit : nil
        // A worker waits for the server only a little longer than its caller does.
        deadline = takesLong ? nil : job.deadline
        self.observe = observe
    }

    func rows<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> [Value] {
        observe(.statement)
        return try ask(.statement(statement))?.rows(decode) ?? []
    }

    func run(_ statement: SQL) throws -> Int {
        observe(.statement)
        return try ask(.statement(statement))?.changedRows ?? 0
    }

    func plan(_ statement: SQL) throws -> [String] {
        guard statement.isOfMany else { return try ask(.plan(statement))?.rows { $0.text() } ?? [] }
        let explanation = try BoundStatement(shared: [statement]).explanation
        for (name, value) in BoundStatement.settings { _ = try ask(.plain("SET LOCAL \(name) TO '\(value)'")) }
        _ = try ask(.plain(explanation.preparation))
        let plan = try ask(.plain(explanation.question))?.rows { $0.text() } ?? []
        _ = try ask(.plain("DEALLOCATE planned"))
        return plan
    }

    private func ask(_ command: PostgresSession.Command) throws -> PostgresResult? {
        if let failure { throw Self.told(failure) }
        do {
            let first = hasBegun ? [] : opening.map(PostgresSession.Command.plain)
            hasBegun = true
            if first.count == 1 { return try session.answer(first + [command], limit: limit, by: deadline) }
            // A new time limit applies from the next round trip on.
            if !first.isEmpty { _ = try session.answer(first, limit: limit, by: deadline) }
            return try session.answer([command], limit: limit, by: deadline)
        } catch {
            failure = error
            throw Self.told(error)
        }
    }

    /// - Throws: ``ServerRefusal`` if the commit did not happen, ``LostConnection`` if that is unknown.
    func commit() throws {
        if hasBegun { _ = try session.answer([.plain("COMMIT")], limit: limit, by: deadline) }
    }

    func rollBack() throws {
        if hasBegun { _ = try session.answer([.plain("ROLLBACK")], limit: limit, by: deadline) }
    }

    static func told(_ error: any Error) -> any Error {
        switch error {
        case let refusal as ServerRefusal: refusal.told
        case let lost as LostConnection: lost.told
        default: error
        }
    }
}
