package import AccountDomain
import GatehouseWire
package import SQLDatabase

/// A database whose transactions also store their changes' events for webhooks. Reads and token refreshes pass
/// unchanged.
package struct EventDatabase: Database {
    let base: any Database
    private let writer: EventWriter
    private let written: @Sendable () -> Void

    /// - Parameter written: Called after a transaction that stored events.
    package init(
        _ base: any Database, _ accounts: Accounts, endpoints: [WebhookEndpoint],
        written: @escaping @Sendable () -> Void
    ) {
        self.base = base
        self.written = written
        writer = EventWriter(accounts: accounts, endpoints: endpoints)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        told(try await base.write { db in try keeping(db, body) })
    }

    package func writeCommitted<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        told(try await base.writeCommitted { db in try keeping(db, body) })
    }

    private func keeping<Value: Sendable>(
        _ db: any Connection, _ body: (any Connection) throws -> Value
    ) throws -> (value: Value, hasEvents: Bool) {
        let connection = EventConnection(db)
        let value = try body(connection)
        return (value, try writer.write(connection.events, in: db) > 0)
    }

    private func told<Value>(_ result: (value: Value, hasEvents: Bool)) -> Value {
        if result.hasEvents { written() }
        return result.value
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await base.read(body)
    }

    package func rows<Result: Sendable>(
        _ query: SQL, into initial: Result, _ combine: @escaping @Sendable (inout Result, inout Row) throws -> Void
    ) async throws -> Result {
        try await base.rows(query, into: initial, combine)
    }

    package func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (inout Row) throws -> Found
    ) async throws -> Changed<Found> {
        try await base.change(statement, thenRead: query, decode)
    }

    package func changeSchema<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await base.changeSchema(body)
    }

    package func unbuiltIndexes(of statements: [SQL]) async throws -> [SQL] {
        try await base.unbuiltIndexes(of: statements)
    }

    package func buildIndex(_ statement: SQL) async throws { try await base.buildIndex(statement) }

    package func exclusively<Value: Sendable>(
        _ name: String, waits: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await base.exclusively(name, waits: waits, work)
    }

    package var dialect: Dialect { base.dialect }
}

extension Accounts {
    package func telling(
        _ endpoints: [WebhookEndpoint], written: @escaping @Sendable () -> Void = {}
    ) -> Accounts {
        guard !endpoints.isEmpty else { return self }
        var accounts = self
        accounts.database = EventDatabase(database, self, endpoints: endpoints, written: written)
        return accounts
    }

    /// Without webhooks, for imports.
    package var silent: Accounts {
        guard let events = database as? EventDatabase else { return self }
        var accounts = self
        accounts.database = events.base
        return accounts
    }
}
