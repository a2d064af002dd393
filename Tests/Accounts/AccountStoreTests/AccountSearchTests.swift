import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import Seeding
import TestDatabases
import Testing

@Suite("Searches of administrators")
struct AccountSearchTests {
    private static func searching(_ text: String) -> AccountSearch {
        var search = AccountSearch()
        search.text = text
        return search
    }

    /// The accounts of all pages.
    private static func all(
        _ store: StoreFixture, _ search: AccountSearch, limit: Int, between: () async throws -> Void = {}
    ) async throws -> [FoundAccount] {
        var (found, next): ([FoundAccount], String?) = ([], nil)
        repeat {
            let page = try await store.accounts.admin.search(search, after: next, limit: limit, at: store.clock.now)
            #expect(page.accounts.count <= limit)
            found += page.accounts
            next = page.next
            try await between()
        } while next != nil
        return found
    }

    private static func person(_ store: StoreFixture, _ email: String, name: String? = nil) async throws {
        var attributes = AdminAttributes()
        attributes.email = EmailAddress(email)
        attributes.confirmsEmail = true
        if let name { attributes.userMetadata = ["full_name": .string(name)] }
        guard case .done = try await store.accounts.admin.create(attributes, at: store.clock.now) else {
            throw NotSignedIn()
        }
        store.clock.advance(by: .seconds(1))
    }

    @Test("Pages visit every account once, newest first, while others are created", arguments: TestDatabase.all)
    func everyAccount(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let people = try SeededPeople(store.accounts, seed: 1, passwordHash: Secret("$hash$"), at: store.clock.now)
        _ = try await store.accounts.seeds.add(people, 0..<300)
        // Several at the same moment.
        let now = SQLValue.instant(store.clock.now.microseconds)
        try await store.storage.database.write { db in
            try db.run("UPDATE users SET created_at = \(now) WHERE email LIKE 'person-1%'")
        }
        var number = 0
        let found = try await Self.all(store, AccountSearch(), limit: 7) {
            number += 1
            try await Self.person(store, "new-\(number)@example.com")
        }
        let seeded = found.filter { $0.email?.hasPrefix("person-") == true }
        #expect(seeded.count == 300 && Set(found.map(\.id)).count == found.count)
        #expect(found.map(\.createdAt) == found.map(\.createdAt).sorted(by: >))
        #expect(number > 40)
    }

    @Test("Both lists of accounts end, also with accounts dated before the year 1", arguments: TestDatabase.all)
    func beforeTheYearOne(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let addresses = (1...5).map { "p\($0)@example.com" }
        for address in addresses.reversed() { try await Self.person(store, address) }
        // 43 and 44 B.C.; two at the same moment.
        for (address, seconds) in zip(addresses[1...], [-63_500_000_000, -63_500_000_000, -63_520_000_000] as [Int64]) {
            let time = SQLValue.instant(seconds * 1_000_000)
            try await store.storage.database.write { db in
                _ = try db.run("UPDATE users SET created_at = \(time) WHERE email = \(address)")
            }
        }
        var (listed, found, last, next): ([String?], [String?], User?, String?) = ([], [], nil, nil)
        for _ in addresses {
            let page = try await store.accounts.admin.newest(after: last, limit: 1)
            last = page.last?.user
            listed += page.map(\.user.email)
            let result = try await store.accounts.admin.search(
                AccountSearch(), after: next, limit: 1, at: store.clock.now)
            next = result.next
            found += result.accounts.map(\.email)
        }
        #expect(try await store.accounts.admin.newest(after: last, limit: 1).isEmpty && next == nil)
        #expect(Set(listed) == Set(addresses) && listed.first == addresses[0] && listed.last == addresses[3])
        #expect(found == listed)
    }

