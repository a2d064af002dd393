import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Retention")
struct RetentionTests {
    private static let day: Duration = .seconds(86_400)

    /// Keeps each kind of record for a day.
    private func shortLived(_ store: StoreFixture) -> Accounts {
        var accounts = store.accounts
        (accounts.retention.auditLog, accounts.retention.endedSessions) = (Self.day, Self.day)
        accounts.retention.mails = Self.day
        return accounts
    }

    /// Signs up, drops an email, and signs out.
    private func live(_ store: StoreFixture, _ email: String) async throws {
        let issued = try await store.signedIn(email)
        let request = MailRequest(redirectTo: "", lifetime: .seconds(600))
        try await store.accounts.mails.ask(
            MailAsk(.recovery, .email(#require(EmailAddress(email))), request), at: store.clock.now)
        _ = try await store.accounts.mailQueue.dropMails(nil, at: store.clock.now)
        try await store.accounts.signOut(
            issued.account.user.id, name: "", session: issued.session.id, scope: .global, at: store.clock.now)
    }

    private func counts(_ store: StoreFixture) async throws -> [Int] {
        [
            try await store.rows("SELECT 1 FROM ended_sessions"), try await store.rows("SELECT 1 FROM mail_outbox"),
            try await store.rows("SELECT 1 FROM audit_log"),
        ]
    }

    @Test("Records are removed when they are older than the settings allow, and no others", arguments: TestDatabase.all)
    func removed(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = shortLived(store)
        try await live(store, "ada@example.com")
        store.clock.advance(by: Self.day)
        try await live(store, "grace@example.com")
        #expect(try await counts(store) == [2, 2, 6])
        #expect(try await accounts.cleaning.removeOutdated(at: store.clock.now) == 0)
        store.clock.advance(by: .microseconds(2))
        #expect(try await accounts.cleaning.removeOutdated(at: store.clock.now) == 5)
        #expect(try await counts(store) == [1, 1, 3])
        // A clock that is set back removes nothing.
        #expect(try await accounts.cleaning.removeOutdated(at: store.clock.now - Self.day * 400) == 0)
        #expect(try await counts(store) == [1, 1, 3])
        #expect(try await store.rows("SELECT 1 FROM users") == 2)
    }

    @Test("Without a limit everything stays", arguments: TestDatabase.all)
    func unlimited(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        var accounts = store.accounts
        (accounts.retention.endedSessions, accounts.retention.mails) = (nil, nil)
        try await live(store, "ada@example.com")
        #expect(try await accounts.cleaning.removeOutdated(at: store.clock.now + Self.day * 36_500) == 0)
        #expect(try await counts(store) == [1, 1, 3])
    }

    @Test("A batch removes the oldest rows, at most its number from each table", arguments: TestDatabase.all)
    func batches(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = shortLived(store)
        for number in 0..<5 {
            try await live(store, "person\(number)@example.com")
            store.tick()
        }
        store.clock.advance(by: Self.day * 2)
        let oldest = try await store.text("SELECT CAST(id AS text) FROM ended_sessions ORDER BY ended_at LIMIT 1")
        var removed = 0
        let statements = try await store.storage.statements.during {
            removed = try await accounts.cleaning.removeOutdated(limit: 2, at: store.clock.now)
        }
        #expect(removed == 6 && statements == RetainedRows.all.count)
        #expect(try await counts(store) == [3, 3, 13])
        let id = try #require(oldest)
        #expect(try await store.rows("SELECT 1 FROM ended_sessions WHERE id = \(id)") == 0)
        var rounds = 0
        while try await accounts.cleaning.removeOutdated(limit: 2, at: store.clock.now) > 0 { rounds += 1 }
        #expect(rounds == 7)
        #expect(try await counts(store) == [0, 0, 0])
    }

    @Test(
        "Only one node at a time removes records",
        .enabled("needs PostgreSQL") { TestCluster.programs != nil })
    func nodes() async throws {
        let store = try await StoreFixture(.postgres)
        let accounts = shortLived(store)
        try await live(store, "ada@example.com")
        let later = store.clock.now + Self.day * 2
        let meanwhile = try await store.storage.database.exclusively("retention", waits: true) {
            try await accounts.cleaning.removeOutdated(at: later)
        }
        #expect(meanwhile == 0)
        #expect(try await accounts.cleaning.removeOutdated(at: later) == 5)
    }

    @Test("A table that refuses the deletion does not stop or slow the others", arguments: TestDatabase.all)
    func refused(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind) {
            RefusingDatabase(database: $0, refused: "DELETE FROM ended_sessions")
        }
        let accounts = shortLived(store)
        try await live(store, "ada@example.com")
        let later = store.clock.now + Self.day * 2
        // The failure is reported when the other tables are empty.
        #expect(try await accounts.cleaning.removeOutdated(limit: 2, at: later) == 3)
        #expect(try await accounts.cleaning.removeOutdated(limit: 2, at: later) == 1)
        #expect(try await counts(store) == [1, 0, 0])
        await #expect(throws: DatabaseFailure.self) { try await accounts.cleaning.removeOutdated(limit: 2, at: later) }
    }
}

private struct RefusingDatabase: Database {
    let database: any Database
    let refused: String

    var dialect: Dialect { database.dialect }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await database.write { [refused] db in try body(RefusingConnection(connection: db, refused: refused)) }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        try await database.read(body)
    }
}

private struct RefusingConnection: Connection {
    let connection: any Connection
    let refused: String

    func rows<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> [Value] {
        try connection.rows(statement, decode)
    }

    func run(_ statement: SQL) throws -> Int {
        if statement.text.contains(refused) { throw DatabaseFailure(.conflict, detail: "a test") }
        return try connection.run(statement)
    }

    func plan(_ statement: SQL) throws -> [String] { try connection.plan(statement) }
}
