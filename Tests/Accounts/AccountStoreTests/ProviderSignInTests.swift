import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Signing in through a provider")
struct ProviderSignInTests {
    @Test(
        "Account, identity, profile and session are created together, as in the Auth API", arguments: TestDatabase.all)
    func new(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let identity = store.identity(
            data: ["name": "Ada Lovelace", "avatar_url": "https://example.com/a.png"],
            profile: ProfileFill(firstName: "Ada", name: "Ada Lovelace", avatarURL: "https://example.com/a.png"))
        let session = try await store.entered(identity)
        #expect(session.rule == .newAddress)
        #expect(session.change == .created)
        let issued = try #require(session.issued)
        #expect(issued.session.authenticationMethods.contains(#""method":"oauth""#))
        let account = try #require(try await store.accounts.admin.account(session.user))
        #expect(account.user.email == "ada@example.com")
        #expect(account.user.times.emailConfirmedAt == store.clock.now)
        #expect(account.user.times.emailProvenAt == store.clock.now)
        #expect(account.user.times.lastSignInAt == store.clock.now)
        #expect(account.user.appMetadata == #"{"provider":"google","providers":["google"]}"#)
        #expect(try JSONReader.read(account.user.userMetadata) == .object(identity.data))
        #expect(account.identities.map(\.provider) == ["google"])
        #expect(account.identities[0].isEmailVerified)
        let profile = try await store.text(
            "SELECT first_name || '|' || name || '|' || avatar_url FROM profiles WHERE id = \(session.user.text)")
        #expect(profile == "Ada|Ada Lovelace|https://example.com/a.png")
        #expect(try await store.log(5) == ["login new_address", "user_signedup new_address"])
        #expect(try await store.refresh(issued.refreshToken).issued != nil)
    }

    @Test("D7: The same identity opens the same account, whatever its address is now", arguments: TestDatabase.all)
    func known(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.entered(store.identity(data: ["name": "Ada"]))
        store.clock.advance(by: .seconds(60))
        let again = try await store.entered(store.identity(email: "ada@example.org", data: ["name": "Countess"]))
        #expect(again.user == first.user)
        #expect(again.rule == .knownIdentity)
        #expect(again.change == .none)
        let account = try #require(try await store.accounts.admin.account(first.user))
        #expect(account.user.email == "ada@example.com")
        #expect(account.user.userMetadata.contains("Countess"))
        #expect(account.identities[0].email == "ada@example.org")
        #expect(account.identities[0].lastSignInAt == store.clock.now)
        #expect(account.user.times.lastSignInAt == store.clock.now)
        #expect(try await store.count("users") == 1)
    }

    @Test("C6: The provider fills in name and picture only the first time", arguments: TestDatabase.all)
    func profileOnce(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        func named(_ name: String) -> ProviderIdentity {
            store.identity("apple", data: ["name": .string(name)], profile: ProfileFill(firstName: name, name: name))
        }
        let session = try await store.entered(store.identity("apple"))
        let lookup: SQL = "SELECT name FROM profiles WHERE id = \(session.user.text)"
        #expect(try await store.text(lookup) == nil)
        // Apple's name may come with a repeated first exchange (pitfall 6).
        _ = try await store.entered(named("Ada"))
        #expect(try await store.text(lookup) == "Ada")
        _ = try await store.storage.database.write { db in try db.run("UPDATE profiles SET name = NULL") }
        _ = try await store.entered(named("Augusta"))
        #expect(try await store.text(lookup) == nil)
        #expect(try await store.text("SELECT first_name FROM profiles") == "Ada")
    }

    @Test("D7: An unverified address is not the account's", arguments: TestDatabase.all)
    func unverified(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.entered(store.identity("apple"))
        let other = try await store.entered(store.identity(isVerified: false))
        #expect(other.rule == .unverifiedAddress)
        #expect(other.user != owner.user)
        #expect(try await store.user(other.user).email == nil)
        // It neither prevents its owner's sign-up nor links to it.
        let free = try await store.entered(store.identity("keycloak", email: "grace@example.com", isVerified: false))
        #expect(try await store.signedIn("grace@example.com").account.user.id != free.user)
    }

    @Test("D7: A relay address gets its own account", arguments: TestDatabase.all)
    func relay(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let address = "x1@privaterelay.appleid.com"
        let first = try await store.entered(store.identity("apple", email: address, isRelay: true))
        #expect(first.rule == .relayAddress)
        #expect(try await store.user(first.user).email == address)
        let second = try await store.entered(store.identity("keycloak", email: address, isRelay: true))
        #expect(second.user != first.user)
        #expect(try await store.user(second.user).email == nil)
    }

