import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Second factors and passkeys from one server to another")
struct TransferTests {
    @Test("All of them work in an empty database, under its own server secret", arguments: TestDatabase.all)
    func roundTrip(_ kind: TestDatabase) async throws {
        let (source, issued, app) = try await StoreFixture.withApp(kind)
        let raised = try await source.raised(issued, by: app)
        let codes = RecoveryCode.set(RecoveryCodeRules(), randomBytes: source.accounts.randomBytes)
        let set = try await source.accounts.recoveryCodes.makeRecoverySet(
            named: "codes", codes.map { HashedRecoveryCode($0, hash: Secret("$hash of \($0.selector)$")) },
            of: app.user, in: raised.session.id, from: source.device, at: source.clock.now)
        let passkey = try await source.registered(source.newPasskey(signCount: 4), of: raised)
        let key = try await source.securityKey(of: app.user)
        _ = try await source.enrolled(raised, named: "never verified")
        _ = try await source.signedIn("grace@example.com")

        let exported = try await source.accounts.transfers.exportedAccounts(after: nil, limit: 10)
        #expect(exported.map { $0.factors.count + $0.passkeys.count }.sorted() == [0, 4])
        let ada = try #require(exported.first { $0.account.user.id == app.user })
        var account = ImportedAccount(ada.account)
        (account.factors, account.passkeys) = (ada.factors, ada.passkeys)
        let target = try await source.another(kind)
        let others = target.accounts
        #expect(try await others.transfers.add(account, at: target.clock.now).account == .added)

        let kept = try await others.factors.all(of: app.user)
        #expect(Set<FactorID>(kept.map(\.id)) == [app.id, set.id, key] && kept.allSatisfy(\.isVerified))
        let session = try await target.signedInAgain(app.user)
        guard
            case .raised = try await target.verify(
                target.answer(app, try await target.challenged(app, in: session)), in: session)
        else { throw NotEnrolled(outcome: "the code of the app fails") }
        guard
            case .found(set.id, let hash?) = try await others.recoveryCodes.recoveryLookup(
                codes[0], of: app.user, at: target.clock.now)
        else { throw NotEnrolled(outcome: "no hash of the code") }
        #expect(hash.matches(Secret("$hash of \(codes[0].selector)$")))
        let restored = try #require(try await others.factors.securityKeys(of: app.user).first)
        #expect(restored.factor.id == key && restored.credentialID == [7, 7] && restored.signCount == 3)
        #expect(restored.transports == ["usb"] && restored.isBackupEligible)
        #expect(restored.factor.authenticatorModel == "00000000-0000-0000-0000-000000000007")
        #expect(try await others.passkeys.all(of: app.user).map(\.id) == [passkey.id])
        #expect(try await target.signIn(with: passkey, count: 5).issued != nil)
    }

    @Test("An account that came before with less stays as it is, and the outcome says so", arguments: TestDatabase.all)
    func earlier(_ kind: TestDatabase) async throws {
        let (source, issued, app) = try await StoreFixture.withApp(kind)
        let raised = try await source.raised(issued, by: app)
        _ = try await source.registered(source.newPasskey(signCount: 4), of: raised)
        let exported = try #require(try await source.accounts.transfers.exportedAccounts(after: nil, limit: 10).first)
        let target = try await source.another(kind)
        var account = ImportedAccount(exported.account)
        func add() async throws -> ImportedAccountOutcome {
            try await target.accounts.transfers.add(account, at: target.clock.now)
        }
        #expect(try await add().account == .added)
        var again = try await add()
        #expect(again.account == .alreadyThere && !again.lacksFactors)
        account.passkeys = exported.passkeys
        again = try await add()
        #expect(again.account == .alreadyThere && again.lacksFactors)
        (account.passkeys, account.factors) = ([], exported.factors)
        #expect(try await add().lacksFactors)
        #expect(try await target.accounts.softDelete(app.user, at: target.clock.now))
        #expect(try await !add().lacksFactors, "nothing may come back of an erased account")
        #expect(try await target.accounts.factors.all(of: app.user).isEmpty)
    }

    @Test("A secret that does not open is counted and named, and the rest is exported", arguments: TestDatabase.all)
    func unopened(_ kind: TestDatabase) async throws {
        let (store, issued, app) = try await StoreFixture.withApp(kind)
        _ = try await store.raised(issued, by: app)
        _ = try await store.securityKey(of: app.user)
        var counts = try await store.accounts.transfers.transferCounts()
        #expect(counts.byKind == [.totp: 1, .webAuthn: 1, .passkeys: 0] && counts.unopened.isEmpty)
        let later = Accounts(
            database: store.storage.database, secrets: ServerSecrets([(2, Array(repeating: 9, count: 32))])!,
            randomBytes: store.accounts.randomBytes)
        counts = try await later.transfers.transferCounts()
        #expect(counts.byKind == [.unreadableTOTP: 1, .webAuthn: 1, .passkeys: 0])
        #expect(counts.unopened.map(\.factor) == [app.id] && counts.unopened.map(\.user) == [app.user])
        let exported = try await later.transfers.exportedAccounts(after: nil, limit: 10)
        #expect(exported.first?.factors.map(\.content.kind) == [.unreadableTOTP, .webAuthn])
    }

    @Test("Pages have each account once, with its own factors", arguments: TestDatabase.all)
    func pages(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        var users: Set<UserID> = []
        for number in 0..<5 {
            let issued = try await store.signedIn("user\(number)@example.com")
            _ = try await store.securityKey(of: issued.account.user.id, number: UInt8(number))
            users.insert(issued.account.user.id)
        }
        var (seen, last): ([ExportedAccount], UserID?) = ([], nil)
        while case let page = try await store.accounts.transfers.exportedAccounts(after: last, limit: 2),
            let end = page.last
        {
            seen += page
            last = end.account.user.id
        }
        #expect(Set<UserID>(seen.map(\.account.user.id)) == users && seen.count == 5)
        #expect(seen.allSatisfy { $0.factors.map(\.factor.user) == [$0.account.user.id] })
    }
}

extension StoreFixture {
    /// A server with another secret, a minute later.
    fileprivate func another(_ kind: TestDatabase) async throws -> StoreFixture {
        var target = try await StoreFixture(kind)
        target.accounts = Accounts(
            database: target.storage.database, secrets: ServerSecrets([(9, Array(repeating: 9, count: 32))])!,
            randomBytes: target.accounts.randomBytes)
        target.clock.advance(by: clock.uptime + .seconds(60))
        return target
    }

    fileprivate func securityKey(of user: UserID, number: UInt8 = 7) async throws -> FactorID {
        let id = FactorID(bytes: Array(repeating: 0x80 + number, count: 16))
        let (credential, key, now) = ([number, number], [UInt8](repeating: 1, count: 3), clock.now.microseconds)
        _ = try await storage.database.write { db in
            try db.run(
                """
                INSERT INTO factors (id, user_id, kind, is_verified, name, created_at, updated_at, credential_id,
                    public_key, sign_count, aaguid, transports, is_backup_eligible, is_backed_up)
                VALUES (\(id.text), \(user.text), 'webauthn', 1, 'key', \(SQLValue.instant(now)),
                    \(SQLValue.instant(now)), \(credential), \(key), 3, '00000000-0000-0000-0000-000000000007',
                    '["usb"]', 1, 0)
                """)
        }
        return id
    }
}
