import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Signing everyone out")
struct SignOutAllTests {
    @Test(
        "Every session ends, in batches, with pending codes and tickets; signing in again works",
        arguments: TestDatabase.all)
    func all(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let tokens = try await [
            store.signedIn("a@example.com"), store.signedIn("b@example.com"), store.signedIn("c@example.com"),
        ].map(\.refreshToken)
        let key = try #require(ProofKey(challenge: String(repeating: "c", count: 43), method: "s256"))
        let waiting = try await store.come(store.identity(), delivery: .code(key, handing: nil))
        let code = try #require(waiting.session?.code)
        #expect(try await store.accounts.sessions.endSomeSessions(limit: 2, at: store.clock.now) == 2)
        #expect(try await store.accounts.sessions.endSomeSessions(limit: 2, at: store.clock.now) == 1)
        #expect(try await store.accounts.sessions.endSomeSessions(limit: 2, at: store.clock.now) == 0)
        for token in tokens {
            guard case .unknown = try await store.refresh(token) else {
                Issue.record("a session lives on")
                continue
            }
        }
        let redeemed = try await store.accounts.flows.redeem(
            code: code, verifier: Secret(String(repeating: "v", count: 43)), from: store.device, at: store.clock.now)
        guard case .unknown = redeemed else {
            Issue.record("a code was good")
            return
        }
        #expect(try await store.come(store.identity()).session != nil)
    }

    @Test("Mailed codes are void, and requests for mails lead to none", arguments: TestDatabase.all)
    func mails(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for email in ["ada@example.com", "bob@example.com"] { _ = try await store.signedIn(email) }
        let request = MailRequest(redirectTo: "", lifetime: .seconds(3_600))
        func ask(_ email: String) async throws {
            let email = try #require(EmailAddress(email))
            try await store.accounts.mails.ask(MailAsk(.recovery, .email(email), request), at: store.clock.now)
        }
        try await ask("ada@example.com")
        let taken = try await store.accounts.mailQueue.takeMails(
            .codes, limit: 1, lease: .seconds(60), at: store.clock.now)
        let claimed = try #require(taken.first)
        guard case .request(let asked) = claimed.content,
            let mail = try await store.accounts.mails.resolve(asked, of: claimed, at: store.clock.now),
            case .mail(let content) = mail.content
        else { throw NotSignedIn() }
        #expect(try await store.accounts.codes.isCurrent(content, at: store.clock.now))
        try await ask("bob@example.com")
        #expect(try await store.accounts.sessions.endSomeSessions(at: store.clock.now) == 2)
        #expect(try await !store.accounts.codes.isCurrent(content, at: store.clock.now))
        #expect(try await store.accounts.mailQueue.mails(limit: 9).map(\.state) == ["failed", "failed"])
    }

    @Test("Changes of address end page by page, also those that no session began", arguments: TestDatabase.all)
    func addressChanges(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let emails = ["ada@example.com", "bob@example.com", "eve@example.com"]
        for email in emails { _ = try await store.signedIn(email) }
        try await store.storage.database.write { db in
            try db.run("UPDATE users SET new_email = 'new@example.com' WHERE email <> \(emails[2])")
        }
        _ = try await store.accounts.sessions.endSomeSessions(at: store.clock.now)
        var (last, pages) = (UserID?.none, 0)
        repeat {
            last = try await store.accounts.sessions.endAddressChanges(after: last, limit: 2, at: store.clock.now)
            pages += 1
        } while last != nil
        #expect(pages == 3)
        let left = try await store.storage.database.read { db in
            try db.rows("SELECT email FROM users WHERE new_email IS NOT NULL") { $0.text() }
        }
        #expect(left == [])
    }
}
