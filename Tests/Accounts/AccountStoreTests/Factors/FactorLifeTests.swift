import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("How long second factors and challenges stay")
struct FactorLifeTests {
    private func count(_ store: StoreFixture, _ statement: SQL) async throws -> Int {
        try await store.storage.database.read { db in try db.row(statement) { Int($0.int()) } ?? 0 }
    }

    private func challenges(_ store: StoreFixture) async throws -> Int {
        try await count(store, "SELECT count(*) FROM factor_challenges")
    }

    @Test(
        "A factor that nobody asked goes at the next enrolling, one that was asked after a day",
        arguments: TestDatabase.all)
    func unverified(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn()
        let silent = try await store.enrolled(ada, named: "silent")
        let asked = try await store.enrolled(ada, named: "asked")
        _ = try await store.challenged(asked, in: ada)
        store.clock.advance(by: .seconds(301))
        let eve = try await store.signedIn("eve@example.com")
        _ = try await store.enrolled(eve)
        #expect(try await store.accounts.factors.factor(silent.id, of: silent.user) == nil)
        let shown = try await store.current(ada)?.account.user.factors ?? ""
        #expect(shown.contains(asked.id.text) && !shown.contains(silent.id.text))
        #expect(try await challenges(store) == 1)
        store.clock.advance(by: .seconds(2 * 86_400))
        #expect(try await store.accounts.cleaning.purgeExpired(at: store.clock.now) > 0)
        #expect(try await challenges(store) == 0)
        #expect(try await store.current(ada)?.account.user.factors == nil)
    }

    @Test(
        "A factor whose challenge expired goes at the next enrolling once it was answered", arguments: TestDatabase.all)
    func answeredLate(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn()
        let factor = try await store.enrolled(ada)
        let challenge = try await store.challenged(factor, in: ada)
        store.clock.advance(by: .seconds(301))
        _ = try await store.verify(store.answer(factor, challenge), in: ada)
        _ = try await store.enrolled(ada, named: "next")
        #expect(try await store.accounts.factors.factor(factor.id, of: factor.user) == nil)
    }

    @Test("Verified factors stay", arguments: TestDatabase.all)
    func verified(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn()
        let factor = try await store.enrolled(ada)
        _ = try await store.raised(ada, by: factor)
        store.clock.advance(by: .seconds(400 * 86_400))
        _ = try await store.accounts.cleaning.purgeExpired(at: store.clock.now)
        #expect(try await store.accounts.factors.factor(factor.id, of: factor.user)?.isVerified == true)
    }

    @Test("A deletion removes the factors, hard or soft", arguments: TestDatabase.all)
    func deleted(_ kind: TestDatabase) async throws {
        for isSoft in [false, true] {
            let store = try await StoreFixture(kind)
            let ada = try await store.signedIn()
            let factor = try await store.enrolled(ada)
            _ = try await store.raised(ada, by: factor)
            if isSoft {
                #expect(try await store.accounts.softDelete(factor.user, at: store.clock.now))
                let user = try #require(try await store.accounts.admin.account(factor.user)).user
                #expect(user.factors == nil && !user.hasSecondFactor)
            } else {
                #expect(try await store.accounts.delete(factor.user, actor: nil, at: store.clock.now))
            }
            #expect(try await count(store, "SELECT count(*) FROM factors") == 0)
            #expect(try await challenges(store) == 0)
        }
    }

    @Test("The first proof of the address leaves a verified factor", arguments: TestDatabase.all)
    func firstProof(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let stranger = try await store.signedIn()
        let factor = try await store.enrolled(stranger)
        _ = try await store.raised(stranger, by: factor)
        let owner = try await store.provenOwner("ada@example.com")
        #expect(owner.account.user.id == factor.user)
        #expect(owner.account.user.factors != nil && owner.account.user.hasSecondFactor)
        #expect(try await store.current(owner)?.isTooLow == true)
        #expect(try await store.raised(owner, by: factor).session.assuranceLevel == .aal2)
    }

    private func importedAccount(_ store: StoreFixture, confirmed: Bool = true) -> (ImportedAccount, Factor) {
        var user = User(
            id: UserID(bytes: Array(repeating: 3, count: 16)), audience: "authenticated", role: "authenticated",
            times: UserTimes(createdAt: store.clock.now))
        user.email = "ada@example.com"
        user.passwordHash = Secret("$hash$")
        if confirmed { user.times.emailConfirmedAt = store.clock.now }
        let factor = Factor(
            id: FactorID(bytes: Array(repeating: 4, count: 16)), user: user.id, kind: .totp, isVerified: true,
            name: "phone", at: store.clock.now)
        var account = ImportedAccount(Account(user: user, identities: []))
        account.factors = [TransferredFactor(factor, .app(secret: StoreFixture.secret))]
        account.passkeys = [
            Passkey(
                id: PasskeyID(bytes: Array(repeating: 5, count: 16)), user: user.id, credentialID: [1, 2, 3],
                publicKey: [4, 5], algorithm: -7, model: Array(repeating: 0, count: 16), signCount: 0,
                isBackupEligible: true, isBackedUp: true, transports: [], attestation: "none", name: "Passkey",
                at: store.clock.now)
        ]
        return (account, factor)
    }

