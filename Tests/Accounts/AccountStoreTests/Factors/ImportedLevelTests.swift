import AccountDomain
import AccountStore
import GatehouseWire
import TestDatabases
import Testing

@Suite("Levels of imported sessions")
struct ImportedLevelTests {
    private static let user = UserID(bytes: Array(repeating: 3, count: 16))
    private static let (phoneA, phoneB) = (factorID(0xA), factorID(0xB))

    private static func factorID(_ number: UInt8) -> FactorID {
        FactorID(bytes: Array(repeating: 0x40 + number, count: 16))
    }

    private static func sessionID(_ number: UInt8) -> SessionID {
        SessionID(bytes: Array(repeating: 0x50 + number, count: 16))
    }

    private func app(_ id: FactorID, _ store: StoreFixture) -> Factor {
        Factor(id: id, user: Self.user, kind: .totp, isVerified: true, name: id.text, at: store.clock.now)
    }

    /// An account with two authenticator apps.
    private func account(_ store: StoreFixture, _ sessions: [ImportedSession]) -> ImportedAccount {
        var user = User(
            id: Self.user, audience: "authenticated", role: "authenticated",
            times: UserTimes(createdAt: store.clock.now))
        user.email = "ada@example.com"
        user.times.emailConfirmedAt = store.clock.now
        user.passwordHash = Secret("$2b$04$aaaaaaaaaaaaaaaaaaaaaa")
        var account = ImportedAccount(Account(user: user, identities: []), sessions: sessions)
        account.factors = [Self.phoneA, Self.phoneB].map {
            TransferredFactor(app($0, store), .app(secret: StoreFixture.secret))
        }
        return account
    }

    private func session(
        _ number: UInt8, _ methods: [AuthenticationMethod], factor: FactorID?, _ store: StoreFixture
    ) throws -> ImportedSession {
        var entries = AuthenticationEntries(AuthenticationMethod.password.entry(at: store.clock.now))
        for method in methods { entries.add(method, at: store.clock.now) }
        var session = Session(
            id: Self.sessionID(number), user: Self.user, createdAt: store.clock.now, refreshedAt: store.clock.now,
            assuranceLevel: entries.level, authenticationMethods: entries.text)
        session.factor = factor
        let token = try #require(ImportedRefreshToken(Secret("aaaaaaaaaa1\(number)")))
        return ImportedSession(session: session, device: store.device, tokens: [(token, .current)])
    }

    private func level(_ number: UInt8, _ store: StoreFixture) async throws -> AssuranceLevel? {
        try await store.accounts.current(Self.user, session: Self.sessionID(number))?.session?.assuranceLevel
    }

    private func removeFirstApp(_ store: StoreFixture) async throws -> IssuedSession {
        let owner = try await store.raised(
            try await store.signedInAgain(Self.user), by: app(Self.phoneB, store))
        let removal = try await store.accounts.factors.removeFactor(
            Self.phoneA, of: Self.user, in: owner.session.id, from: store.device, at: store.clock.now)
        guard case .removed = removal else { throw NotEnrolled(outcome: "\(removal)") }
        return owner
    }

    @Test(
        "An imported session loses its level with the app that raised it, also if the source did not name the app",
        arguments: TestDatabase.all)
    func removed(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let sessions = [
            try session(1, [.totp], factor: Self.phoneA, store), try session(2, [.totp], factor: nil, store),
            try session(3, [.totp], factor: Self.phoneB, store),
        ]
        let outcome = try await store.accounts.transfers.add(account(store, sessions), at: store.clock.now)
        #expect(outcome.account == .added && outcome.sessions.added == 3)
        for number: UInt8 in 1...3 { #expect(try await level(number, store) == .aal2, "session \(number)") }
        let owner = try await removeFirstApp(store)
        #expect(try await level(1, store) == .aal1)
        #expect(try await level(2, store) == .aal1)
        #expect(try await level(3, store) == .aal2)
        #expect(try await store.current(owner)?.session?.assuranceLevel == .aal2)
    }

    @Test("A session raised by a factor that stays behind comes without its level", arguments: TestDatabase.all)
    func leftBehind(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let sessions = [
            try session(1, [.phoneFactor], factor: Self.factorID(1), store),
            try session(2, [.phoneFactor], factor: nil, store),
            try session(3, [.totp], factor: Self.factorID(2), store),
            try session(4, [.phoneFactor, .totp], factor: Self.phoneA, store),
        ]
        _ = try await store.accounts.transfers.add(account(store, sessions), at: store.clock.now)
        for number: UInt8 in 1...3 { #expect(try await level(number, store) == .aal1, "session \(number)") }
        let kept = try #require(try await store.accounts.current(Self.user, session: Self.sessionID(4))?.session)
        #expect(kept.assuranceLevel == .aal2 && !kept.authenticationMethods.contains("mfa/phone"))
    }

    @Test("A second run brings no session with the level of an app that was removed here", arguments: TestDatabase.all)
    func secondRun(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.accounts.transfers.add(account(store, []), at: store.clock.now)
        _ = try await removeFirstApp(store)
        let later = [
            try session(1, [.totp], factor: Self.phoneA, store), try session(2, [.totp], factor: Self.phoneB, store),
        ]
        let outcome = try await store.accounts.transfers.add(account(store, later), at: store.clock.now)
        #expect(outcome.account == .alreadyThere && outcome.sessions.added == 2)
        #expect(try await level(1, store) == .aal1)
        #expect(try await level(2, store) == .aal2)
    }

    @Test("A token from before the second factor gets none of the raised session", arguments: TestDatabase.all)
    func oldToken(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let old = try #require(ImportedRefreshToken(Secret("bbbbbbbbbbb1")))
        var raised = try session(1, [.totp], factor: Self.phoneA, store)
        var low = try session(2, [.phoneFactor], factor: nil, store)
        (raised.session.levelCounter, low.session.levelCounter) = (2, 2)
        raised.tokens.append((old, .previous))
        low.tokens.append((try #require(ImportedRefreshToken(Secret("bbbbbbbbbbb2"))), .previous))
        _ = try await store.accounts.transfers.add(account(store, [raised, low]), at: store.clock.now)
        store.clock.advance(by: .seconds(11))
        let lowAgain = try await store.accounts.transfers.refresh(
            low.tokens[1].token, from: store.device, at: store.clock.now)
        #expect(lowAgain?.issued?.session.assuranceLevel == .aal1, "its level stayed behind")
        guard case .reused = try await store.accounts.transfers.refresh(old, from: store.device, at: store.clock.now)
        else {
            Issue.record("the old token gets the level")
            return
        }
        #expect(try await level(1, store) == nil)
    }
}