    @Test("A text finds the addresses and names that begin with it, each account once", arguments: TestDatabase.all)
    func text(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        try await Self.person(store, "ada@example.com", name: "Ada Lovelace")
        try await Self.person(store, "countess@example.com", name: "ADA King")
        try await Self.person(store, "a_a@example.com", name: "100% Ada")
        try await Self.person(store, "aba@example.com", name: "علي حسن")
        try await Self.person(store, "z@example.com", name: "Émile")
        try await Self.person(store, "y@example.com", name: "\u{10FFFF}\u{10FFFF}x")
        try await Self.person(store, "x@example.com", name: "\u{D7FF}y")
        try await Self.person(store, "w@example.com")
        let expected: [(String, [String])] = [
            ("ada", ["ada@example.com", "a_a@example.com", "countess@example.com"]), ("ADA@EX", ["ada@example.com"]),
            ("Ada L", ["ada@example.com"]), ("a_", ["a_a@example.com"]), ("%", []), ("_", []), ("\\", []),
            ("100%", ["a_a@example.com"]), ("عل", ["aba@example.com"]), ("ÉM", ["z@example.com"]),
            ("émi", ["z@example.com"]), ("\u{10FFFF}", ["y@example.com"]),
            ("\u{10FFFF}\u{10FFFF}", ["y@example.com"]), ("\u{D7FF}", ["x@example.com"]), ("\u{E000}", []),
            ("lovelace", ["ada@example.com"]), ("' OR 1=1 --", []), ("$1", ["a_a@example.com"]),
            ("a", ["a_a@example.com", "aba@example.com", "ada@example.com", "countess@example.com"]),
        ]
        for (text, addresses) in expected {
            for limit in [1, 2, 50] {
                let found = try await Self.all(store, Self.searching(text), limit: limit)
                #expect(found.first?.email == addresses.first, "\(text), \(limit) a page")
                // Terms of equal accounts are in the order of their random IDs.
                #expect(found.compactMap(\.email).sorted() == addresses.sorted(), "\(text), \(limit) a page")
            }
        }
    }

    @Test("The id of an account finds it, in either case", arguments: TestDatabase.all)
    func id(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn(metadata: ["full_name": "Ada"]).account.user
        _ = try await store.signedIn("other@example.com")
        let found = try await Self.all(store, Self.searching(ada.id.text.uppercased()), limit: 1)
        #expect(found.map(\.id) == [ada.id] && found[0].fullName == "Ada" && found[0].providers == ["email"])
        #expect(found[0].lastSignInAt != nil && found[0].emailConfirmedAt != nil && !found[0].isAnonymous)
        #expect(try await Self.all(store, Self.searching("6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"), limit: 1).isEmpty)
    }

    @Test("Names that are no text, too long, or hold what text cannot keep no account out", arguments: TestDatabase.all)
    func oddNames(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let long = String(repeating: "\u{10FFFF}", count: 4_000)
        let names: [AuthJSON] = [12, ["Ada"], .null, "Ada", .string(long), "", "\u{301}"]
        for (number, name) in names.enumerated() {
            _ = try await store.signedIn("p\(number)@example.com", metadata: ["full_name": name])
        }
        for text in [#"{"full_name":"a\u0000b"}"#, #"{"full_name":"\ud800"}"#, #"{"full_name":"Ad\u0061"}"#] {
            try await store.storage.database.write { db in
                try db.run("UPDATE users SET user_metadata = \(text) WHERE email = 'p3@example.com'")
                try db.run("UPDATE audit_log SET traits = \(text), actor_id = NULL")
            }
        }
        let users = try await Self.all(store, AccountSearch(), limit: 3)
        #expect(users.count == names.count)
        #expect(try await Self.all(store, Self.searching("ada"), limit: 3).map(\.email) == ["p3@example.com"])
        #expect(users.compactMap { $0.fullName?.unicodeScalars.count }.max() == 256)
        #expect(try await Self.all(store, Self.searching("12"), limit: 3).isEmpty)
        let prefix = String(repeating: "\u{10FFFF}", count: 64)
        #expect(try await Self.all(store, Self.searching(prefix), limit: 1).map(\.email) == ["p4@example.com"])
    }

    @Test("Many accounts with one name are all found", arguments: TestDatabase.all)
    func namesakes(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for number in 0..<9 { try await Self.person(store, "p\(number)@example.com", name: "Ada") }
        let found = try await Self.all(store, Self.searching("ad"), limit: 2)
        #expect(Set(found.map(\.id)).count == 9 && found.count == 9)
    }

