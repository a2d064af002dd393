import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Events for webhooks")
struct WebhookTests {
    private static let endpoint = endpoint("app")

    private static func endpoint(
        _ name: String, _ kinds: Set<AccountEventKind> = Set(AccountEventKind.allCases)
    ) -> WebhookEndpoint {
        WebhookEndpoint(name: name, url: "https://\(name).example.org", secrets: [], kinds: kinds)
    }

    private func signUp(_ accounts: Accounts, _ store: StoreFixture, _ email: String) async throws -> IssuedSession {
        let signUp = SignUpRequest(
            email: EmailAddress(email)!, passwordHash: Secret("$hash$"), metadata: [:], isConfirmed: true)
        guard
            case .signedIn(let issued) = try await accounts.signIns.signUp(
                signUp, from: store.device, at: store.clock.now)
        else { throw NotSignedIn() }
        return issued
    }

    private func take(_ store: StoreFixture, _ endpoint: WebhookEndpoint = Self.endpoint) async throws
        -> [ClaimedDelivery]
    {
        try await store.accounts.events.takeDeliveries(to: endpoint.name, limit: 100, at: store.clock.now)
    }

    private func event(_ delivery: ClaimedDelivery?) throws -> AuthJSON {
        let body = try #require(delivery?.body)
        return try JSONReader.read(body)
    }

    private func report(_ result: DeliveryResult, of delivery: ClaimedDelivery?, _ store: StoreFixture) async throws {
        let delivery = try #require(delivery)
        try await store.accounts.events.report([(delivery, result)], chances: [0.5], at: store.clock.now)
    }

    /// Delivers everything, and returns the events.
    private func drain(_ store: StoreFixture) async throws -> [AuthJSON] {
        var events: [AuthJSON] = []
        while true {
            let taken = try await take(store)
            if taken.isEmpty { return events }
            for delivery in taken {
                events.append(try event(delivery))
                try await report(.delivered, of: delivery, store)
            }
        }
    }

    private func types(_ events: [AuthJSON]) -> [String] { events.compactMap { $0["type"]?.stringValue } }

    @Test("A transaction stores its events, and a refresh and a failed change none", arguments: TestDatabase.all)
    func events(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = store.accounts.telling([Self.endpoint])
        let issued = try await signUp(accounts, store, "ada@example.com")
        let user = issued.account.user.id
        #expect(types(try await drain(store)) == ["user.created", "session.started"])
        let token = try #require(RefreshToken(issued.refreshToken))
        guard case .issued = try await accounts.sessions.refresh(token, from: store.device, at: store.clock.now) else {
            return
        }
        guard
            case .signedIn = try await accounts.signIns.signIn(issued.account, from: store.device, at: store.clock.now)
        else { throw NotSignedIn() }
        #expect(types(try await drain(store)) == ["session.started"])
        var update = UserUpdate()
        update.metadata = ["color": "blue"]
        _ = try await accounts.update(user, update, keeping: nil, at: store.clock.now)
        let changed = try await drain(store)
        #expect(types(changed) == ["user.updated"])
        #expect(changed.first?["data"]?["user"]?["user_metadata"]?["color"] == "blue")
        try await accounts.signOut(user, name: "", session: issued.session.id, scope: .local, at: store.clock.now)
        let ended = try await drain(store)
        #expect(types(ended) == ["session.ended"])
        #expect(ended.first?["data"]?["reason"] == "signed_out")
        #expect(ended.first?["data"]?["session"]?["id"] == .string(issued.session.id.text))
        #expect(try await accounts.delete(user, actor: user, at: store.clock.now))
        let deleted = try await drain(store)
        #expect(types(deleted) == ["session.ended", "user.deleted"])
        #expect(deleted.last?["data"] == ["user": ["id": .string(user.text)]])
        #expect(deleted.first?["data"]?["reason"] == "account_deleted")
    }

    @Test("Identities come and go, and a provider's sign-in is no change", arguments: TestDatabase.all)
    func identities(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = store.accounts.telling([Self.endpoint])
        func enter(_ provider: String) async throws -> Account {
            let signIn = ProviderSignIn(
                store.identity(provider),
                rules: ProviderRules(linking: .automatic, address: .present, allowsSignUp: true))
            guard
                case .signedIn(let session) = try await accounts.links.signIn(
                    signIn, from: store.device, at: store.clock.now)
            else { throw NotSignedIn() }
            return session.account
        }
        _ = try await enter("google")
        #expect(types(try await drain(store)) == ["user.created", "session.started"])
        _ = try await enter("google")
        #expect(types(try await drain(store)) == ["session.started"])
        let account = try await enter("apple")
        #expect(types(try await drain(store)).contains("identity.linked"))
        let apple = try #require(account.identities.first { $0.provider == "apple" })
        _ = try await accounts.links.unlink(apple.id, of: account.user.id, keeping: nil, at: store.clock.now)
        let events = try await drain(store)
        #expect(types(events).contains("identity.unlinked"))
        let ended = events.first { $0["type"] == "session.ended" }
        #expect(ended?["data"]?["reason"] == "sign_in_method_removed")
    }

