import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Refreshing")
struct RefreshTests {
    @Test("D5: A token is exchanged for its successor", arguments: TestDatabase.all)
    func rotation(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        let second = try await store.refresh(first.refreshToken)
        #expect(second.verdict == .rotate)
        #expect(second.issued?.session.id == first.session.id)
        #expect(second.issued?.refreshToken.reveal() != first.refreshToken.reveal())
    }

    @Test("D6: A lost response can be requested again at any time", arguments: TestDatabase.all)
    func lostAnswer(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        let lost = try await store.refresh(first.refreshToken)
        store.clock.advance(by: .seconds(20 * 86_400))
        let again = try await store.refresh(first.refreshToken)
        #expect(again.verdict == .reissueLate)
        #expect(again.issued?.refreshToken.reveal() == lost.issued?.refreshToken.reveal())
    }

    @Test(
        "By default a thief in step with the owner is recorded each time and never stopped",
        arguments: TestDatabase.all)
    func lockStep(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let thief = Device(userAgent: "thief/1", address: "198.51.100.9")
        var own = try await store.signedIn().refreshToken
        for round in 1...3 {
            let before = own
            own = try #require(try await store.refresh(before).issued).refreshToken
            store.clock.advance(by: .seconds(11))
            let token = try #require(RefreshToken(before))
            let stolen = try await store.accounts.sessions.refresh(token, from: thief, at: store.clock.now)
            #expect(stolen.verdict == .reissueLate)
            let page = PageRequest(number: 1, size: 10)
            let log = try await store.accounts.auditLog(.action("token_repeated"), page: page)
            #expect(log.total == round)
            #expect(log.elements.first?.traits.contains(#""address":"198.51.100.9""#) == true)
            #expect(log.elements.first?.traits.contains(#""user_agent":"thief/1""#) == true)
        }
    }

