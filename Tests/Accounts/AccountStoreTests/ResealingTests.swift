import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Sealing anew")
struct ResealingTests {
    private static let old: (UInt8, [UInt8]) = (1, Array(repeating: 7, count: 32))
    private static let new: (UInt8, [UInt8]) = (2, Array(repeating: 8, count: 32))

    @Test("Everything sealed opens with the new secret alone afterwards", arguments: TestDatabase.all)
    func everything(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let (issued, factor) = try await store.fillEverySealedColumn()
        let both = try store.accounts(Self.new, Self.old)
        for kind in SealedKind.allCases {
            let before = try await both.resealing.sealedCounts(of: kind)
            #expect(before.older > 0 && before.current + before.unopened == 0, "\(kind)")
            #expect(try await both.resealing.reseal(kind) == before.older, "\(kind)")
            #expect(try await both.resealing.reseal(kind) == 0, "\(kind)")
            let after = try await store.accounts(Self.new).resealing.sealedCounts(of: kind)
            #expect(after.current == before.older && after.unopened == 0, "\(kind)")
        }
        var later = store
        later.accounts = try store.accounts(Self.new)
        let answer = later.answer(factor, try await later.challenged(factor, in: issued))
        guard case .raised = try await later.verify(answer, in: issued) else {
            Issue.record("the code of the app fails")
            return
        }
        let keys = SigningKeys(
            database: store.storage.database, secrets: later.accounts.secrets, randomBytes: store.accounts.randomBytes)
        #expect(try await keys.all().map { $0.privateKey.reveal() } == ["private one"])
    }

    @Test("Every sealed column of the schema is one of the kinds")
    func columns() async throws {
        let recorded = RecordedStatements()
        let store = try await StoreFixture(.sqlite) { RecordingDatabase(database: $0, recorded: recorded) }
        for kind in SealedKind.allCases { _ = try await store.accounts.resealing.sealedCounts(of: kind) }
        let read = recorded.all.map(\.text)
        let columns = try await store.storage.database.rows(
            """
            SELECT tables.name, columns.name FROM sqlite_master AS tables
            JOIN pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' AND (columns.name LIKE '%sealed%' OR columns.name LIKE '%private%')
                AND columns.name <> 'sealed_name'
            """
        ) { row in (table: row.text(), column: row.text()) }
        #expect(columns.count == SealedKind.allCases.count)
        for (table, column) in columns {
            #expect(
                read.contains { $0.contains(", \(column)") && $0.contains("FROM \(table)\n") }, "\(table).\(column)")
        }
    }

    @Test("A run after an interruption seals the rest", arguments: TestDatabase.all)
    func interrupted(_ kind: TestDatabase) async throws {
        let (store, issued, _) = try await StoreFixture.withApp(kind)
        for name in ["second", "third"] { _ = try await store.enrolled(issued, named: name) }
        let both = try store.accounts(Self.new, Self.old)
        let batch = try await both.resealing.reseal(.authenticatorApp, after: nil, limit: 2)
        #expect(batch.resealed == 2 && batch.last != nil)
        #expect(try await both.resealing.sealedCounts(of: .authenticatorApp).older == 1)
        #expect(try await both.resealing.reseal(.authenticatorApp, after: batch.last, limit: 2).resealed == 1)
        #expect(try await both.resealing.reseal(.authenticatorApp) == 0)
        #expect(try await both.resealing.sealedCounts(of: .authenticatorApp).current == 3)
    }

    @Test("A value that a server changes meanwhile stays as the server wrote it", arguments: TestDatabase.all)
    func changedMeanwhile(_ kind: TestDatabase) async throws {
        let (store, _, _) = try await StoreFixture.withApp(kind)
        let written = Array(repeating: UInt8(5), count: 40)
        let database = OvertakenDatabase(
            database: store.storage.database, change: "UPDATE factors SET sealed_secret = \(written)")
        let both = try store.accounts(Self.new, Self.old, on: database)
        #expect(try await both.resealing.reseal(.authenticatorApp) == 0)
        let kept = try await store.storage.database.row("SELECT sealed_secret FROM factors") { $0.bytes() }
        #expect(kept == written)
    }

    @Test("What does not open is counted, named and left", arguments: TestDatabase.all)
    func unopened(_ kind: TestDatabase) async throws {
        let (store, _, factor) = try await StoreFixture.withApp(kind)
        for (secrets, missing) in [([Self.new], UInt8(1)), ([(1, Self.new.1)], nil)] as [([(UInt8, [UInt8])], UInt8?)] {
            let accounts = try store.accounts(secrets)
            #expect(try await accounts.resealing.reseal(.authenticatorApp) == 0)
            let counts = try await accounts.resealing.sealedCounts(of: .authenticatorApp)
            #expect(counts.unopened == 1 && counts.total == 1)
            #expect(counts.examples.map(\.key) == [factor.id.text])
            #expect(counts.examples.map(\.missingSecret) == [missing])
        }
        #expect(try await store.accounts.resealing.sealedCounts(of: .authenticatorApp).current == 1)
    }
}

