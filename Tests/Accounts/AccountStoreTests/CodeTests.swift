import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Flows and codes")
struct CodeTests {
    private static let verifier = Secret("a-verifier-of-more-than-forty-three-characters-0001")
    private static let key = ProofKey(challenge: "xCQLDnsvQE3aYFg46AmNN8eBcY1SOEkfclHh_2vn254", method: "s256")!

    private func flow(
        _ purpose: ProviderFlow.Purpose = .signIn, key: ProofKey? = key, provider: String = "google"
    ) -> ProviderFlow {
        ProviderFlow(
            provider: provider, purpose: purpose, verifier: Secret("ours"), nonce: "nonce", proofKey: key,
            redirectTo: "myapp://callback?x=%2F")
    }

    @Test("A browser sign-in takes four writes and a read, from start to session", arguments: TestDatabase.all)
    func fourWrites(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let counting = CountingDatabase(database: store.storage.database)
        let randomness = TestRandomness()
        let accounts = Accounts(
            database: counting, secrets: StoreFixture.secrets, randomBytes: { randomness.bytes($0) })
        let state = try await accounts.flows.begin(flow(), browser: Secret("cookie"), at: store.clock.now)
        guard case .taken = try await accounts.flows.take(state: state, browser: Secret("cookie"), at: store.clock.now)
        else {
            Issue.record("not taken")
            return
        }
        let signIn = ProviderSignIn(
            store.identity(profile: ProfileFill(firstName: "Ada")), rules: ProviderRules(),
            grant: ProviderGrant(refreshToken: Secret("r"), client: "c"), delivery: .code(Self.key, handing: nil))
        let outcome = try await accounts.links.signIn(signIn, from: store.device, at: store.clock.now)
        let code = try #require(outcome.session?.code)
        let redeemed = try await accounts.flows.redeem(
            code: code, verifier: Self.verifier, from: store.device, at: store.clock.now)
        #expect(redeemed.issued != nil)
        #expect(counting.writes.value == 4)
        #expect(counting.transactions.value == 5)
    }

