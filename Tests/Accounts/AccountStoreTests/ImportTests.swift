import AccountDomain
import AccountStore
import Crypto
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Imported accounts and sessions")
struct ImportTests {
    private static let ada = UserID("5a7e1d5c-0000-4000-8000-000000000001")!
    private static let session = SessionID("5a7e1d5c-0000-4000-8000-000000000002")!
    private static let tokens = ["aaaaaaaaaaa1", "aaaaaaaaaaa2", "aaaaaaaaaaa3"]

    private func account(_ store: StoreFixture, email: String = "ada@example.com") -> Account {
        var user = User(
            id: Self.ada, audience: "authenticated", role: "authenticated", times: UserTimes(createdAt: store.clock.now)
        )
        user.email = email
        user.userMetadata = #"{"first_name":"Ada"}"#
        return Account(user: user, identities: [])
    }

    /// The oldest token first.
    private func session(_ store: StoreFixture, tokens: [String] = tokens) throws -> ImportedSession {
        let session = Session(
            id: Self.session, user: Self.ada, createdAt: store.clock.now, refreshedAt: store.clock.now,
            authenticationMethods: "[]")
        let ages: [ImportedTokenAge] = [.older, .previous, .current].suffix(tokens.count)
        let known = try zip(tokens, ages).map { (try #require(ImportedRefreshToken(Secret($0))), $1) }
        return ImportedSession(session: session, device: store.device, tokens: known)
    }

    private func add(_ store: StoreFixture, _ sessions: [ImportedSession]?) async throws -> ImportedAccountOutcome {
        try await store.accounts.transfers.add(ImportedAccount(account(store), sessions: sessions), at: store.clock.now)
    }

    private func refresh(_ store: StoreFixture, _ token: String) async throws -> RefreshOutcome? {
        let token = try #require(ImportedRefreshToken(Secret(token)))
        return try await store.accounts.transfers.refresh(token, from: store.device, at: store.clock.now)
    }

    @Test("A token whose session is gone is unknown", arguments: TestDatabase.all)
    func named(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let text = RefreshToken.sealed([0] + Self.session.bytes, counter: 9, HMAC(key: SymmetricKey(size: .bits256)))
        guard case .unknown = try await refresh(store, text) else {
            Issue.record("taken for a token of another form")
            return
        }
        _ = try await add(store, [session(store)])
        #expect(try await refresh(store, text) == nil, "its session goes on")
        try await store.accounts.signOut(Self.ada, name: "", session: nil, scope: .global, at: store.clock.now)
        guard case .unknown = try await refresh(store, text) else {
            Issue.record("its app would never sign out")
            return
        }
    }

    @Test("The old token is exchanged for ours once; a lost response is repeated", arguments: TestDatabase.all)
    func trade(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        #expect(try await refresh(store, Self.tokens[2]) == nil)
        let outcome = try await add(store, [session(store)])
        #expect(outcome.account == .added && outcome.sessions.added == 1)
        let first = try await refresh(store, Self.tokens[2])
        #expect(first?.verdict == .rotate && first?.issued?.session.id == Self.session)
        store.clock.advance(by: .seconds(3_600))
        let again = try await refresh(store, Self.tokens[2])
        #expect(again?.verdict == .reissueLate)
        let token = try #require(first?.issued?.refreshToken)
        #expect(again?.issued?.refreshToken.reveal() == token.reveal())
        #expect(try await store.refresh(token).verdict == .rotate)
    }

    @Test("The previous token is valid while the last one is unused", arguments: TestDatabase.all)
    func previous(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        let issued = try #require(try await refresh(store, Self.tokens[1])?.issued)
        #expect(try await store.refresh(issued.refreshToken).verdict == .rotate)
    }

    @Test(
        "D6: An imported token two behind ends the session", arguments: TestDatabase.all)
    func theft(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        let first = try #require(try await refresh(store, Self.tokens[2])?.issued)
        let second = try #require(try await store.refresh(first.refreshToken).issued)
        #expect(try await refresh(store, Self.tokens[2])?.verdict == .reissue)
        store.clock.advance(by: .seconds(11))
        guard case .reused = try await refresh(store, Self.tokens[2]) else {
            Issue.record("expected: reused")
            return
        }
        guard case .unknown = try await store.refresh(second.refreshToken) else {
            Issue.record("the session goes on")
            return
        }
        #expect(try await refresh(store, Self.tokens[2]) == nil)
    }

    @Test("An old copy of a token ends the session", arguments: TestDatabase.all)
    func oldCopy(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        store.clock.advance(by: .seconds(11))
        guard case .reused = try await refresh(store, Self.tokens[0]) else {
            Issue.record("expected: reused")
            return
        }
        #expect(try await store.count("sessions") == 0)
    }

    @Test("Concurrent imported tokens converge on one successor", arguments: TestDatabase.all)
    func sideBySide(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        let successors = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<50 {
                group.addTask { try await refresh(store, Self.tokens[2])?.issued?.refreshToken.reveal() }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(successors.count == 1 && !successors.contains(nil))
    }

    @Test("The database holds no token and no plain digest of one", arguments: TestDatabase.all)
    func nothingInTheClear(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        let digests = try await store.storage.database.read { db in
            try db.rows("SELECT digest FROM imported_refresh_tokens") { $0.bytes() }
        }
        #expect(digests.count == 3)
        let key = ServerSecrets([(1, Array(repeating: 8, count: 32))])
        let others = Accounts(database: store.storage.database, secrets: try #require(key)) { _ in [] }
        let token = try #require(ImportedRefreshToken(Secret(Self.tokens[2])))
        // The digests' key needs the same secret, not only its number.
        await #expect(throws: (any Error).self) {
            _ = try await others.transfers.refresh(token, from: store.device, at: store.clock.now)
        }
    }

    @Test("Neither a refresh nor the end of a session scans a table", arguments: TestDatabase.all)
    func plans(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind, isNew: true)
        let statements: [SQL] = [
            TransferStore.importedTokenLookup([1, 2, 3]),
            "DELETE FROM imported_refresh_tokens WHERE session_id = \(Self.session.text)",
            "SELECT id FROM imported_sessions WHERE user_id = \(Self.ada.text)",
        ]
        for statement in statements {
            let plan = try await store.storage.database.write { db in try db.plan(statement) }
            #expect(!plan.isEmpty && plan.scans.isEmpty, "\(plan)")
        }
    }

    @Test("A refresh takes two statements with our tokens and four with an imported one", arguments: TestDatabase.all)
    func cost(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        let old = try await store.storage.statements.during { _ = try await refresh(store, Self.tokens[2]) }
        #expect(old == 4)
        let token = try #require(try await refresh(store, Self.tokens[2])?.issued?.refreshToken)
        let ours = try await store.storage.statements.during { _ = try await store.refresh(token) }
        #expect(ours == 2)
    }

    @Test("A dry run reports the same and changes nothing", arguments: TestDatabase.all)
    func rehearsal(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let imported = ImportedAccount(account(store), sessions: [try session(store)])
        let told = try await store.accounts.transfers.add(imported, isDryRun: true, at: store.clock.now)
        for table in ["users", "sessions", "profiles"] { #expect(try await store.count(table) == 0) }
        #expect(try await store.accounts.transfers.add(imported, at: store.clock.now) == told)
    }

    @Test("A second run updates sessions unused here and keeps the others", arguments: TestDatabase.all)
    func secondRun(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        #expect(try await add(store, [session(store)]).sessions.alreadyThere == 1)
        let moved = ["aaaaaaaaaaa2", "aaaaaaaaaaa3", "aaaaaaaaaaa4"]
        #expect(try await add(store, [session(store, tokens: moved)]).sessions.renewed == 1)
        #expect(try await refresh(store, "aaaaaaaaaaa4")?.verdict == .rotate)
        #expect(try await add(store, [session(store, tokens: ["aaaaaaaaaaa5"])]).sessions.parted == 1)
        #expect(try await add(store, []).sessions.endedThere == 0)
        #expect(try await add(store, nil).sessions == ImportedSessionCounts())
        #expect(try await store.accounts.sessions.endSession(Self.session, of: Self.ada, name: "", at: store.clock.now))
        #expect(try await add(store, [session(store)]).sessions.endedHere == 1)
        #expect(try await store.count("sessions") == 0)
    }

    @Test("A second run brings nothing back of an account that was erased here", arguments: TestDatabase.all)
    func erased(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        #expect(try await store.accounts.softDelete(Self.ada, at: store.clock.now))
        let outcome = try await add(store, [session(store)])
        #expect(outcome.account == .alreadyThere && outcome.sessions == ImportedSessionCounts() && !outcome.hasChanged)
        #expect(try await store.count("sessions") == 0)
        #expect(try await refresh(store, Self.tokens[2]) == nil)
    }

    @Test("A session that an erased account still has gives no token", arguments: TestDatabase.all)
    func erasedWithSession(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        let now = SQLValue.instant(store.clock.now.microseconds)
        try await store.storage.database.write { db in _ = try db.run("UPDATE users SET deleted_at = \(now)") }
        guard case .unknown = try await refresh(store, Self.tokens[2]) else {
            Issue.record("the token of an erased account")
            return
        }
    }

    @Test("The list of accounts begins with the last moment of the year 9999", arguments: TestDatabase.all)
    func farFuture(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        var late = account(store)
        late.user.times = UserTimes(createdAt: Instant(microseconds: 253_402_300_799_999_999))
        _ = try await store.accounts.transfers.add(ImportedAccount(late), at: store.clock.now)
        #expect(try await store.accounts.admin.newest(after: nil, limit: 10).map(\.user.id) == [Self.ada])
    }

    @Test("A session that ended at the source and is unused here ends", arguments: TestDatabase.all)
    func endedThere(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, [session(store)])
        store.clock.advance(by: .seconds(1))
        #expect(try await add(store, []).sessions.endedThere == 1)
        #expect(try await store.accounts.sessions.revocations(since: store.clock.now).map(\.id) == [Self.session.text])
        #expect(try await refresh(store, Self.tokens[2]) == nil)
    }

    @Test("An account that changed at the source is reported and stays", arguments: TestDatabase.all)
    func changed(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await add(store, nil)
        var newer = account(store, email: "countess@example.com")
        newer.user.times.updatedAt = store.clock.now + .seconds(1)
        let outcome = try await store.accounts.transfers.add(ImportedAccount(newer), at: store.clock.now)
        #expect(outcome.account == .alreadyThere && outcome.hasChanged)
        #expect(try await store.text("SELECT email FROM users") == "ada@example.com")
    }

    @Test(
        "C5: A profile row overrides the account's metadata; missing values stay", arguments: TestDatabase.all)
    func profile(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        var profile = ImportedProfile()
        profile.name = "Ada L."
        profile.favoriteTeams = #"["nba_1610612744"]"#
        profile.data = #"{"mood":"calm"}"#
        profile.isPremium = true
        profile.createdAt = Instant(seconds: 1_700_000_000)
        let imported = ImportedAccount(account(store), profile: profile)
        _ = try await store.accounts.transfers.add(imported, at: store.clock.now)
        let rows = try await store.accounts.transfers.profileRows(after: nil, limit: 10)
        let row = try JSONReader.read(try #require(rows.first).text)
        #expect(row["first_name"] == "Ada" && row["name"] == "Ada L." && row["is_premium"] == true)
        #expect(row["favorite_teams"] == ["nba_1610612744"] && row["data"] == ["mood": "calm"])
        #expect(row["created_at"]?.stringValue?.hasPrefix("2023-11-14T22:13:20") == true)
        #expect(try await store.accounts.transfers.profileRows(after: Self.ada, limit: 10).isEmpty)
    }

    @Test(
        "Malformed text costs no database lookup",
        arguments: [
            "", "aaaaaaaaaaa", "aaaaaaaaaa 1", String(repeating: "A", count: 52), String(repeating: "a", count: 500),
        ])
    func form(_ text: String) { #expect(ImportedRefreshToken(Secret(text)) == nil) }
}