extension StoreFixture {
    fileprivate func accounts(_ secrets: (UInt8, [UInt8])..., on database: (any Database)? = nil) throws -> Accounts {
        try accounts(secrets, on: database)
    }

    fileprivate func accounts(_ secrets: [(UInt8, [UInt8])], on database: (any Database)? = nil) throws -> Accounts {
        Accounts(
            database: database ?? storage.database,
            secrets: try #require(ServerSecrets(secrets.map { (number: $0.0, bytes: $0.1) })),
            randomBytes: accounts.randomBytes)
    }

    /// - Returns: A session, and its user's unverified factor.
    fileprivate func fillEverySealedColumn() async throws -> (IssuedSession, Factor) {
        let issued = try await signedIn()
        let factor = try await enrolled(issued)
        let keys = SigningKeys(
            database: storage.database, secrets: accounts.secrets, randomBytes: accounts.randomBytes)
        _ = try await keys.ensure(SigningKeysTests.key("one", at: 10))
        let grant = ProviderGrant(refreshToken: Secret("refresh"), client: "org.example.app")
        _ = try await entered(identity("apple", "2", email: "grace@example.com"), grant: grant)
        let gone = try await entered(identity("apple", "3", email: "gone@example.com"), grant: grant).user
        _ = try await accounts.delete(gone, actor: gone, at: clock.now)
        let other = Account(
            user: User(
                id: UserID("5a7e1d5c-0000-4000-8000-000000000001")!, audience: "authenticated", role: "authenticated",
                times: UserTimes(createdAt: clock.now)),
            identities: [])
        _ = try await accounts.transfers.add(ImportedAccount(other, sessions: []), at: clock.now)
        let key = ProofKey(challenge: "xCQLDnsvQE3aYFg46AmNN8eBcY1SOEkfclHh_2vn254", method: "s256")!
        let flow = ProviderFlow(
            provider: "google", purpose: .signIn, verifier: Secret("ours"), nonce: "nonce", proofKey: key,
            redirectTo: "myapp://callback")
        _ = try await accounts.flows.begin(flow, browser: Secret("cookie"), at: clock.now)
        _ = try await come(
            identity("google", "4", email: "code@example.com"),
            delivery: .code(key, handing: ProviderHandout(accessToken: Secret("access"), refreshToken: nil)))
        _ = try await asked(identity())
        for hash in ["$hash$", "$another hash$"] {
            var signUp = SignUpRequest(
                email: EmailAddress("new@example.com")!, passwordHash: Secret(hash), metadata: [:], isConfirmed: false)
            signUp.mail = MailRequest(redirectTo: "https://app.example.org", lifetime: .seconds(3_600))
            _ = try await accounts.signIns.signUp(signUp, from: device, at: clock.now)
        }
        let endpoint = WebhookEndpoint(
            name: "app", url: "https://app.example.org", secrets: [], kinds: Set(AccountEventKind.allCases))
        let told = SignUpRequest(
            email: EmailAddress("told@example.com")!, passwordHash: Secret("$hash$"), metadata: [:], isConfirmed: true)
        _ = try await accounts.telling([endpoint]).signIns.signUp(told, from: device, at: clock.now)
        return (issued, factor)
    }
}

/// Changes rows before each transaction of a queue.
private struct OvertakenDatabase: Database {
    let database: any Database
    let change: SQL

    var dialect: Dialect { database.dialect }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        try await database.read(body)
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        try await database.write(body)
    }

    func writeCommitted<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        _ = try await database.write { [change] db in try db.run(change) }
        return try await database.writeCommitted(body)
    }
}
