import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Passkeys as a way in")
struct LastWayInTests {
    private func store(_ kind: TestDatabase, mailsCodes: Bool = false) async throws -> StoreFixture {
        var store = try await StoreFixture(kind)
        store.accounts.offersPasskeys = true
        store.accounts.mailsLinkCodes = mailsCodes
        return store
    }

    private func signedUp(_ store: StoreFixture) async throws -> (IssuedSession, Passkey) {
        let challenge = store.challenge(for: .signUp(name: ""))
        let signUp = PasskeySignUp(passkey: store.newPasskey(), address: .none, metadata: [:])
        let outcome = try await store.accounts.passkeys.signUp(
            signUp, answering: challenge, from: store.device, at: store.clock.now)
        guard case .signedIn(let issued) = outcome else { throw NotSignedIn() }
        let passkey = try #require(try await store.accounts.passkeys.all(of: issued.account.user.id).first)
        return (issued, passkey)
    }

    private func remove(_ passkey: Passkey, _ issued: IssuedSession, _ store: StoreFixture) async throws -> String {
        try await store.accounts.passkeys.remove(
            passkey.id, of: passkey.user, by: issued.session.id, from: store.device, at: store.clock.now
        ).name
    }

    @Test("The only passkey of an account without another way in stays", arguments: TestDatabase.all)
    func last(_ kind: TestDatabase) async throws {
        let store = try await store(kind)
        let (issued, passkey) = try await signedUp(store)
        #expect(try await remove(passkey, issued, store) == "last way in")
        let second = try await store.registered(store.newPasskey([9]), of: issued)
        #expect(try await remove(passkey, issued, store) == "done")
        #expect(try await remove(second, issued, store) == "last way in")
        // An administrator may.
        let removed = try await store.accounts.passkeys.removePasskey(
            second.id, of: second.user, byAdministratorOn: store.device, at: store.clock.now)
        #expect(removed.name == "done")
        #expect(try await store.accounts.passkeys.all(of: second.user).isEmpty)
    }

    @Test("A password, a provider or a mailed code is another way in", arguments: TestDatabase.all)
    func others(_ kind: TestDatabase) async throws {
        let store = try await store(kind)
        let ada = try await store.signedIn()
        #expect(try await remove(store.registered(store.newPasskey([1]), of: ada), ada, store) == "done")
        let (grace, passkey) = try await signedUp(store)
        _ = try await store.link(store.identity(email: "grace@example.com"), to: grace)
        #expect(try await remove(passkey, grace, store) == "done")
        for (mailsCodes, expected) in [(false, "last way in"), (true, "done")] {
            let store = try await self.store(kind, mailsCodes: mailsCodes)
            let bob = try await store.signedIn("bob@example.com")
            let key = try await store.registered(store.newPasskey([7]), of: bob)
            try await store.storage.database.write { db in _ = try db.run("UPDATE users SET password_hash = NULL") }
            #expect(try await remove(key, bob, store) == expected)
        }
    }

    @Test("With a passkey, the last identity can be unlinked", arguments: TestDatabase.all)
    func unlinked(_ kind: TestDatabase) async throws {
        let store = try await store(kind)
        let owner = try #require(try await store.entered(store.identity()).issued)
        let id = owner.account.identities[0].id
        func unlink() async throws -> UnlinkOutcome {
            try await store.accounts.links.unlink(
                id, of: owner.account.user.id, keeping: owner.session.id, at: store.clock.now)
        }
        guard case .refused(.lastMethod) = try await unlink() else {
            Issue.record("the last method went")
            return
        }
        let passkey = try await store.registered(store.newPasskey(), of: owner)
        guard case .unlinked = try await unlink() else {
            Issue.record("not unlinked")
            return
        }
        #expect(try await remove(passkey, owner, store) == "last way in")
    }

    @Test("The first proof of an address sets the passkeys aside, and each can be removed", arguments: TestDatabase.all)
    func firstProof(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let stranger = try await store.signedIn("mine@example.com")
        _ = try await store.registered(store.newPasskey(), of: stranger)
        let email = try #require(EmailAddress("mine@example.com"))
        try await store.accounts.mails.ask(
            MailAsk(.recovery, .email(email), MailRequest(redirectTo: "", lifetime: .seconds(600))), at: store.clock.now
        )
        let mail = try #require(
            try await store.accounts.mailQueue.takeMails(.codes, limit: 8, lease: .seconds(60), at: store.clock.now)
                .first)
        guard case .request(let ask) = mail.content,
            let resolved = try await store.accounts.mails.resolve(ask, of: mail, at: store.clock.now),
            case .mail(let content) = resolved.content, let link = content.linkToken
        else { throw NotSignedIn() }
        _ = try await store.accounts.codes.verify(
            .link(link), for: [.recovery], from: store.device, at: store.clock.now)
        let user = stranger.account.user.id
        let passkey = try #require(try await store.accounts.passkeys.all(of: user).first)
        #expect(passkey.setAsideAt == store.clock.now)
        #expect(try await store.signIn(with: passkey).name == "set aside")
        _ = try await store.accounts.passkeys.removePasskey(
            passkey.id, of: user, byAdministratorOn: store.device, at: store.clock.now)
        #expect(try await store.accounts.admin.account(user)?.user.setAside.passkeys.isEmpty == true)
    }

    @Test("A deleted account has no passkeys, softly or not", arguments: TestDatabase.all)
    func deleted(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for (number, isSoft) in [(1, true), (2, false)] {
            let issued = try await store.signedIn("person\(number)@example.com")
            _ = try await store.registered(store.newPasskey([UInt8(number)]), of: issued)
            let user = issued.account.user.id
            _ =
                isSoft
                ? try await store.accounts.softDelete(user, at: store.clock.now)
                : try await store.accounts.delete(user, actor: user, at: store.clock.now)
            #expect(try await store.text("SELECT count(*) || '' FROM passkeys") == "0")
        }
    }
}
