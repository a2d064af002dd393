import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("What a soft deletion leaves")
struct ErasureTests {
    private static let address = "adaline.quux@example.com"
    private static let personal = [
        address, "adaline", "quux", "+4915112345678", "4915112345678", "new.place@example.org", "192.0.2.77",
        "secret-os",
    ]

    /// Uses everything that stores personal data.
    private func live(_ store: StoreFixture) async throws -> UserID {
        let device = Device(userAgent: "Secret-OS/1", address: "192.0.2.77")
        let issued = try await store.signedIn(
            Self.address, metadata: ["first_name": "Adaline", "full_name": "Adaline Quux"])
        let user = issued.account.user.id
        _ = try await store.asked(store.identity("apple", "8", email: Self.address))
        let profile = ProfileFill(firstName: "Adaline")
        _ = try await store.link(
            store.identity("google", "7", email: Self.address, data: ["name": "Adaline Quux"], profile: profile),
            to: issued, grant: ProviderGrant(refreshToken: Secret("r"), client: "c"))
        let passkey = try await store.registered(store.newPasskey(), of: issued)
        _ = try await store.accounts.passkeys.rename(
            passkey.id, of: user, to: "Adaline's phone", by: issued.session.id, at: store.clock.now)
        var accounts = store.accounts
        accounts.notices = MailNotices(kinds: [.newDevice, .emailChanged])
        var attributes = AdminAttributes()
        attributes.phone = PhoneNumber("+4915112345678")
        _ = try await accounts.admin.update(user, attributes, from: device, at: store.clock.now)
        let account = try #require(try await accounts.admin.account(user))
        for _ in 0..<2 { _ = try await accounts.signIns.signIn(account, from: device, at: store.clock.now) }
        let request = MailRequest(redirectTo: "https://app.example.org", lifetime: .seconds(3_600))
        try await accounts.mails.ask(
            MailAsk(.recovery, .email(#require(EmailAddress(Self.address))), request), at: store.clock.now)
        for mail in try await accounts.mailQueue.takeMails(.codes, limit: 9, lease: .seconds(60), at: store.clock.now) {
            guard case .request(let ask) = mail.content else { continue }
            _ = try await accounts.mails.resolve(ask, of: mail, at: store.clock.now)
        }
        var update = UserUpdate(device: device)
        update.emailChange = EmailChange(
            email: try #require(EmailAddress("new.place@example.org")), mail: request, asksBoth: true)
        _ = try await accounts.update(user, update, keeping: nil, at: store.clock.now)
        let refused = RefusedSignIn(.password, "invalid_credentials", from: device, at: store.clock.now)
        try await accounts.signIns.record([refused], of: .user(user), at: store.clock.now)
        try await accounts.signOut(
            user, name: Self.address, session: issued.session.id, scope: .local, from: device, at: store.clock.now)
        while try await accounts.searchIndex.update() > 0 {}
        return user
    }

    /// Every row of every table except the audit log, in lower case, bytes as hexadecimal digits.
    private func dump(_ store: StoreFixture) async throws -> [(table: String, row: String)] {
        let isServer = store.storage.database.dialect == .postgresql
        let tables: SQL =
            isServer
            ? "SELECT CAST(table_name AS text) FROM information_schema.tables WHERE table_schema = current_schema()"
            : "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        return try await store.storage.database.read { db in
            var found: [(table: String, row: String)] = []
            for table in try db.rows(tables, { $0.text() }) where table != "audit_log" {
                let columns: SQL = "SELECT name FROM pragma_table_info(\(table))"
                let whole =
                    isServer
                    ? "CAST(\(table) AS text)"
                    : try db.rows(columns) { "quote(\($0.text()))" }.joined(separator: " || ' ' || ")
                let rows = SQL(stringLiteral: "SELECT \(whole) FROM \(table)")
                found += try db.rows(rows) { (table, $0.text().lowercased()) }
            }
            return found
        }
    }

    private static func hits(_ rows: [(table: String, row: String)]) -> [String] {
        rows.flatMap { table, row in
            personal.filter { text in
                let digits = text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                return row.contains(text) || row.contains(digits)
            }.map { "\(table): \($0)" }
        }
    }

    @Test("No table has the address, name, phone, device or client address any more", arguments: TestDatabase.all)
    func everything(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let user = try await live(store)
        let before = Set(Self.hits(try await dump(store)).map { $0.split(separator: ":")[0] })
        #expect(before.isSuperset(of: ["users", "identities", "sessions", "profiles", "ended_sessions"]), "\(before)")
        #expect(before.isSuperset(of: ["one_time_tokens", "passkeys", "search_terms"]), "\(before)")
        store.tick()
        #expect(try await store.accounts.softDelete(user, at: store.clock.now))
        #expect(Self.hits(try await dump(store)) == [])
        let log = try await store.accounts.auditLog(nil, page: PageRequest(number: 1, size: 1))
        let entry = try #require(log.elements.first)
        #expect(entry.action == "user_deleted" && entry.createdAt == store.clock.now)
        #expect(Self.hits([("audit_log", "\(entry.actorName) \(entry.traits)".lowercased())]) == [])
    }
}