    @Test("D7: An address proven on both sides is linked, and the log has the rule", arguments: TestDatabase.all)
    func linked(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.entered(store.identity(data: ["name": "Ada"]))
        let second = try await store.entered(
            store.identity("apple", data: ["full_name": "Ada L."], profile: ProfileFill(firstName: "Ada")))
        #expect(second.user == first.user)
        #expect(second.change == .linked(to: ["google"]))
        let account = try #require(try await store.accounts.admin.account(first.user))
        #expect(account.identities.map(\.provider) == ["google", "apple"])
        #expect(account.user.appMetadata == #"{"provider":"google","providers":["google","apple"]}"#)
        #expect(account.user.userMetadata.contains("Ada L."))
        #expect(try await store.text("SELECT first_name FROM profiles") == "Ada")
        #expect(try await store.log(2) == ["login proven_by_both", "identity_linked proven_by_both"])
        let links = try await store.accounts.links.undoableLinks(of: first.user, at: store.clock.now)
        #expect(links.map(\.rule) == ["proven_by_both"])
    }

    @Test(
        "D8: An unfinished sign-up passes to the owner of the address and keeps no data", arguments: TestDatabase.all)
    func takeOver(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        guard case .waits(let waiting) = try await store.signUp(metadata: ["evil": true], isConfirmed: false) else {
            Issue.record("expected a waiting account")
            return
        }
        _ = try await store.storage.database.write { db in
            try db.run(
                """
                UPDATE profiles SET first_name = 'Evil', favorite_teams = '["nba_1"]', data = '{"evil":1}',
                    timezone = 'UTC'
                """)
        }
        let session = try await store.entered(store.identity())
        #expect(session.user == waiting.user.id)
        #expect(session.rule == .unconfirmedSignUp)
        let account = try #require(try await store.accounts.admin.account(session.user))
        #expect(account.user.passwordHash == nil)
        #expect(!account.user.userMetadata.contains("evil"))
        #expect(account.identities.map(\.provider) == ["google"])
        #expect(account.user.appMetadata == #"{"provider":"google","providers":["google"]}"#)
        #expect(
            try await store.text(
                "SELECT coalesce(first_name, '-') || favorite_teams || data || coalesce(timezone, '-') FROM profiles")
                == "-[]{}-")
    }

    @Test("Refusals change only the log", arguments: TestDatabase.all)
    func refusals(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let closed = ProviderRules(allowsSignUp: false)
        #expect(try await store.come(store.identity(), rules: closed).refusal == .signUpDisabled)
        let strict = ProviderRules(address: .verified)
        #expect(try await store.come(store.identity(isVerified: false), rules: strict).refusal == .emailUnverified)
        #expect(try await store.come(store.identity(email: nil), rules: strict).refusal == .emailMissing)
        #expect(try await store.count("users") == 0)
        #expect(
            try await store.log(3) == [
                "identity_refused address_required", "identity_refused address_required",
                "identity_refused sign_up_disabled",
            ])
        var attributes = AdminAttributes()
        attributes.email = EmailAddress("ada@example.com")
        attributes.confirmsEmail = true
        attributes.ban = .lasting(.seconds(60))
        _ = try await store.accounts.admin.create(attributes, at: store.clock.now)
        #expect(try await store.come(store.identity()).refusal == .banned)
        #expect(try await store.count("sessions") == 0)
    }

    @Test("Among concurrent first sign-ins with one identity, one creates the account", arguments: TestDatabase.all)
    func race(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let users = try await withThrowingTaskGroup(of: UserID.self) { group in
            for _ in 0..<30 { group.addTask { try await store.entered(store.identity()).user } }
            return try await group.reduce(into: Set<UserID>()) { $0.insert($1) }
        }
        #expect(users.count == 1)
        #expect(try await store.count("users") == 1)
        #expect(try await store.count("sessions") == 30)
    }

    @Test("A failure to create the profile creates no account (C5)", arguments: TestDatabase.all)
    func failingProfile(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.storage.database.write { db in try db.run("DROP TABLE profiles") }
        await #expect(throws: DatabaseFailure.self) { try await store.come(store.identity()) }
        #expect(try await store.count("users") == 0)
        #expect(try await store.count("identities") == 0)
    }
}
