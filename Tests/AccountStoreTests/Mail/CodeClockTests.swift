import AccountDomain
import AccountStore
import GatehouseWire
import TestDatabases
import Testing

@Suite("Mailed codes of a clock that was ahead")
struct CodeClockTests {
    private static let email = EmailAddress("ada@example.com")!

    /// The code of a mail for a sign-in.
    private func code(_ store: StoreFixture) async throws -> Secret {
        let request = MailRequest(redirectTo: "", lifetime: .seconds(3_600))
        try await store.accounts.ask(MailAsk(.signIn, Self.email, request), at: store.clock.now)
        let mails = try await store.accounts.takeMails(.codes, limit: 1, lease: .seconds(600), at: store.clock.now)
        let mail = try #require(mails.first)
        guard case .request(let ask) = mail.content else { throw NotSignedIn() }
        let resolved = try await store.accounts.resolve(ask, of: mail, at: store.clock.now)
        guard case .mail(let content) = resolved?.content, let code = content.code else { throw NotSignedIn() }
        return code
    }

    private func verify(_ code: Secret, _ store: StoreFixture) async throws -> VerificationOutcome {
        try await store.accounts.verify(
            .code(code, sentTo: Self.email), for: [.recovery], from: store.device, at: store.clock.now)
    }

    @Test(
        "A code that was made while the clock was ahead is void once the clock is right, and a new one counts",
        arguments: TestDatabase.all)
    func ahead(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signedIn()
        store.clock.advance(by: .seconds(30 * 86_400))
        let early = try await code(store)
        store.clock.advance(by: .seconds(-20 * 86_400))
        guard case .unknown = try await verify(early, store) else {
            Issue.record("a code counts for longer than an hour")
            return
        }
        guard case .signedIn = try await verify(code(store), store) else {
            Issue.record("the new code does not count")
            return
        }
    }

    @Test("A code counts on a node whose clock is a minute behind", arguments: TestDatabase.all)
    func behind(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signedIn()
        let code = try await code(store)
        store.clock.advance(by: .seconds(-60))
        guard case .signedIn = try await verify(code, store) else {
            Issue.record("the code does not count")
            return
        }
    }
}