    @Test("A rolled-back transaction leaves no event", arguments: TestDatabase.all)
    func rollback(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        var accounts = store.accounts.telling([Self.endpoint])
        accounts.admission = .asks
        await #expect(throws: AccountNeedsAdmission.self) {
            _ = try await signUp(accounts, store, "ada@example.com")
        }
        #expect(try await take(store).isEmpty)
        #expect(try await store.count("users") == 0)
        let id = UserID(trusted: "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60")
        #expect(try await signUp(accounts.admitting(id), store, "ada@example.com").account.user.id == id)
    }

    @Test("Without webhooks nothing is stored, and no statement runs", arguments: TestDatabase.all)
    func none(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let statements = try await store.storage.statements.during {
            _ = try await signUp(store.accounts.telling([]), store, "ada@example.com")
        }
        #expect(statements == 5)
        #expect(try await store.rows("SELECT 1 FROM webhook_deliveries") == 0)
    }

    @Test("Each endpoint gets what it wants", arguments: TestDatabase.all)
    func kinds(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let users = Self.endpoint("users", [.userCreated])
        let accounts = store.accounts.telling([users, Self.endpoint("sessions", [.sessionStarted])])
        _ = try await signUp(accounts, store, "ada@example.com")
        let first = try await take(store, users)
        #expect(try types(first.map(event)) == ["user.created"])
        #expect(try await take(store, Self.endpoint("other")).isEmpty)
        let second = try await take(store, Self.endpoint("sessions"))
        #expect(try types(second.map(event)) == ["session.started"])
        #expect(first.first?.messageID != second.first?.messageID)
    }

    @Test("A user's events wait for each other, and no other user's do", arguments: TestDatabase.all)
    func order(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = store.accounts.telling([Self.endpoint])
        for email in ["ada@example.com", "bob@example.com"] { _ = try await signUp(accounts, store, email) }
        let first = try await take(store)
        #expect(try types(first.map(event)) == ["user.created", "user.created"])
        #expect(try await take(store).isEmpty)
        try await report(.failed(reason: "status 500"), of: first.first, store)
        try await report(.delivered, of: first.last, store)
        let next = try await take(store)
        #expect(try types(next.map(event)) == ["session.started"])
        store.clock.advance(by: .seconds(5))
        let again = try await take(store)
        #expect(try types(again.map(event)) == ["user.created"])
        #expect(again.first?.messageID == first.first?.messageID)
        #expect(again.first?.body == first.first?.body)
        #expect(again.first?.attempt == 2)
    }

    @Test(
        "An event that follows a failed one is due with it, and no poll looks at it before", arguments: TestDatabase.all
    )
    func followers(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let others = Self.endpoint("other", [.sessionStarted])
        let accounts = store.accounts.telling([Self.endpoint("app", [.userCreated, .sessionStarted]), others])
        let issued = try await signUp(accounts, store, "ada@example.com")
        try await report(.failed(reason: "status 500"), of: try await take(store).first, store)
        let again = try #require(try await accounts.events.deliveries(to: "app", limit: 10).map(\.nextAt).max())
        #expect(again > store.clock.now)
        guard
            case .signedIn = try await accounts.signIns.signIn(issued.account, from: store.device, at: store.clock.now)
        else { throw NotSignedIn() }
        let waiting = try await accounts.events.deliveries(to: "app", limit: 10)
        #expect(waiting.count == 3 && waiting.allSatisfy { $0.nextAt == again })
        // Another endpoint has had no failure.
        #expect(
            try await accounts.events.deliveries(to: "other", limit: 10).allSatisfy { $0.nextAt == store.clock.now })
        store.clock.advance(by: again - store.clock.now)
        #expect(types(try await drain(store)) == ["user.created", "session.started", "session.started"])
    }

    @Test("An event that a clock put off by a year is due again with the next clean-up", arguments: TestDatabase.all)
    func ahead(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let year = Duration.seconds(365 * 86_400)
        store.clock.advance(by: year)
        _ = try await signUp(store.accounts.telling([Self.endpoint]), store, "ada@example.com")
        try await report(.failed(reason: "x"), of: try await take(store).first, store)
        store.clock.advance(by: .zero - year)
        #expect(try await take(store).isEmpty)
        #expect(try await store.accounts.cleaning.purgeExpired(at: store.clock.now) == 2)
        let first = try #require(try await take(store).first)
        #expect(first.attempt == 2 && first.expiresAt == store.clock.now + WebhookSchedule.lifetime)
        #expect(try await store.accounts.cleaning.purgeExpired(at: store.clock.now) == 0)
    }

    @Test("One node leases a delivery; a lost report leads to another attempt", arguments: TestDatabase.all)
    func lease(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await signUp(store.accounts.telling([Self.endpoint]), store, "ada@example.com")
        let taken = try await withThrowingTaskGroup(of: [ClaimedDelivery].self) { group in
            for _ in 0..<20 { group.addTask { try await take(store) } }
            return try await group.reduce([], +)
        }
        #expect(taken.count == 1)
        store.clock.advance(by: WebhookSchedule.lease)
        let second = try #require(try await take(store).first)
        // The first node wakes up without the delivery.
        try await report(.delivered, of: taken.first, store)
        #expect(try await store.accounts.events.deliveryBacklog(of: "app").count == 2)
        try await report(.delivered, of: second, store)
        #expect(try await store.accounts.events.deliveryBacklog(of: "app").count == 1)
    }

    @Test("After three days a delivery ends, and can be replayed for a week", arguments: TestDatabase.all)
    func replay(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = store.accounts.telling([Self.endpoint("app", [.userCreated])])
        _ = try await signUp(accounts, store, "ada@example.com")
        var attempts = 0
        while let delivery = try await take(store).first {
            attempts += 1
            try await report(.failed(reason: "status 500"), of: delivery, store)
            guard let next = try await accounts.events.deliveries(limit: 1).first, next.state == "queued" else { break }
            store.clock.advance(by: next.nextAt - store.clock.now)
        }
        #expect(attempts > 20 && attempts < 30)
        let ended = try #require(try await accounts.events.deliveries(to: "app", limit: 10).first)
        #expect(ended.state == "failed" && ended.reason == "status 500")
        #expect(try await accounts.events.replay(.failed(endpoint: "other"), at: store.clock.now) == 0)
        #expect(try await accounts.events.replay(.failed(endpoint: "app"), at: store.clock.now) == 1)
        #expect(try await accounts.events.replay(.one(ended.id), at: store.clock.now) == 0)
        let again = try await take(store).first
        #expect(again?.messageID == ended.id && again?.attempt == 1)
        try await report(.delivered, of: again, store)
        #expect(try await accounts.events.replay(.one(ended.id), at: store.clock.now) == 1)
        try await report(.delivered, of: try await take(store).first, store)
        store.clock.advance(by: .seconds(7 * 86_400) + .microseconds(1))
        _ = try await accounts.cleaning.removeOutdated(at: store.clock.now)
        #expect(try await accounts.events.deliveries(limit: 10).isEmpty)
    }

    @Test("Waiting deliveries are repeated now, in the user's order", arguments: TestDatabase.all)
    func retry(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = store.accounts.telling([Self.endpoint("app", [.userCreated, .sessionStarted])])
        _ = try await signUp(accounts, store, "ada@example.com")
        let first = try #require(try await take(store).first)
        // Another node is delivering it.
        #expect(try await accounts.events.replay(.one(first.messageID), at: store.clock.now) == 0)
        try await report(.failed(reason: "status 500"), of: first, store)
        #expect(try await take(store).isEmpty)
        let failing = try await accounts.events.failingWebhooks()
        #expect(failing.map(\.endpoint) == ["app"] && failing.map(\.waiting) == [1])
        #expect(failing.first?.reason == "status 500" && failing.first?.since != nil)
        #expect(try await accounts.events.replay(.waiting(endpoint: "other"), at: store.clock.now) == 0)
        #expect(try await accounts.events.replay(.one(first.messageID), at: store.clock.now) == 2)
        let again = try #require(try await take(store).first)
        #expect(again.messageID == first.messageID && again.attempt == 2)
        try await report(.failed(reason: "status 500"), of: again, store)
        #expect(try await accounts.events.replay(.waiting(endpoint: "app"), at: store.clock.now) == 2)
        try await report(.delivered, of: try await take(store).first, store)
        try await report(.delivered, of: try await take(store).first, store)
        #expect(try await accounts.events.failingWebhooks().isEmpty)
    }

    @Test("A replay works in batches, leaves out what was delivered, and is recorded once", arguments: TestDatabase.all)
    func replayInBatches(_ kind: TestDatabase) async throws {
        let recorded = RecordedStatements()
        let store = try await StoreFixture(kind) { RecordingDatabase(database: $0, recorded: recorded) }
        let accounts = store.accounts.telling([Self.endpoint("app", [.userCreated])])
        for number in 0..<7 {
            _ = try await signUp(accounts, store, "person\(number)@example.com")
            store.clock.advance(by: .seconds(1))
            try await report(number == 3 ? .delivered : .gone, of: try await take(store).first, store)
        }
        let entry = AuditEntry(.deliveryReplayed, actor: nil, actorName: "test")
        let failed = DeliveryChoice.failed(endpoint: "app")
        var replayed = 0
        let statements = try await recorded.count.during {
            replayed = try await accounts.events.replay(failed, recording: entry, limit: 2, at: store.clock.now)
        }
        #expect(replayed == 6)
        // Three batches, each with a query and a change.
        #expect(statements >= 6)
        let entries = try await store.text("SELECT count(*) || '' FROM audit_log WHERE action = 'delivery_replayed'")
        #expect(entries == "1")
        #expect(try await take(store).count == 6)
        #expect(try await accounts.events.replay(failed, limit: 2, at: store.clock.now) == 0)
    }

    @Test("A replay has what ended while a clock was ahead, too", arguments: TestDatabase.all)
    func replayOfFuture(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = store.accounts.telling([Self.endpoint("app", [.userCreated])])
        let year = Duration.seconds(365 * 86_400)
        for ahead in [year, .zero] {
            _ = try await signUp(accounts, store, "person\(ahead.components.seconds)@example.com")
            let delivery = try await take(store).first
            store.clock.advance(by: ahead)
            try await report(.gone, of: delivery, store)
            store.clock.advance(by: .zero - ahead)
        }
        #expect(try await accounts.events.replay(.failed(endpoint: "app"), at: store.clock.now) == 2)
        #expect(try await take(store).count == 2)
    }

    @Test("An endpoint that is gone stays so until its URL changes", arguments: TestDatabase.all)
    func gone(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = store.accounts.telling([Self.endpoint])
        _ = try await signUp(accounts, store, "ada@example.com")
        #expect(try await !accounts.events.isDisabled(Self.endpoint))
        try await accounts.events.disable(Self.endpoint, at: store.clock.now)
        #expect(try await accounts.events.isDisabled(Self.endpoint))
        let moved = WebhookEndpoint(name: "app", url: "https://new.example.org", secrets: [], kinds: [])
        #expect(try await !accounts.events.isDisabled(moved))
        #expect(try await accounts.events.endDeliveries(to: "app", reason: "gone", at: store.clock.now) == 2)
        #expect(try await take(store).isEmpty)
        try await accounts.events.enable(Self.endpoint)
        #expect(try await !accounts.events.isDisabled(Self.endpoint))
    }

    @Test("What is stored of an event is sealed, and goes with a deleted user", arguments: TestDatabase.all)
    func sealed(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let accounts = store.accounts.telling([Self.endpoint("app", [.userCreated, .userDeleted])])
        let user = try await signUp(accounts, store, "ada@example.com").account.user.id
        let stored = try await store.storage.database.read { db in
            try db.row("SELECT sealed FROM webhook_deliveries") { $0.bytes() } ?? []
        }
        #expect(!stored.isEmpty && !String(decoding: stored, as: UTF8.self).contains("ada"))
        _ = try await drain(store)
        _ = try await accounts.softDelete(user, at: store.clock.now)
        #expect(try await accounts.events.deliveries(limit: 10).count == 2)
        _ = try await drain(store)
        #expect(try await accounts.events.deliveries(limit: 10).map(\.kind) == ["user.deleted"])
    }

    @Test(
        "A node finds due deliveries one by one, also before the database has statistics", arguments: TestDatabase.all)
    func plans(_ kind: TestDatabase) async throws {
        let recorded = RecordedStatements()
        let store = try await StoreFixture(kind, isNew: true) { RecordingDatabase(database: $0, recorded: recorded) }
        let accounts = store.accounts.telling([Self.endpoint])
        for number in 0..<100 { _ = try await signUp(accounts, store, "person\(number)@example.com") }
        _ = try await take(store)
        let taking = recorded.all.filter { $0.text.contains("webhook_deliveries AS earlier") }
        #expect(!taking.isEmpty)
        for statement in taking {
            let plan = try await store.storage.database.write { try $0.plan(statement) }
            let text = plan.joined(separator: "\n")
            let looksUp = ["webhook_deliveries_by_user (user_id=?", "Index Cond: ((user_id = "]
            #expect(looksUp.contains(where: text.contains), "\(text)")
            #expect(text.contains("webhook_deliveries_by_time"), "\(text)")
            #expect(!text.contains("Join Filter") && !text.contains("TEMP B-TREE"), "\(text)")
        }
    }
}
