import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Outbox of mails")
struct MailOutboxTests {
    private static let request = MailRequest(redirectTo: "https://app.example.org", lifetime: .seconds(3_600))

    private static let lease = MailSchedule.lease(attempt: .seconds(120))

    /// A store with confirmed accounts.
    private func store(_ kind: TestDatabase, _ emails: String...) async throws -> StoreFixture {
        let store = try await StoreFixture(kind)
        for email in emails { _ = try await store.signedIn(email) }
        return store
    }

    private func ask(
        _ store: StoreFixture, _ purpose: MailAsk.Purpose = .recovery, _ email: String = "ada@example.com"
    ) async throws {
        try await store.accounts.mails.ask(
            MailAsk(purpose, .email(EmailAddress(email)!), Self.request), at: store.clock.now)
    }

    private func take(_ store: StoreFixture, _ limit: Int = 10) async throws -> [ClaimedMail] {
        try await store.accounts.mailQueue.takeMails(.codes, limit: limit, lease: Self.lease, at: store.clock.now)
    }

    private func resolved(_ mail: ClaimedMail, _ store: StoreFixture) async throws -> ClaimedMail? {
        guard case .request(let ask) = mail.content else { return mail }
        return try await store.accounts.mails.resolve(ask, of: mail, at: store.clock.now)
    }

    private func content(_ mail: ClaimedMail?) throws -> MailContent {
        guard case .mail(let content) = try #require(mail).content else { throw NotAMail() }
        return content
    }

    private struct NotAMail: Error {}

    private func report(_ result: MailResult, _ mail: ClaimedMail, _ store: StoreFixture) async throws {
        try await store.accounts.mailQueue.report(result, of: mail, chance: 0.5, at: store.clock.now)
    }

    @Test(
        "A node that dies after any step loses no mail, and every attempt has the same code",
        arguments: TestDatabase.all)
    func crashes(_ kind: TestDatabase) async throws {
        let store = try await store(kind, "ada@example.com")
        try await ask(store)
        var codes: Set<String> = []
        var ids: Set<String> = []
        for attempt in 1...3 {
            let taken = try #require(try await take(store).first)
            #expect(try await take(store).isEmpty)
            #expect(taken.attempt == attempt)
            ids.insert(taken.messageID)
            // First the node dies before it knows what to send.
            if attempt > 1 { codes.insert(try content(try await resolved(taken, store)).code?.reveal() ?? "") }
            store.clock.advance(by: Self.lease)
        }
        let last = try #require(try await take(store).first)
        #expect(codes == [try content(last).code?.reveal() ?? ""] && ids == [last.messageID])
        try await report(.sent, last, store)
        store.clock.advance(by: Self.lease)
        #expect(try await take(store).isEmpty)
        #expect(try await store.text("SELECT sealed IS NULL FROM mail_outbox WHERE state = 'sent'") != nil)
        #expect(try await store.accounts.mailQueue.mails(limit: 9).map(\.state) == ["sent"])
    }

