import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Confirmed and proven")
struct ProvenAddressTests {
    @Test(
        "D8: A sign-up never proves an address; an administrator's confirmation does", arguments: TestDatabase.all)
    func signUp(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let user = try await store.signedIn().account.user
        #expect(try await store.user(user.id).times.emailConfirmedAt != nil)
        #expect(try await store.user(user.id).times.emailProvenAt == nil)
        var attributes = AdminAttributes()
        attributes.email = EmailAddress("grace@example.com")
        attributes.confirmsEmail = true
        guard case .done(let made) = try await store.accounts.admin.create(attributes, at: store.clock.now) else {
            return
        }
        #expect(try await store.user(made.user.id).times.emailProvenAt == store.clock.now)
    }

    @Test(
        "A changed address is not proven, unless a provider of the account vouches for it", arguments: TestDatabase.all)
    func change(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let user = try await store.entered(store.identity()).user
        func change(_ email: String) async throws {
            var update = UserUpdate()
            update.email = EmailAddress(email)
            _ = try await store.accounts.update(user, update, keeping: nil, at: store.clock.now)
        }
        try await change("ada@example.org")
        #expect(try await store.user(user).times.emailProvenAt == nil)
        #expect(try await store.come(store.identity("apple", email: "ada@example.org")).rule == .unprovenAddress)
        try await change("ada@example.com")
        #expect(try await store.user(user).times.emailProvenAt != nil)
    }

    @Test(
        "An account with a second factor keeps it when an administrator gives it its first address",
        arguments: TestDatabase.all)
    func addedByAdministrator(_ kind: TestDatabase) async throws {
        for hasFactor in [true, false] {
            let store = try await StoreFixture(kind)
            let issued = try #require(try await store.entered(store.identity(email: nil)).issued)
            let user = issued.account.user.id
            if hasFactor { _ = try await store.raised(issued, by: try await store.enrolled(issued)) }
            var attributes = AdminAttributes()
            attributes.email = EmailAddress("ada@example.com")
            _ = try await store.accounts.admin.update(user, attributes, at: store.clock.now)
            let times = try await store.user(user).times
            #expect(times.emailConfirmedAt == nil && times.emailProvenAt == nil)
            store.tick()
            let owner = try await store.provenOwner("ada@example.com")
            #expect(owner.account.user.id == user && owner.account.user.hasSecondFactor == hasFactor)
            #expect(try await store.current(owner)?.isTooLow == hasFactor)
        }
    }

    @Test("The schema refuses an address that is proven but not confirmed", arguments: TestDatabase.all)
    func schema(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signUp(isConfirmed: false)
        let failure = await #expect(throws: DatabaseFailure.self) {
            _ = try await store.storage.database.write { db in
                try db.run("UPDATE users SET email_proven_at = \(SQLValue.instant(5))")
            }
        }
        #expect(failure?.reason == .constraint(.check))
    }

    @Test(
        "An imported account is proven by its provider, not by a confirmation elsewhere",
        arguments: TestDatabase.all)
    func imported(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        #expect(
            try await store.accounts.transfers.add(
                account("ada@example.com", isVerified: true, at: store.clock.now), at: store.clock.now) == .added)
        #expect(
            try await store.accounts.transfers.add(
                account("grace@example.com", isVerified: false, at: store.clock.now), at: store.clock.now) == .added
        )
        #expect(try await store.entered(store.identity("apple")).rule == .provenByBoth)
        #expect(try await store.come(store.identity("apple", "2", email: "grace@example.com")).rule == .unprovenAddress)
    }

    @Test("A migration derives proven addresses from existing identities", arguments: TestDatabase.all)
    func migration(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        let (then, later) = (SQLValue.instant(1), SQLValue.instant(7))
        try await storage.database.migrate(Array(TestDatabase.migrations.prefix(5)))
        try await storage.database.write { db in
            for (id, email, flag) in [
                ("00000000-0000-4000-8000-00000000000a", "ada@example.com", "true"),
                ("00000000-0000-4000-8000-00000000000b", "grace@example.com", "false"),
            ] {
                try db.run(
                    """
                    INSERT INTO users (id, aud, role, email, app_metadata, user_metadata, created_at, updated_at,
                        email_confirmed_at)
                    VALUES (\(id), 'a', 'r', \(email), '{}', '{}', \(then), \(then), \(later))
                    """)
                try db.run(
                    """
                    INSERT INTO identities (id, user_id, provider, provider_id, identity_data, email, created_at, updated_at)
                    VALUES (\(id), \(id), 'google', \(id), \("{\"email_verified\":\(flag)}"), \(email),
                        \(then), \(then))
                    """)
            }
        }
        try await storage.database.migrate(TestDatabase.migrations)
        let proven = try await storage.database.read { db in
            try db.rows("SELECT email_proven_at FROM users ORDER BY id") { $0.intIfPresent() }
        }
        #expect(proven == [7, nil])
    }

    @Test("D8: A sign-up with a taken address does not reveal the account", arguments: TestDatabase.all)
    func signUpShowsNothing(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.entered(store.identity())
        _ = try await store.storage.database.write { db in
            // Only its identity has the address.
            try db.run("UPDATE users SET email = NULL, email_confirmed_at = NULL, email_proven_at = NULL")
        }
        guard case .taken = try await store.signUp(isConfirmed: false) else {
            Issue.record("\(owner.user.text) was shown")
            return
        }
    }

    private func account(_ email: String, isVerified: Bool, at now: Instant) -> Account {
        let id = UserID(bytes: Array((email + "-").utf8.prefix(16)))
        var user = User(id: id, audience: "a", role: "r", times: UserTimes(createdAt: now))
        user.email = email
        user.times.emailConfirmedAt = now
        let data: AuthJSON = ["email_verified": .bool(isVerified)]
        let identity = Identity(
            id: IdentityID(trusted: id.text), user: id, provider: "google", providerID: email, data: data.text,
            email: email, at: now)
        return Account(user: user, identities: [identity])
    }
}
