import AccountDomain
import AccountStore
import GatehouseWire
import ProfileGateway
import SQLDatabase
import TestDatabases
import Testing

@Suite("Plans on large tables", .largeTables)
struct LargeTablePlanTests {
    @Test("Every daily statement of users and nodes uses an index", arguments: TestDatabase.all)
    func everything(_ kind: TestDatabase) async throws {
        let recorded = RecordedStatements()
        let store = try await StoreFixture(kind) { RecordingDatabase(database: $0, recorded: recorded) }
        try await store.liveADay()
        let gateway = Profiles(database: RecordingDatabase(database: store.storage.database, recorded: recorded))
        _ = try await gateway.profile(of: #require(AccountID("6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60")))
        try await store.countRequests(recorded)
        let statements =
            recorded.all + [Profiles.lookup(try #require(AccountID(Self.nobody)))] + Self.eventSums + Self.activitySums
        #expect(statements.count > 60)
        let large = try await LargeTables.of(kind)
        for statement in statements where !Self.adds(statement) {
            let plan = try await large.storage.database.write { db in
                // The planner's default; nodes disable sequential scans. Bulk changes are exempt: on a table of this
                // size the planner prefers a scan.
                if large.storage.database.dialect == .postgresql, !Self.changesMany(statement) {
                    try db.run("SET LOCAL enable_seqscan = on")
                }
                return try db.plan(statement)
            }
            #expect(!plan.isEmpty, "\(statement.text)")
            #expect(plan.unboundedSteps == [], "\(statement.text)\n\(plan.joined(separator: "\n"))")
        }
    }

    private static let eventSums = [nil, "a"].map { app in
        EventCounts.sums(from: Instant(seconds: 0), until: Instant(seconds: 86_400), app: app)
    }

    private static let activitySums = [ActivityCounts.Step.hour, .day].map { step in
        ActivityCounts.summing(from: Instant(seconds: 0), until: Instant(seconds: 86_400), by: step)
    }

    private static let nobody = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"

    private static func changesMany(_ statement: SQL) -> Bool {
        statement.text.hasPrefix("DELETE") && ["LIMIT", "id <= "].contains(where: statement.text.contains)
            || statement.text.contains("reason = 'expired'")
    }

    private static func adds(_ statement: SQL) -> Bool { statement.text.hasPrefix("INSERT") }

    @Test(
        "A refresh uses an index on small tables too: its plan is kept while they grow",
        .enabled("needs PostgreSQL") { TestCluster.programs != nil }, arguments: [5, 40])
    func smallTables(people: Int) async throws {
        let recorded = RecordedStatements()
        let store = try await StoreFixture(.postgres, isNew: true) {
            RecordingDatabase(database: $0, recorded: recorded)
        }
        let issued = try await store.signedIn()
        _ = try await store.refresh(issued.refreshToken)
        let shared = recorded.all.filter { $0.text.contains("{\(Clause.ofMany.rawValue)}") }
        #expect(shared.count == 2)
        try await store.fillTables(people: people)
        for statement in shared {
            let plan = try await store.storage.database.write { try $0.plan(statement) }
            #expect(plan.unboundedSteps == [], "\(statement.text)\n\(plan.joined(separator: "\n"))")
            #expect(!plan.contains { $0.contains("Materialize") })
        }
    }

    @Test("A node finds due mails one by one, also before the database has statistics", arguments: TestDatabase.all)
    func dueMails(_ kind: TestDatabase) async throws {
        let recorded = RecordedStatements()
        let store = try await StoreFixture(kind, isNew: true) { RecordingDatabase(database: $0, recorded: recorded) }
        for number in 0..<200 {
            let email = try #require(EmailAddress("person\(number)@example.com"))
            let request = MailRequest(redirectTo: "", lifetime: .seconds(600))
            try await store.accounts.mails.ask(MailAsk(.recovery, .email(email), request), at: store.clock.now)
        }
        _ = try await store.accounts.mails.endUnanswered(.codes, limit: 8, at: store.clock.now)
        _ = try await store.accounts.mailQueue.takeMails(.codes, limit: 8, lease: .seconds(60), at: store.clock.now)
        let taking = recorded.all.filter { $0.text.contains("AS earlier") }
        #expect(taking.count == 2)
        for statement in taking {
            let plan = try await store.storage.database.write { try $0.plan(statement) }
            let text = plan.joined(separator: "\n")
            let looksUp = ["Index Cond: ((place = ", "mail_outbox_by_place (place=?"].contains(where: text.contains)
            #expect(looksUp, "\(text)")
            #expect(!text.contains("Join Filter") && !text.contains("TEMP B-TREE"), "\(text)")
            #expect(!plan.contains { $0.contains("Sort Key") && $0.contains("next_at") }, "\(text)")
        }
    }

    @Test(
        "A sign-in of a user with 100 passkeys finds the one by its id, with as many statements as with one",
        arguments: TestDatabase.all)
    func passkeys(_ kind: TestDatabase) async throws {
        let recorded = RecordedStatements()
        let store = try await StoreFixture(kind, isNew: true) { RecordingDatabase(database: $0, recorded: recorded) }
        let passkey = try await store.registered(store.newPasskey([0]), of: store.signedIn())
        func statements() async throws -> Int {
            try await store.storage.statements.during { _ = try await store.signIn(with: passkey) }
        }
        _ = try await statements()
        let one = try await statements()
        let issued = try #require(try await store.signIn(with: passkey).issued)
        for number in 1..<100 {
            _ = try await store.registered(store.newPasskey([UInt8(number), 1]), of: issued, limit: 1_000)
        }
        #expect(try await statements() == one)
        let lookups = recorded.all.filter { $0.text.contains("passkeys.credential_id =") }
        #expect(!lookups.isEmpty)
        for statement in lookups {
            let plan = try await store.storage.database.write { try $0.plan(statement) }
            #expect(plan.contains { $0.contains("credential_id") && !$0.contains("Filter") }, "\(plan)")
        }
    }

    @Test(
        "A page of the account list costs the same at its end as at its beginning", arguments: TestDatabase.all)
    func pages(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind, isNew: true)
        try await store.fillTables(people: 2_000)
        var (seen, last): (Set<String>, User?) = ([], nil)
        var times: [Instant] = []
        repeat {
            var page: [Account] = []
            let statements = try await store.storage.statements.during {
                page = try await store.accounts.admin.newest(after: last, limit: 300)
            }
            #expect(statements == 1)
            seen.formUnion(page.map(\.user.id.text))
            times += page.map(\.user.times.createdAt)
            last = page.last?.user
        } while last != nil
        #expect(seen.count == 2_000 && times.count == 2_000)
        #expect(times == times.sorted(by: >))
    }

    @Test(
        "Every cascading deletion uses an index",
        .enabled("needs PostgreSQL") {
            TestCluster.programs != nil
        })
    func cascades() async throws {
        let store = try await StoreFixture(.postgres, isNew: true)
        let unindexed = try await store.storage.database.read { db in
            try db.rows(
                """
                SELECT CAST(conrelid AS regclass) || ' ' || conname FROM pg_constraint
                WHERE contype = 'f' AND connamespace = CAST(current_schema() AS regnamespace) AND NOT EXISTS (
                    SELECT 1 FROM pg_index WHERE indrelid = conrelid AND indkey[0] = conkey[1])
                """
            ) { $0.text() }
        }
        #expect(unindexed == [])
    }
}

extension StoreFixture {
    private static let verifier = Secret("a-verifier-of-more-than-forty-three-characters-0001")
    private static let key = ProofKey(challenge: "xCQLDnsvQE3aYFg46AmNN8eBcY1SOEkfclHh_2vn254", method: "s256")!

    fileprivate func liveADay() async throws {
        let ada = try await passwordPerson()
        try await browserPerson()
        try await linkingPeople(ada)
        try await mailedPerson()
        try await newDevice()
        try await passkeyPerson()
        try await housekeeping()
    }

    private func passwordPerson() async throws -> IssuedSession {
        let issued = try await signedIn()
        let user = issued.account.user.id
        let email = try #require(EmailAddress("ada@example.com"))
        let account = try #require(try await accounts.signIns.account(email: email))
        _ = try await accounts.signIns.signIn(account, from: device, at: clock.now)
        _ = try await accounts.signIns.sessionAddresses(of: .email(email))
        let hash = try #require(account.user.passwordHash)
        try await accounts.signIns.upgradeHash(hash, of: user, to: hash)
        let refreshed = try #require(try await refresh(issued.refreshToken).issued)
        _ = try await refresh(refreshed.refreshToken)
        clock.advance(by: .seconds(60))
        // Two behind: theft.
        _ = try await refresh(issued.refreshToken)
        let again = try await accounts.signIns.signIn(account, from: device, at: clock.now)
        guard case .signedIn(let current) = again else { throw NotSignedIn() }
        _ = try await accounts.current(user, session: current.session.id)
        _ = try await accounts.sessions.sessions(of: user, at: clock.now)
        _ = try await accounts.sessions.endedSessions(of: user, at: clock.now)
        _ = try await accounts.admin.overview(of: user, limit: 20, at: clock.now)
        _ = try await accounts.sessions.endReason(of: issued.session.id, of: user)
        _ = try await accounts.personalRecords.record(of: user, at: clock.now)
        var update = UserUpdate()
        update.metadata = ["x": 1]
        update.email = EmailAddress("ada2@example.com")
        update.passwordHash = Secret("$other$")
        update.checkedHash = Secret("$hash$")
        _ = try await accounts.update(user, update, keeping: current.session.id, at: clock.now)
        for scope in [SignOutScope.others, .local] {
            try await accounts.signOut(user, name: "", session: current.session.id, scope: scope, at: clock.now)
        }
        guard
            case .signedIn(let last) = try await accounts.signIns.signIn(
                #require(try await accounts.admin.account(user)), from: device, at: clock.now)
        else { throw NotSignedIn() }
        return last
    }

    private func browserPerson() async throws {
        let flow = ProviderFlow(
            provider: "google", purpose: .signIn, verifier: Secret("ours"), nonce: "n", proofKey: Self.key,
            redirectTo: "myapp://callback")
        let state = try await accounts.flows.begin(flow, browser: Secret("cookie"), at: clock.now)
        _ = try await accounts.flows.take(state: state, browser: Secret("cookie"), at: clock.now)
        let grant = ProviderGrant(refreshToken: Secret("r"), client: "c")
        let outcome = try await come(
            identity("google", "7", email: "grace@example.com", profile: ProfileFill(firstName: "Grace")),
            grant: grant, delivery: .code(Self.key, handing: nil))
        let code = try #require(outcome.session?.code)
        let redeemed = try await accounts.flows.redeem(code: code, verifier: Self.verifier, from: device, at: clock.now)
        guard case .signedIn(let issued, _) = redeemed else { throw NotSignedIn() }
        _ = try await accounts.sessions.endSession(
            issued.session.id, of: issued.account.user.id, name: "", at: clock.now)
        let notice = ProviderNotice(
            id: "1", provider: "google", subject: "7", kind: .consentRevoked, occurredAt: clock.now + .seconds(1))
        _ = try await accounts.links.apply(notice, at: clock.now + .seconds(2))
    }

    private func linkingPeople(_ ada: IssuedSession) async throws {
        let user = ada.account.user.id
        // Ada's unproven address: asked, confirmed, unlinked again.
        let question = try await asked(identity("google", "8", email: "ada2@example.com"))
        _ = try await confirm(question.ticket, by: ada)
        _ = try await accounts.links.undoableLinks(of: user, at: clock.now)
        let linked = try #require(try await accounts.admin.account(user)?.identities.last)
        _ = try await accounts.links.undoLink(linked.id, of: user, by: nil, at: clock.now)
        _ = try await link(
            identity("apple", "9", email: nil), to: ada, grant: ProviderGrant(refreshToken: Secret("a"), client: "c"))
        let apple = try #require(try await accounts.admin.account(user)?.identities.last)
        _ = try await accounts.links.unlink(apple.id, of: user, keeping: ada.session.id, at: clock.now)
        _ = try await asked(identity("apple", "9", email: "ada2@example.com"))
        _ = try await recover(try await asked(identity("keycloak", "1", email: "ada2@example.com")).ticket)
        // An unfinished sign-up, taken over by its owner.
        _ = try await signUp("later@example.com", isConfirmed: false)
        let grant = ProviderGrant(refreshToken: Secret("a"), client: "c")
        let later = try await entered(identity("apple", "10", email: "later@example.com"), grant: grant)
        _ = try await accounts.delete(later.user, actor: later.user, at: clock.now)
        let other = try await entered(identity("google", "11", email: "other@example.com"), grant: grant)
        _ = try await accounts.softDelete(other.user, at: clock.now)
    }

    private func mailedPerson() async throws {
        let issued = try await signedIn("mailed@example.com")
        let email = try #require(EmailAddress("mailed@example.com"))
        let request = MailRequest(redirectTo: "", lifetime: .seconds(600))
        try await accounts.mails.ask(MailAsk(.recovery, .email(email), request), at: clock.now)
        _ = try await accounts.mails.endUnanswered(.codes, limit: 8, at: clock.now)
        let mails = try await accounts.mailQueue.takeMails(.codes, limit: 8, lease: .seconds(60), at: clock.now)
        let mail = try #require(mails.first)
        guard case .request(let ask) = mail.content,
            let resolved = try await accounts.mails.resolve(ask, of: mail, at: clock.now),
            case .mail(let content) = resolved.content, let link = content.linkToken
        else { throw NotSignedIn() }
        for result in [MailResult.failed(reason: "r"), .sent] {
            try await accounts.mailQueue.report(result, of: resolved, chance: 0, at: clock.now)
        }
        let wrong = MailedProof.code(Secret("none"), sentTo: .email(email))
        _ = try await accounts.codes.verify(wrong, for: [.recovery], from: device, at: clock.now)
        _ = try await accounts.codes.verify(.link(link), for: [.recovery], from: device, at: clock.now)
        _ = try await accounts.mails.mailReauthentication(issued.account.user.id, request, at: clock.now)
    }

    private func newDevice() async throws {
        let account = try await signedIn("devices@example.com").account
        var noting = accounts
        noting.notices = MailNotices(kinds: [.newDevice], reportPage: "https://app.example.org/unknown-device")
        for agent in ["first/1", "second/1"] {
            _ = try await noting.signIns.signIn(account, from: Device(userAgent: agent, address: nil), at: clock.now)
        }
        let email = try #require(EmailAddress("devices@example.com"))
        _ = try await noting.mails.reportDevice(Secret("none"), email: email, from: device, at: clock.now)
    }

    private func passkeyPerson() async throws {
        let issued = try await signedIn("passkey@example.com")
        let first = try await registered(newPasskey([1]), of: issued)
        let second = try await registered(newPasskey([2]), of: issued)
        _ = try await signIn(with: first, count: 1)
        _ = try await signIn(with: first, count: 1)
        _ = try await accounts.passkeys.all(of: first.user)
        _ = try await accounts.passkeys.rename(first.id, of: first.user, to: "A", by: nil, at: clock.now)
        _ = try await accounts.passkeys.remove(first.id, of: first.user, by: nil, from: device, at: clock.now)
        _ = try await accounts.passkeys.removePasskey(
            second.id, of: second.user, byAdministratorOn: device, at: clock.now)
        let email = try #require(EmailAddress("signup@example.com"))
        let signUp = PasskeySignUp(
            passkey: newPasskey([3]), address: .mailed(email, MailRequest(redirectTo: "", lifetime: .seconds(600))),
            metadata: [:])
        _ = try await accounts.passkeys.signUp(
            signUp, answering: challenge(for: .signUp(name: "")), from: device, at: clock.now)
    }

    private func housekeeping() async throws {
        for item in try await accounts.providerCalls.takeFromOutbox(at: clock.now) {
            try await accounts.providerCalls.report(.failed, of: item, at: clock.now)
        }
        clock.advance(by: .seconds(86_400))
        for item in try await accounts.providerCalls.takeFromOutbox(at: clock.now) {
            try await accounts.providerCalls.report(.done, of: item, at: clock.now)
        }
        _ = try await accounts.cleaning.purgeExpired(at: clock.now)
        var limited = accounts
        limited.retention.auditLog = .seconds(86_400)
        _ = try await limited.cleaning.removeOutdated(at: clock.now)
        _ = try await accounts.cleaning.removeEndedSessions(at: clock.now + .seconds(100 * 86_400))
        _ = try await accounts.signIns.signUpAnonymously(metadata: [:], from: device, at: clock.now)
        _ = try await accounts.admin.newest(after: nil, limit: 50)
        _ = try await accounts.transfers.accounts(
            after: UserID(trusted: "00000000-0000-0000-0000-000000000000"), limit: 50)
        let token = try #require(ImportedRefreshToken(Secret("aaaaaaaaaaa1")))
        _ = try await accounts.transfers.refresh(token, from: device, at: clock.now)
    }

    fileprivate func countRequests(_ recorded: RecordedStatements) async throws {
        let counts = RequestCounts(database: RecordingDatabase(database: storage.database, recorded: recorded))
        let rate = try #require(RequestCounts.Rate(count: 5, window: .seconds(60), burst: 5))
        let counted = ["k", "l"].map { RequestCounts.Counted("b", key: $0, rate) }
        _ = try await counts.take("b", key: "k", rate, at: clock.now)
        try await counts.add(counted, at: clock.now)
        _ = try await counts.fullTimes(of: counted, at: clock.now)
        try await counts.forget(counted)
    }
}