    @Test("Strict: the parent of a token whose access token was used ends the session", arguments: TestDatabase.all)
    func strict(_ kind: TestDatabase) async throws {
        for (used, isStrict) in [(1, true), (0, true), (1, false)] as [(Int64, Bool)] {
            let store = try await StoreFixture(kind, policy: SessionPolicy(isStrict: isStrict))
            let first = try await store.signedIn()
            let second = try #require(try await store.refresh(first.refreshToken).issued)
            try await store.accounts.sessions.noteUse(of: second.session.id, counter: used)
            // A token that was never issued reveals nothing.
            try await store.accounts.sessions.noteUse(of: second.session.id, counter: 7)
            #expect(try await store.refresh(first.refreshToken).verdict == .reissue)
            store.clock.advance(by: .seconds(11))
            let outcome = try await store.refresh(first.refreshToken)
            if case .reused = outcome { #expect(isStrict && used == 1) } else { #expect(!isStrict || used == 0) }
            #expect(try await store.count("sessions") == (isStrict && used == 1 ? 0 : 1))
        }
    }

    @Test("D6: A token two behind ends the session for everyone, and the log records it", arguments: TestDatabase.all)
    func theft(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        let second = try #require(try await store.refresh(first.refreshToken).issued)
        let third = try #require(try await store.refresh(second.refreshToken).issued)
        store.clock.advance(by: .seconds(11))
        guard case .reused = try await store.refresh(first.refreshToken) else {
            Issue.record("expected: reused")
            return
        }
        guard case .unknown = try await store.refresh(third.refreshToken) else {
            Issue.record("the thief's session goes on")
            return
        }
        let log = try await store.accounts.auditLog(.action("token_revoked"), page: PageRequest(number: 1, size: 10))
        #expect(log.total == 1)
        #expect(log.elements.first?.traits.contains(first.session.id.text) == true)
    }

    @Test("D6: Concurrent refreshes converge on one successor", arguments: TestDatabase.all)
    func sideBySide(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        let successors = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<100 {
                group.addTask { try await store.refresh(first.refreshToken).issued?.refreshToken.reveal() }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(successors.count == 1)
        #expect(!successors.contains(nil))
    }

    @Test("A banned user is refused and stays signed in", arguments: TestDatabase.all)
    func banned(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        var ban = AdminAttributes()
        ban.ban = .lasting(.seconds(60))
        _ = try await store.accounts.admin.update(first.account.user.id, ban, at: store.clock.now)
        guard case .banned = try await store.refresh(first.refreshToken) else {
            Issue.record("not banned")
            return
        }
        store.clock.advance(by: .seconds(60))
        #expect(try await store.refresh(first.refreshToken).verdict == .rotate)
    }

    @Test("A ban during the rotation takes effect, and the token works after it")
    func bannedMeanwhile() async throws {
        let end = try #require(Instant("2026-01-01T00:00:01Z"))
        let ban: SQL = "UPDATE users SET banned_until = \(SQLValue.instant(end.microseconds))"
        let store = try await StoreFixture(.sqlite) { InterferingDatabase(database: $0, between: ban) }
        let first = try await store.signedIn()
        guard case .banned = try await store.refresh(first.refreshToken) else {
            Issue.record("not banned")
            return
        }
        store.clock.advance(by: .seconds(1))
        #expect(try await store.refresh(first.refreshToken).verdict == .reissue)
    }

    @Test("A session that never stops changing is a failure that can be retried", .timeLimit(.minutes(5)))
    func restless() async throws {
        let store = try await StoreFixture(.sqlite) { InterferingDatabase(database: $0, between: nil) }
        let first = try await store.signedIn()
        let failure = await #expect(throws: DatabaseFailure.self) { try await store.refresh(first.refreshToken) }
        #expect(failure?.isPassing == true)
    }

    @Test("D5: A session without a refresh for 30 days has ended", arguments: TestDatabase.all)
    func inactivity(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        store.clock.advance(by: .seconds(30 * 86_400 + 1))
        guard case .expired = try await store.refresh(first.refreshToken) else {
            Issue.record("goes on")
            return
        }
    }

    @Test(
        "A token rotates exactly when the rules say so; otherwise the session stays unchanged",
        .timeLimit(.minutes(5)), arguments: TestDatabase.all)
    func rules(_ kind: TestDatabase) async throws {
        let (hour, moment) = (Duration.seconds(3_600), Duration.microseconds(1))
        for policy in [SessionPolicy(timebox: hour, inactivity: nil), SessionPolicy(timebox: nil, inactivity: hour)] {
            let store = try await StoreFixture(kind, policy: policy)
            let first = try await store.signedIn()
            let (began, now) = (store.clock.now, store.clock.now + hour * 2)
            let rows = [
                (began, nil), (now - hour - moment, nil), (now - hour, now), (now - hour, now + moment),
            ]
            for refreshed in [nil, began, now - hour - moment, now - hour] {
                for (created, ban) in rows {
                    var session = first.session
                    (session.counter, session.createdAt, session.refreshedAt) = (5, created, refreshed)
                    try await store.set(session, ban: ban)
                    let verdict = RefreshVerdict(counter: 5, session: session, policy: policy, now: now)
                    let mayRotate = verdict == .rotate && ban != now + moment
                    let token = RefreshToken.issue(
                        counter: 5, StoreFixture.secrets.refreshTokenKey(for: session.id))
                    let outcome = try await store.refresh(token, at: now)
                    #expect((outcome.verdict == .rotate) == mayRotate)
                    let state = mayRotate ? [6, now.microseconds] : [5, refreshed?.microseconds]
                    #expect(try await store.state() == state)
                }
            }
        }
    }

    @Test("A token of a server with another secret is unknown", arguments: TestDatabase.all)
    func forged(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        let others = ServerSecrets([(1, Array(repeating: 8, count: 32))])!
        let forged = RefreshToken.issue(counter: 0, others.refreshTokenKey(for: first.session.id))
        guard case .unknown = try await store.refresh(forged) else {
            Issue.record("accepted")
            return
        }
        #expect(try await store.refresh(first.refreshToken).verdict == .rotate)
    }

    @Test("D14: A token of an older secret is exchanged for one of the newest", arguments: TestDatabase.all)
    func newestSecret(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try #require(RefreshToken(try await store.signedIn().refreshToken))
        let secrets = ServerSecrets([(2, Array(repeating: 8, count: 32)), (1, Array(repeating: 7, count: 32))])!
        let accounts = Accounts(
            database: store.storage.database, secrets: secrets, policy: SessionPolicy(),
            randomBytes: { [UInt8](repeating: 0, count: $0) })
        for verdict in [RefreshVerdict.rotate, .reissue] {
            let outcome = try await accounts.sessions.refresh(first, from: store.device, at: store.clock.now)
            #expect(outcome.verdict == verdict)
            let successor = try #require(outcome.issued.flatMap { RefreshToken($0.refreshToken) })
            #expect((successor.secretNumber, successor.counter) == (2, 1))
            #expect(successor.genuineKey(secrets) != nil)
        }
    }

    @Test("D6: After an unknown commit, the session shows whether the rotation took effect", arguments: [true, false])
    func doubt(_ tookEffect: Bool) async throws {
        let store = try await StoreFixture(.sqlite) { DoubtfulDatabase(database: $0, tookEffect: tookEffect) }
        let first = try await store.signedIn()
        let outcome = try await store.refresh(first.refreshToken)
        #expect(outcome.verdict == (tookEffect ? .reissue : .rotate))
        #expect(outcome.issued?.session.counter == 1)
        let next = try #require(outcome.issued?.refreshToken)
        #expect(try await store.refresh(next).verdict == .rotate)
    }

    @Test("D6: A failed lookup after an unknown commit is reported as unknown")
    func lastingDoubt() async throws {
        let store = try await StoreFixture(.sqlite) {
            DoubtfulDatabase(database: $0, tookEffect: true, staysAway: true)
        }
        let first = try await store.signedIn()
        let failure = await #expect(throws: DatabaseFailure.self) { try await store.refresh(first.refreshToken) }
        #expect(failure?.reason == .unknownOutcome)
    }
}

extension StoreFixture {
    /// Gives the only session these values.
    fileprivate func set(_ session: Session, ban: Instant?) async throws {
        @Sendable func value(_ instant: Instant?) -> SQLValue { instant.map { .instant($0.microseconds) } ?? .null }
        try await storage.database.write { db in
            try db.run(
                """
                UPDATE sessions SET refresh_token_counter = \(session.counter),
                    created_at = \(value(session.createdAt)), refreshed_at = \(value(session.refreshedAt))
                """)
            try db.run("UPDATE users SET banned_until = \(value(ban))")
        }
    }

    /// Counter and time of the last refresh.
    fileprivate func state() async throws -> [Int64?] {
        try await storage.database.read { db in
            try db.row("SELECT refresh_token_counter, refreshed_at FROM sessions") { [$0.int(), $0.intIfPresent()] }
        } ?? []
    }
}

/// Passes everything except changes to another database.
private protocol ChangingDatabase: Database {
    var database: any Database { get }
}

extension ChangingDatabase {
    var dialect: Dialect { database.dialect }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await database.write(body)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        try await database.read(body)
    }
}

/// Runs a closure between a change and its read, or omits the change.
private struct InterferingDatabase: ChangingDatabase {
    let database: any Database
    /// nil omits the change.
    let between: SQL?

    func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (inout Row) throws -> Found
    ) async throws -> Changed<Found> {
        try await database.write { db in
            var count = 0
            if let between {
                count = try db.run(statement)
                try db.run(between)
            }
            return Changed(count: count, found: try db.rows(query, decode))
        }
    }
}

/// Loses its connection once, at the first change's commit.
private struct DoubtfulDatabase: ChangingDatabase {
    let database: any Database
    let tookEffect: Bool
    /// Whether the database is unreachable after that.
    let staysAway: Bool
    private let changes = Counter()

    init(database: any Database, tookEffect: Bool, staysAway: Bool = false) {
        self.database = database
        self.tookEffect = tookEffect
        self.staysAway = staysAway
    }

    func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (inout Row) throws -> Found
    ) async throws -> Changed<Found> {
        let isAway = staysAway && changes.value > 0
        changes.add()
        if isAway { throw DatabaseFailure(.unavailable, detail: "away") }
        guard changes.value == 1 else { return try await database.change(statement, thenRead: query, decode) }
        if tookEffect { _ = try await database.change(statement, thenRead: query, decode) }
        throw DatabaseFailure(.unknownOutcome, detail: "lost")
    }
}
