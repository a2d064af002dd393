import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Passkeys in the store")
struct PasskeyTests {
    @Test("A passkey is stored as it was verified, and named after its provider", arguments: TestDatabase.all)
    func stored(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn()
        store.tick()
        let apple = Identifier<Passkey>(trusted: "fbfc3007-154e-4ecc-8c0b-6e020557d7bd").bytes
        let made = try await store.registered(store.newPasskey(model: apple, signCount: .max), of: ada)
        let found = try #require(try await store.accounts.passkeys.all(of: ada.account.user.id).first)
        #expect(found.id == made.id && found.credentialID == [1, 2, 3] && found.publicKey == [4, 5])
        #expect(found.algorithm == -7 && found.model == apple && found.signCount == .max)
        #expect(found.isBackupEligible && found.isBackedUp && found.transports == ["internal", "hybrid"])
        #expect(found.name == "Apple Passwords" && found.lastUsedAt == nil && found.createdAt == store.clock.now)
        #expect(try await store.log(1) == ["passkey_created -"])
    }

    @Test("Every limit of a registration holds, and a refused one changes nothing", arguments: TestDatabase.all)
    func limits(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn()
        let bob = try await store.signedIn("bob@example.com")
        _ = try await store.registered(store.newPasskey([1]), of: ada)
        #expect(try await store.registering(store.newPasskey([2]), of: ada, limit: 1).name == "too many")
        #expect(try await store.registering(store.newPasskey([1]), of: ada).name == "credential exists")
        #expect(try await store.registering(store.newPasskey([1]), of: bob).name == "credential exists")
        let challenge = store.challenge(for: .registration(bob.account.user.id))
        for (id, expected) in [([3], "registered"), ([4], "challenge used")] as [([UInt8], String)] {
            let outcome = try await store.accounts.passkeys.register(
                store.newPasskey(id), answering: challenge, of: bob.account.user.id, by: bob.session.id, limit: 10,
                from: store.device, at: store.clock.now)
            #expect(outcome.name == expected)
        }
        _ = try await store.accounts.sessions.endSession(
            bob.session.id, of: bob.account.user.id, name: "", at: store.clock.now)
        #expect(try await store.registering(store.newPasskey([5]), of: bob).name == "session ended")
        _ = try await store.accounts.delete(ada.account.user.id, actor: nil, at: store.clock.now)
        #expect(try await store.registering(store.newPasskey([6]), of: ada).name == "gone")
        #expect(try await store.text("SELECT count(*) || '' FROM passkeys") == "1")
    }

    @Test("A sign-in opens a session at aal1, and notes the count and the time", arguments: TestDatabase.all)
    func signIn(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let passkey = try await store.registered(store.newPasskey(), of: store.signedIn())
        store.clock.advance(by: .seconds(60))
        let issued = try #require(try await store.signIn(with: passkey, count: 5).issued)
        #expect(issued.session.assuranceLevel == .aal1)
        #expect(issued.session.authenticationMethods.contains(#""method":"passkey""#))
        #expect(issued.account.user.times.lastSignInAt == store.clock.now)
        let used = try await store.holder(of: passkey).passkey
        #expect(used.signCount == 5 && used.lastUsedAt == store.clock.now)
        #expect(try await store.log(1) == ["login -"])
        #expect(try await store.refresh(issued.refreshToken).issued?.session.assuranceLevel == .aal1)
    }

    @Test("By setting, a verified user has aal2, also after a refresh", arguments: TestDatabase.all)
    func twoFactors(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let passkey = try await store.registered(store.newPasskey(), of: store.signedIn())
        let issued = try #require(try await store.signIn(with: passkey, twoFactors: true).issued)
        #expect(issued.session.assuranceLevel == .aal2)
        #expect(try await store.refresh(issued.refreshToken).issued?.session.assuranceLevel == .aal2)
    }

    @Test("A challenge opens one session, however many requests answer it at once", arguments: TestDatabase.all)
    func raced(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let passkey = try await store.registered(store.newPasskey(), of: store.signedIn())
        let challenge = store.challenge()
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask { try await store.signIn(with: passkey, challenge: challenge).name }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(names.sorted() == Array(repeating: "challenge used", count: 7) + ["signed in"])
    }

    @Test("A challenge counts once on nodes whose clocks differ", arguments: TestDatabase.all)
    func clocks(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let passkey = try await store.registered(store.newPasskey(), of: store.signedIn())
        let challenge = store.challenge()
        #expect(try await store.signIn(with: passkey, challenge: challenge).name == "signed in")
        // One node is two seconds ahead of the other, for which the challenge is valid.
        _ = try await store.accounts.cleaning.purgeExpired(at: challenge.expiresAt + .seconds(1))
        store.clock.advance(by: .seconds(299))
        #expect(store.clock.now < challenge.expiresAt)
        #expect(try await store.signIn(with: passkey, challenge: challenge).name == "challenge used")
        _ = try await store.accounts.cleaning.purgeExpired(at: challenge.expiresAt + .seconds(3_600))
        #expect(try await store.text("SELECT count(*) || '' FROM used_passkey_challenges") == "0")
    }

    @Test(
        "A count that does not increase is refused and recorded, and opens no session",
        arguments: TestDatabase.all)
    func cloned(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let passkey = try await store.registered(store.newPasskey(signCount: 4), of: store.signedIn())
        #expect(try await store.signIn(with: passkey, count: 5).name == "signed in")
        for count: UInt32 in [0, 4, 5] {
            store.tick()
            #expect(try await store.signIn(with: passkey, count: count).name == "cloned")
            #expect(try await store.log(1) == ["passkey_cloned -"])
        }
        #expect(try await store.count("sessions") == 2)
        #expect(try await store.signIn(with: passkey, count: .max).name == "signed in")
    }

    @Test("A banned user and a removed passkey get no session", arguments: TestDatabase.all)
    func changedMeanwhile(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn()
        let passkey = try await store.registered(store.newPasskey(), of: ada)
        let holder = try await store.holder(of: passkey)
        let proof = PasskeyProof(
            signCount: 0, isBackupEligible: true, isBackedUp: true, countsAsTwoFactors: false)
        func attempt() async throws -> String {
            try await store.accounts.passkeys.signIn(
                holder, proof, answering: store.challenge(), from: store.device, at: store.clock.now
            ).name
        }
        var ban = AdminAttributes()
        ban.ban = .lasting(.seconds(60))
        _ = try await store.accounts.admin.update(ada.account.user.id, ban, at: store.clock.now)
        #expect(try await attempt() == "changed meanwhile")
        store.clock.advance(by: .seconds(61))
        #expect(try await attempt() == "signed in")
        _ = try await store.accounts.passkeys.remove(
            passkey.id, of: passkey.user, by: nil, from: store.device, at: store.clock.now)
        #expect(try await attempt() == "changed meanwhile")
        #expect(try await store.accounts.passkeys.holder(ofCredential: [1, 2, 3], of: passkey.user) == nil)
    }

    @Test("A credential is found only with its owner's handle", arguments: TestDatabase.all)
    func foreign(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let bob = try await store.signedIn("bob@example.com")
        _ = try await store.registered(store.newPasskey(), of: store.signedIn())
        #expect(try await store.accounts.passkeys.holder(ofCredential: [1, 2, 3], of: bob.account.user.id) == nil)
    }
}