    @Test("Each filter finds its accounts", arguments: TestDatabase.all)
    func filters(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let active = try await store.signedIn("active@example.com").account.user
        let banned = try await store.signedIn("banned@example.com").account.user
        let deleted = try await store.signedIn("deleted@example.com").account.user
        _ = try await store.signUp("unconfirmed@example.com", isConfirmed: false)
        _ = try await store.accounts.signIns.signUpAnonymously(metadata: [:], from: store.device, at: store.clock.now)
        _ = try await store.entered(store.identity("google", "1", email: "google@example.com"))
        var ban = AdminAttributes()
        ban.ban = .lasting(.seconds(60))
        _ = try await store.accounts.admin.update(banned.id, ban, at: store.clock.now)
        _ = try await store.accounts.softDelete(deleted.id, at: store.clock.now)
        func found(_ change: (inout AccountSearch) -> Void) async throws -> [String?] {
            var search = AccountSearch()
            change(&search)
            return try await Self.all(store, search, limit: 1).map(\.email).sorted { ($0 ?? "") < ($1 ?? "") }
        }
        #expect(try await found { $0.state = .active } == ["active@example.com", "google@example.com"])
        #expect(try await found { $0.state = .unconfirmed } == ["unconfirmed@example.com"])
        #expect(try await found { $0.state = .banned } == ["banned@example.com"])
        #expect(try await found { $0.state = .anonymous } == [nil])
        #expect(try await found { $0.state = .deleted }.count == 1)
        #expect(try await found { $0.method = "google" } == ["google@example.com"])
        #expect(try await found { $0.method = "goog" } == [])
        #expect(try await found { ($0.text, $0.state) = ("a", .active) } == ["active@example.com"])
        #expect(try await found { ($0.text, $0.state) = (active.id.text, .banned) } == [])
        let later = store.clock.now + .seconds(1)
        #expect(try await found { $0.seenAfter = later } == [])
        #expect(try await found { ($0.seenBefore, $0.state) = (later, .active) }.count == 2)
        store.clock.advance(by: .seconds(61))
        #expect(try await found { $0.state = .banned } == [])
    }

    @Test("A page for a rare filter examines a bounded number of accounts and goes on", arguments: TestDatabase.all)
    func rare(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let people = try SeededPeople(store.accounts, seed: 1, passwordHash: Secret("$hash$"), at: store.clock.now)
        for start in stride(from: 0, to: 4_500, by: 500) {
            _ = try await store.accounts.seeds.add(people, start..<(start + 500))
        }
        // The oldest account.
        let now = SQLValue.instant(store.clock.now.microseconds)
        try await store.storage.database.write { db in
            try db.run(
                "UPDATE users SET deleted_at = \(now) WHERE created_at = (SELECT min(created_at) FROM users)")
        }
        var search = AccountSearch()
        // The second has an index for this state alone.
        for (text, state, pages) in [("person", .deleted, 3), (nil, .deleted, 1), (nil, nil, 5)] as [Rare] {
            (search.text, search.state) = (text, state)
            search.method = state == nil ? "phone" : nil
            var (sizes, next): ([Int], String?) = ([], nil)
            repeat {
                let page = try await store.accounts.admin.search(search, after: next, limit: 50, at: store.clock.now)
                sizes.append(page.accounts.count)
                next = page.next
            } while next != nil && sizes.count < 10
            #expect(sizes.reduce(0, +) == (state == nil ? 0 : 1) && sizes.count == pages, "\(sizes)")
        }
    }

    private typealias Rare = (text: String?, state: AccountSearch.State?, pages: Int)

    @Test("A cursor counts only as this server made it, and for its kind of search", arguments: TestDatabase.all)
    func cursors(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for number in 0..<3 { try await Self.person(store, "p\(number)@example.com", name: "Ada") }
        func page(_ text: String?, _ cursor: String?) async throws -> SearchPage {
            var search = AccountSearch()
            search.text = text
            return try await store.accounts.admin.search(search, after: cursor, limit: 1, at: store.clock.now)
        }
        let byTime = try #require(try await page(nil, nil).next)
        let byAddress = try #require(try await page("p", nil).next)
        let byName = try #require(try await page("ada", nil).next)
        #expect([byTime, byAddress, byName].allSatisfy { !$0.contains("p0") && $0.utf8.count < 200 })
        let id = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"
        let changed = String(byTime.dropLast(4)) + (byTime.hasSuffix("AAAA") ? "BBBB" : "AAAA")
        let refused: [(String?, String)] = [
            (nil, byAddress), (nil, byName), ("p", byTime), (id, byTime), (id, byAddress), (nil, changed), (nil, "x"),
            (nil, "=" + byTime), (nil, String(repeating: "A", count: 100)), (nil, String(repeating: "A", count: 3_000)),
        ]
        for (text, cursor) in refused {
            await #expect(throws: MalformedCursor.self, "\(text ?? "") \(cursor)") { _ = try await page(text, cursor) }
        }
        #expect(try await page(nil, byTime).accounts.count == 1)
    }
}