    @Test("Among concurrent nodes, one gets each mail", arguments: TestDatabase.all)
    func race(_ kind: TestDatabase) async throws {
        let store = try await store(kind)
        for number in 0..<6 { try await ask(store, .recovery, "person\(number)@example.com") }
        let taken = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<12 { group.addTask { try await take(store, 2).map(\.messageID) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(taken.count == Set(taken).count)
        #expect(taken.count + (try await take(store).count) == 6)
    }

    @Test("A lost lease reports nothing", arguments: TestDatabase.all)
    func lostLease(_ kind: TestDatabase) async throws {
        let store = try await store(kind, "ada@example.com")
        try await ask(store)
        let slow = try #require(try await take(store).first)
        store.clock.advance(by: Self.lease)
        let other = try #require(try await take(store).first)
        try await report(.sent, slow, store)
        #expect(try await resolved(slow, store) == nil)
        #expect(try await store.accounts.mailQueue.mailBacklog().count == 1)
        #expect(try await resolved(other, store) != nil)
    }

    @Test("Failed attempts are repeated until the code expires", arguments: TestDatabase.all)
    func backoff(_ kind: TestDatabase) async throws {
        let store = try await store(kind, "ada@example.com")
        try await ask(store)
        var attempts = 0
        for _ in 0..<10_000 where try await store.accounts.mailQueue.mailBacklog().count > 0 {
            if let mail = try await take(store).first, let mail = try await resolved(mail, store) {
                attempts += 1
                try await report(.failed(reason: "the server answered 451"), mail, store)
            }
            store.clock.advance(by: .seconds(5))
        }
        #expect((8...20).contains(attempts))
        let status = try #require(try await store.accounts.mailQueue.mails(limit: 9).first)
        #expect(status.state == "failed" && status.reason == "the server answered 451")
    }

    @Test("Mails to one address keep their order, and no other address waits", arguments: TestDatabase.all)
    func order(_ kind: TestDatabase) async throws {
        let store = try await store(kind, "ada@example.com", "bob@example.com")
        try await ask(store, .recovery)
        store.clock.advance(by: .seconds(1))
        try await ask(store, .signUp)
        try await ask(store, .recovery, "bob@example.com")
        let first = try await take(store)
        #expect(first.count == 2)
        for mail in first {
            guard let mail = try await resolved(mail, store) else { continue }
            try await report(.sent, mail, store)
        }
        #expect(try await take(store).count == 1)
    }

    @Test("A newer mail of a kind replaces the one that waits; unknown addresses get none", arguments: TestDatabase.all)
    func replaced(_ kind: TestDatabase) async throws {
        let store = try await store(kind, "ada@example.com")
        try await ask(store)
        store.clock.advance(by: .seconds(61))
        try await ask(store)
        try await ask(store, .recovery, "nobody@example.com")
        var sent = 0
        for mail in try await take(store) where try await resolved(mail, store) != nil { sent += 1 }
        #expect(sent == 1)
        let reasons = Set(try await store.accounts.mailQueue.mails(limit: 9).compactMap(\.reason))
        #expect(reasons == ["superseded", "no account waits for it"])
    }

    @Test("Requests for unknown addresses end without an attempt; all others are left", arguments: TestDatabase.all)
    func unanswered(_ kind: TestDatabase) async throws {
        let store = try await store(kind, "ada@example.com", "bob@example.com")
        try await ask(store, .recovery, "bob@example.com")
        #expect(try await take(store).count == 1)
        store.clock.advance(by: .seconds(1))
        for number in 0..<3 { try await ask(store, .recovery, "nobody\(number)@example.com") }
        try await ask(store)
        var creating = MailAsk(.signIn, .email(EmailAddress("new@example.com")!), Self.request)
        creating.createsAccount = true
        try await store.accounts.mails.ask(creating, at: store.clock.now)
        let first = try await store.accounts.mails.endUnanswered(.codes, limit: 2, at: store.clock.now)
        #expect(first.ended <= 2 && first.ended + first.left == 2)
        let second = try await store.accounts.mails.endUnanswered(.codes, limit: 10, at: store.clock.now)
        #expect(first.ended + second.ended == 3 && second.left == 2)
        let ended = try await store.accounts.mailQueue.mails(limit: 9).filter { $0.state == "failed" }
        #expect(ended.map(\.attempts) == [0, 0, 0])
        #expect(Set(ended.map(\.reason)) == ["no account waits for it"])
        let kept = try await store.storage.database.rows("SELECT id FROM mail_outbox WHERE sealed IS NOT NULL") {
            $0.text()
        }
        #expect(kept.count == 3)
        #expect(try await take(store).count == 2)
        // Leased: only the leasing node decides.
        let third = try await store.accounts.mails.endUnanswered(.codes, limit: 10, at: store.clock.now)
        #expect(third.ended == 0 && third.left == 0)
    }

    @Test("An account that was made after the request gets the mail", arguments: TestDatabase.all)
    func madeSince(_ kind: TestDatabase) async throws {
        let store = try await store(kind)
        try await ask(store)
        _ = try await store.signedIn("ada@example.com")
        #expect(try await store.accounts.mails.endUnanswered(.codes, limit: 10, at: store.clock.now).ended == 0)
        let mail = try #require(try await take(store).first)
        #expect(try await resolved(mail, store) != nil)
    }

    @Test("Nodes that end requests at once end each of them once", arguments: TestDatabase.all)
    func endedOnce(_ kind: TestDatabase) async throws {
        let store = try await store(kind)
        for number in 0..<12 { try await ask(store, .recovery, "nobody\(number)@example.com") }
        let now = store.clock.now
        let ended = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
                group.addTask { try await store.accounts.mails.endUnanswered(.codes, limit: 12, at: now).ended }
            }
            return try await group.reduce(0, +)
        }
        #expect(ended == 12)
    }

    @Test("A mail without its secret waits; an operator retries or drops", arguments: TestDatabase.all)
    func operators(_ kind: TestDatabase) async throws {
        let store = try await store(kind, "ada@example.com")
        try await ask(store)
        let mail = try #require(try await take(store).first)
        #expect(try await store.accounts.mailQueue.retryMails(nil, at: store.clock.now) == 0)
        try await report(.failed(reason: "no connection"), mail, store)
        #expect(try await take(store).isEmpty)
        #expect(try await store.accounts.mailQueue.retryMails(mail.messageID, at: store.clock.now) == 1)
        let randomness = TestRandomness()
        let later = Accounts(
            database: store.storage.database, secrets: ServerSecrets([(2, Array(repeating: 9, count: 32))])!,
            randomBytes: { randomness.bytes($0) })
        let again = try await later.mailQueue.takeMails(.codes, limit: 9, lease: Self.lease, at: store.clock.now)
        let unreadable = try #require(again.first)
        guard case .unreadable = unreadable.content else { throw NotAMail() }
        #expect(try await store.accounts.mailQueue.dropMails(nil, at: store.clock.now) == 1)
        #expect(try await store.accounts.mailQueue.mails(limit: 9).first?.reason == "dropped")
        store.clock.advance(by: .seconds(7 * 86_400))
        #expect(try await store.accounts.cleaning.removeOutdated(at: store.clock.now) == 0)
        store.clock.advance(by: .microseconds(1))
        #expect(try await store.accounts.cleaning.removeOutdated(at: store.clock.now) > 0)
        #expect(try await store.accounts.mailQueue.mails(limit: 9).isEmpty)
    }