    @Test(
        "The first mailed code leaves imported factors alone where the operator vouches for the addresses",
        arguments: TestDatabase.all)
    func provenImport(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let (account, factor) = importedAccount(store)
        let outcome = try await store.accounts.transfers.add(account, .proveAddresses, at: store.clock.now)
        #expect(outcome.account == .added && outcome.isProven == true)
        store.tick()
        let owner = try await store.provenOwner("ada@example.com")
        #expect(owner.account.user.hasSecondFactor && owner.account.user.passwordHash != nil)
        #expect(try await store.current(owner)?.isTooLow == true)
        #expect(try await store.raised(owner, by: factor).session.assuranceLevel == .aal2)
        #expect(try await store.accounts.passkeys.all(of: factor.user).count == 1)
    }

    @Test(
        "Without that statement the first emailed code leaves imported factors, and sets passkeys aside",
        arguments: TestDatabase.all)
    func unprovenImport(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let (account, factor) = importedAccount(store)
        for isDryRun in [true, false] {
            let outcome = try await store.accounts.transfers.add(account, isDryRun: isDryRun, at: store.clock.now)
            #expect(outcome.account == .added && outcome.isProven == false)
        }
        store.tick()
        let owner = try await store.provenOwner("ada@example.com")
        #expect(owner.account.user.hasSecondFactor && owner.account.user.passwordHash == nil)
        #expect(owner.account.user.setAside.methods == ["password", "passkey"])
        #expect(try await store.accounts.passkeys.all(of: factor.user).map(\.setAsideAt) == [store.clock.now])
        #expect(try await store.raised(owner, by: factor).session.assuranceLevel == .aal2)
    }

    @Test(
        "An address that the source never confirmed is not proven, and its account with a factor is not abandoned",
        arguments: TestDatabase.all)
    func unconfirmedImport(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let (account, factor) = importedAccount(store, confirmed: false)
        #expect(try await store.accounts.transfers.add(account, .proveAddresses, at: store.clock.now).isProven == nil)
        let stored = try #require(try await store.accounts.admin.account(factor.user))
        #expect(stored.user.times.emailProvenAt == nil && !stored.isAbandoned)
    }

    @Test("An imported authenticator app works", arguments: TestDatabase.all)
    func imported(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let (account, factor) = importedAccount(store, confirmed: false)
        let user = account.account.user
        for outcome in [ImportOutcome.added, .alreadyThere] {
            #expect(try await store.accounts.transfers.add(account, at: store.clock.now).account == outcome)
        }
        let low = try await store.signedInAgain(user.id)
        #expect(try await store.current(low)?.isTooLow == true)
        #expect(try await store.raised(low, by: factor).session.assuranceLevel == .aal2)
    }

    @Test("A user with 100 factors is read like a user with one, by an index", arguments: TestDatabase.all)
    func many(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind, isNew: true, change: { $0.factorRules.mostEnrolled = 200 })
        let ada = try await store.signedIn()
        for number in 0..<100 { _ = try await store.enrolled(ada, named: "app \(number)") }
        let read = try await store.storage.statements.during { _ = try await store.current(ada) }
        #expect(read == 1)
        let factor = try await store.enrolled(ada, named: "last")
        let statements = FactorStore.factorStatements(
            user: factor.user, factor: factor.id, challenge: try await store.challenged(factor, in: ada),
            code: try #require(RecoveryCode(typed: Secret("abcdefgh"))), at: store.clock.now)
        for statement in statements {
            let plan = try await store.storage.database.read { db in try db.plan(statement) }
            #expect(!plan.isEmpty && plan.scans == [], "\(statement.text)")
        }
    }
}

extension StoreFixture {
    func provenOwner(_ address: String) async throws -> IssuedSession {
        let email = try #require(EmailAddress(address))
        let request = MailRequest(redirectTo: "", lifetime: .seconds(3_600))
        try await accounts.mails.ask(MailAsk(.signIn, .email(email), request), at: clock.now)
        let mail = try #require(
            try await accounts.mailQueue.takeMails(.codes, limit: 1, lease: .seconds(600), at: clock.now).first)
        guard case .request(let ask) = mail.content else { throw NotSignedIn() }
        let resolved = try await accounts.mails.resolve(ask, of: mail, at: clock.now)
        guard case .mail(let content) = resolved?.content, let code = content.code else { throw NotSignedIn() }
        let outcome = try await accounts.codes.verify(
            .code(code, sentTo: .email(email)), for: [.confirmation, .recovery], from: device, at: clock.now)
        guard case .signedIn(let owner, _) = outcome else { throw NotSignedIn() }
        return owner
    }
}
