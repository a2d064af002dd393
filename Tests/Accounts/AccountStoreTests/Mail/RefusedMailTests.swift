import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Mails that the mail server refuses")
struct RefusedMailTests {
    private static let reason = MailResult.byServer("the server answered 550")

    /// Reports one result for all emails that are due.
    private func send(
        _ numbers: Range<Int>, _ result: MailResult, _ store: StoreFixture
    ) async throws {
        let request = MailRequest(redirectTo: "https://app.example.org", lifetime: .seconds(3_600))
        for number in numbers {
            let email = try #require(EmailAddress("person\(number)@example.com"))
            _ = try await store.signedIn(email.text)
            try await store.accounts.mails.ask(MailAsk(.recovery, .email(email), request), at: store.clock.now)
            store.clock.advance(by: .seconds(1))
        }
        try await retry(result, store)
    }

    private func retry(_ result: MailResult, _ store: StoreFixture) async throws {
        let lease = MailSchedule.lease(attempt: .seconds(120))
        for mail in try await store.accounts.mailQueue.takeMails(.codes, limit: 20, lease: lease, at: store.clock.now) {
            var mail = mail
            if case .request(let ask) = mail.content {
                mail = try #require(try await store.accounts.mails.resolve(ask, of: mail, at: store.clock.now))
            }
            try await store.accounts.mailQueue.report(result, of: mail, chance: 0.5, at: store.clock.now)
        }
    }

    private func states(_ store: StoreFixture) async throws -> [String] {
        try await store.accounts.mailQueue.mails(limit: 20).map(\.state).reversed()
    }

    @Test(
        "A server that refuses every mail keeps them queued until it accepts one or their codes expire",
        arguments: TestDatabase.all)
    func streak(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for number in 0..<5 { try await send(number..<number + 1, .declined(reason: Self.reason), store) }
        #expect(try await states(store) == ["failed", "failed", "failed", "queued", "queued"])
        let refused = try await store.accounts.mailQueue.refusedMails()
        #expect(refused.count == 5 && refused.reason == Self.reason && refused.areOurFault)
        #expect(try await store.text("SELECT id FROM users WHERE email_undeliverable_at IS NOT NULL") == nil)
        store.clock.advance(by: .seconds(10))
        try await retry(.sent, store)
        #expect(try await states(store) == ["failed", "failed", "failed", "sent", "sent"])
        #expect(try await store.accounts.mailQueue.refusedMails().count == 0)
        try await send(5..<6, .declined(reason: Self.reason), store)
        #expect(try await states(store).last == "failed")
    }

    @Test("Refused mails are not kept beyond their codes", arguments: TestDatabase.all)
    func expiry(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for number in 0..<4 { try await send(number..<number + 1, .declined(reason: Self.reason), store) }
        for _ in 0..<1_000 where try await states(store).last == "queued" {
            store.clock.advance(by: .seconds(5))
            try await retry(.declined(reason: Self.reason), store)
        }
        #expect(try await states(store).last == "failed")
    }

    @Test("Mails that ended for another reason neither count nor end a row of refusals", arguments: TestDatabase.all)
    func others(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        try await send(0..<1, .declined(reason: Self.reason), store)
        try await send(1..<2, .refused(reason: "its code is void"), store)
        try await send(2..<3, .undeliverable(reason: "the server answered 550 5.1.1"), store)
        try await send(3..<4, .failed(reason: MailResult.byServer("the server answered 535")), store)
        #expect(try await store.accounts.mailQueue.refusedMails().count == 2)
        #expect(try await !store.accounts.mailQueue.refusedMails().areOurFault)
    }
}