    @Test(
        "A password change or a sign-out elsewhere invalidates a code",
        arguments: TestDatabase.all)
    func voided(_ kind: TestDatabase) async throws {
        var newPassword = UserUpdate()
        newPassword.passwordHash = Secret("$new$")
        var administrators = AdminAttributes()
        administrators.passwordHash = Secret("$new$")
        let (update, attributes) = (newPassword, administrators)
        let steps: [(isVoid: Bool, step: @Sendable (StoreFixture, UserID) async throws -> Void)] = [
            (true, { _ = try await $0.accounts.update($1, update, keeping: nil, at: $0.clock.now) }),
            (true, { _ = try await $0.accounts.admin.update($1, attributes, at: $0.clock.now) }),
            (true, { try await $0.accounts.signOut($1, name: "", session: nil, scope: .global, at: $0.clock.now) }),
            (true, { try await $0.signOut($1, .others) }), (false, { try await $0.signOut($1, .local) }),
            (false, { _ = try await $0.accounts.update($1, UserUpdate(), keeping: nil, at: $0.clock.now) }),
        ]
        for (isVoid, step) in steps {
            let store = try await StoreFixture(kind)
            let outcome = try await store.come(store.identity(), delivery: .code(Self.key, handing: nil))
            let session = try #require(outcome.session)
            try await step(store, session.user)
            let redeemed = try await store.accounts.flows.redeem(
                code: try #require(session.code), verifier: Self.verifier, from: store.device, at: store.clock.now)
            #expect((redeemed.issued == nil) == isVoid)
        }
    }

    @Test(
        "A code opens one session for the holder of the secret and returns the provider's tokens",
        arguments: TestDatabase.all)
    func redeem(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let handout = ProviderHandout(accessToken: Secret("access"), refreshToken: Secret("refresh"))
        let outcome = try await store.come(store.identity(), delivery: .code(Self.key, handing: handout))
        let session = try #require(outcome.session)
        let code = try #require(session.code)
        #expect(try await store.count("sessions") == 0)
        #expect(try await store.user(session.user).times.lastSignInAt == nil)
        #expect(UserID(code.reveal()) != nil)
        store.clock.advance(by: .seconds(299))
        func redeem(_ verifier: Secret) async throws -> CodeOutcome {
            try await store.accounts.flows.redeem(
                code: code, verifier: verifier, from: store.device, at: store.clock.now)
        }
        guard case .wrongVerifier = try await redeem(Secret("wrong")) else {
            Issue.record("expected a wrong verifier")
            return
        }
        guard case .signedIn(let issued, let handed) = try await redeem(Self.verifier) else {
            Issue.record("expected a session")
            return
        }
        #expect(issued.account.user.id == session.user)
        #expect(issued.account.user.times.lastSignInAt == store.clock.now)
        #expect(try await store.user(session.user).times.lastSignInAt == store.clock.now)
        #expect(handed?.accessToken?.reveal() == "access")
        #expect(handed?.refreshToken?.reveal() == "refresh")
        #expect(try await store.log(2) == ["login new_address", "user_signedup new_address"])
        guard case .unknown = try await redeem(Self.verifier) else {
            Issue.record("a code was good twice")
            return
        }
        #expect(try await store.count("sessions") == 1)
    }

    @Test(
        "A late code, a code of a banned account and one of a removed identity open nothing",
        arguments: TestDatabase.all)
    func refused(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        func code() async throws -> Secret {
            try #require(try await store.come(store.identity(), delivery: .code(Self.key, handing: nil)).session?.code)
        }
        func redeem(_ code: Secret) async throws -> CodeOutcome {
            try await store.accounts.flows.redeem(
                code: code, verifier: Self.verifier, from: store.device, at: store.clock.now)
        }
        let late = try await code()
        store.clock.advance(by: .seconds(300))
        guard case .expired = try await redeem(late) else {
            Issue.record("expected: expired")
            return
        }
        let orphaned = try await code()
        _ = try await store.storage.database.write { db in try db.run("DELETE FROM identities") }
        guard case .unknown = try await redeem(orphaned) else {
            Issue.record("expected: unknown")
            return
        }
        _ = try await store.storage.database.write { db in try db.run("DELETE FROM users") }
        let banned = try await code()
        let end = SQLValue.instant((store.clock.now + .seconds(9)).microseconds)
        _ = try await store.storage.database.write { db in try db.run("UPDATE users SET banned_until = \(end)") }
        guard case .banned = try await redeem(banned) else {
            Issue.record("expected: banned")
            return
        }
        #expect(try await store.count("sessions") == 0)
    }

    @Test(
        "A state is valid once, for five minutes, in the browser that began it, for its provider",
        arguments: TestDatabase.all)
    func states(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let purpose = ProviderFlow.Purpose.link(issued.account.user.id, session: issued.session.id)
        let state = try await store.accounts.flows.begin(flow(purpose), browser: Secret("cookie"), at: store.clock.now)
        store.clock.advance(by: .seconds(299))
        func take(_ state: String, _ browser: String?, _ provider: String? = nil) async throws -> String {
            switch try await store.accounts.flows.take(
                state: state, browser: browser.map(Secret.init), provider: provider, at: store.clock.now)
            {
            case .taken(let flow):
                "\(flow.purpose == purpose) \(flow.verifier.reveal()) \(flow.nonce) \(flow.redirectTo) "
                    + "\(flow.proofKey == Self.key)"
            case .unknown: "unknown"
            case .alreadyUsed: "used"
            case .otherBrowser: "other browser"
            }
        }
        #expect(try await take(state, nil) == "other browser")
        #expect(try await take(state, "other") == "other browser")
        #expect(try await take(state, "cookie", "apple") == "unknown")
        #expect(try await take(state, "cookie", "google") == "true ours nonce myapp://callback?x=%2F true")
        #expect(try await take(state, "cookie") == "used")
        #expect(try await take("not-a-uuid", nil) == "unknown")
        let implicit = try await store.accounts.flows.begin(flow(key: nil), browser: nil, at: store.clock.now)
        #expect(try await take(implicit, nil).hasPrefix("false ours"))
        #expect(try await take(implicit, nil) == "unknown")
        let late = try await store.accounts.flows.begin(flow(), browser: nil, at: store.clock.now)
        store.clock.advance(by: .seconds(300))
        #expect(try await take(late, nil) == "unknown")
    }

    @Test(
        "The database holds no state, code, ticket, verifier or token in plain text", arguments: TestDatabase.all)
    func sealed(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let state = try await store.accounts.flows.begin(flow(), browser: Secret("cookie"), at: store.clock.now)
        let handout = ProviderHandout(accessToken: Secret("handed-access"), refreshToken: nil)
        let outcome = try await store.come(
            store.identity(), grant: ProviderGrant(refreshToken: Secret("kept-refresh"), client: "c"),
            delivery: .code(Self.key, handing: handout))
        let code = try #require(outcome.session?.code).reveal()
        let kept: [String] = try await store.storage.database.read { db in
            let statements: [SQL] = [
                "SELECT digest, browser_digest, sealed FROM flow_states",
                "SELECT digest, digest, sealed FROM authorization_codes",
                "SELECT sealed, sealed, sealed FROM provider_tokens",
            ]
            return try statements.flatMap { statement in
                try db.rows(statement) { row in
                    String(decoding: row.bytes() + row.bytes() + row.bytes(), as: UTF8.self)
                }
            }
        }
        #expect(kept.count == 3)
        for secret in [state, "cookie", "ours", code, "handed-access", "kept-refresh"] {
            #expect(!kept.contains { $0.contains(secret) }, "\(secret)")
        }
    }

    @Test("Expired rows are removed, in passing and in bulk", arguments: TestDatabase.all)
    func purge(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signedIn()
        for _ in 0..<3 { _ = try await store.accounts.flows.begin(flow(), browser: nil, at: store.clock.now) }
        _ = try await store.asked(store.identity())
        _ = try await store.come(
            store.identity("apple", email: nil), delivery: .code(Self.key, handing: nil))
        #expect(try await store.accounts.cleaning.purgeExpired(at: store.clock.now) == 0)
        store.clock.advance(by: .seconds(3_901))
        _ = try await store.accounts.flows.begin(flow(), browser: nil, at: store.clock.now)
        #expect(try await store.rows("SELECT 1 FROM flow_states") == 1)
        #expect(try await store.accounts.cleaning.purgeExpired(limit: 1, at: store.clock.now) == 2)
        #expect(try await store.rows("SELECT 1 FROM link_tickets UNION ALL SELECT 1 FROM authorization_codes") == 0)
        #expect(try await store.accounts.cleaning.purgeExpired(at: store.clock.now) == 0)
    }
}

extension CodeOutcome {
    fileprivate var issued: IssuedSession? { if case .signedIn(let issued, _) = self { issued } else { nil } }
}

extension StoreFixture {
    fileprivate func signOut(_ user: UserID, _ scope: SignOutScope) async throws {
        try await accounts.signOut(
            user, name: "", session: SessionID(trusted: user.text), scope: scope, at: clock.now)
    }
}