    @Test("A mail that is not sent ends when it expires, and its text is erased", arguments: TestDatabase.all)
    func expired(_ kind: TestDatabase) async throws {
        let store = try await store(kind, "ada@example.com")
        try await ask(store)
        #expect(try await store.accounts.cleaning.purgeExpired(at: store.clock.now) == 0)
        store.clock.advance(by: .seconds(3_600))
        #expect(try await store.accounts.cleaning.purgeExpired(at: store.clock.now) == 1)
        #expect(try await store.accounts.mailQueue.mails(limit: 9).first?.reason == "expired")
        #expect(try await store.text("SELECT reason FROM mail_outbox WHERE sealed IS NULL") == "expired")
    }

    @Test("Another account's change to an address leaves its owner's mail", arguments: TestDatabase.all)
    func othersChange(_ kind: TestDatabase) async throws {
        let store = try await store(kind)
        for email in ["ada@example.com", "bob@example.com"] {
            let user = try await store.signedIn(email).account.user.id
            var update = UserUpdate()
            update.emailChange = EmailChange(
                email: EmailAddress("new@example.com")!, mail: Self.request, asksBoth: false)
            _ = try await store.accounts.update(user, update, keeping: nil, at: store.clock.now)
        }
        #expect(try await store.accounts.mailQueue.mailBacklog().count == 2)
    }

    @Test("The second mail of a repeated change waits for no mail to the new address", arguments: TestDatabase.all)
    func repeatedChange(_ kind: TestDatabase) async throws {
        let store = try await store(kind)
        var update = UserUpdate()
        update.emailChange = EmailChange(
            email: EmailAddress("new@example.com")!, mail: Self.request, asksBoth: true)
        let user = try await store.signedIn().account.user.id
        _ = try await store.accounts.update(user, update, keeping: nil, at: store.clock.now)
        for mail in try await take(store) { try await report(.sent, mail, store) }
        store.clock.advance(by: .seconds(61))
        try await ask(store, .emailChange)
        let first = try await resolved(#require(try await take(store).first), store)
        #expect(try content(first).recipient.text == "new@example.com")
        try await report(.failed(reason: "the server answered 451"), #require(first), store)
        #expect(try content(try await take(store).first).recipient.text == "ada@example.com")
    }

    @Test("An account whose address goes to a provider's user leaves no mail", arguments: TestDatabase.all)
    func takenOver(_ kind: TestDatabase) async throws {
        for isConfirmed in [false, true] {
            let store = try await StoreFixture(kind)
            let other = try #require(try await store.entered(store.identity("keycloak", email: nil)).issued)
            _ = try await store.signUp(isConfirmed: isConfirmed)
            try await ask(store)
            if isConfirmed {
                _ = try await store.recover(try await store.asked(store.identity()).ticket)
            } else {
                _ = try await store.link(store.identity(), to: other)
            }
            #expect(try await store.accounts.mailQueue.mails(limit: 9).map(\.reason) == ["account deleted"])
        }
    }

    @Test("The deletion of an account ends its mails", arguments: TestDatabase.all)
    func deleted(_ kind: TestDatabase) async throws {
        let store = try await store(kind)
        let ada = try await store.signedIn().account.user.id
        let bob = try await store.signedIn("bob@example.com").account.user.id
        for email in ["ada@example.com", "bob@example.com"] {
            try await ask(store, .recovery, email)
        }
        #expect(try await store.accounts.delete(ada, actor: ada, at: store.clock.now))
        #expect(try await store.accounts.softDelete(bob, at: store.clock.now))
        #expect(try await take(store).isEmpty)
        #expect(try await store.accounts.mailQueue.mails(limit: 9).allSatisfy { $0.reason == "account deleted" })
    }

    @Test("The database has neither codes nor link tokens nor recipients in the clear", arguments: TestDatabase.all)
    func sealed(_ kind: TestDatabase) async throws {
        let store = try await store(kind, "ada@example.com")
        try await ask(store)
        let mail = try #require(try await take(store).first)
        let content = try content(try await resolved(mail, store))
        #expect(content.recipient.text == "ada@example.com" && content.code?.utf8Count == 6)
        let digest = TokenDigest.of(try #require(content.linkToken))
        let stored = try await store.storage.database.read { db in
            try db.row("SELECT digest, code_digest FROM one_time_tokens") { ($0.bytes(), $0.bytes()) }
        }
        #expect(stored?.0 == digest && stored?.1.count == 33)
        let body = try await store.storage.database.read { db in
            try db.row("SELECT sealed FROM mail_outbox") { $0.bytes() } ?? []
        }
        #expect(!String(decoding: body, as: UTF8.self).contains("ada@"))
    }
}
