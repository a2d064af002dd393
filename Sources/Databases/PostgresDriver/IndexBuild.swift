import CPostgres
import Foundation
import SQLDatabase

/// `CREATE INDEX CONCURRENTLY` does not block writers and cannot run in a transaction: uses a separate connection and
/// thread.
struct IndexBuild: Sendable {
    private let name: String
    private let statement: String
    private let limit: Duration
    private let plan: SessionPlan

    /// - Parameter statement: `CREATE INDEX name ON …` without values.
    init(_ statement: SQL, limit: Duration, plan: SessionPlan) throws {
        name = Self.name(of: statement)
        self.statement = try BoundStatement(statement).spelled.replacing(
            "CREATE INDEX", with: "CREATE INDEX CONCURRENTLY", maxReplacements: 1)
        self.limit = limit
        self.plan = plan
    }

    static func name(of statement: SQL) -> String {
        statement.text.split(separator: " ").dropFirst(2).first.map(String.init) ?? ""
    }

    func run() async throws {
        try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { caller.resume(with: Result { try build() }.mapError(Transaction.told)) }
        }
    }

    private func build() throws {
        let session = try PostgresSession(plan)
        // An interrupted build leaves an index that no query uses and every writer keeps up to date.
        let commands = [
            "SET statement_timeout TO '\(limit.wholeMilliseconds)'", "DROP INDEX CONCURRENTLY IF EXISTS \(name)",
            statement,
        ]
        for command in commands { _ = try session.answer([.plain(command)], limit: limit) }
    }
}
