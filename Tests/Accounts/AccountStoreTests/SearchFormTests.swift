import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("What a search recognizes")
struct SearchFormTests {
    private static func found(_ store: StoreFixture, _ text: String, limit: Int = 50) async throws -> [String] {
        var search = AccountSearch()
        search.text = text
        var (all, next): ([FoundAccount], String?) = ([], nil)
        repeat {
            let page = try await store.accounts.admin.search(search, after: next, limit: limit, at: store.clock.now)
            all += page.accounts
            next = page.next
        } while next != nil
        return all.map { $0.email ?? $0.phone ?? "-" }.sorted { $0 < $1 }
    }

    private static func create(
        _ store: StoreFixture, _ email: String?, _ metadata: AuthJSONObject = [:], phone: String? = nil
    ) async throws -> User {
        var attributes = AdminAttributes()
        (attributes.email, attributes.phone) = (email.flatMap { EmailAddress($0) }, phone.flatMap { PhoneNumber($0) })
        attributes.userMetadata = metadata
        guard case .done(let account) = try await store.accounts.admin.create(attributes, at: store.clock.now) else {
            throw NotSignedIn()
        }
        return account.user
    }

    private static func change(_ store: StoreFixture, _ statement: SQL) async throws {
        try await store.storage.database.write { db in _ = try db.run(statement) }
    }

    @Test(
        "Names are found by their words' beginnings, in any order, without case and accents",
        arguments: TestDatabase.all)
    func names(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await Self.create(store, "a@example.com", ["first_name": "Ada", "last_name": "Lovelace"])
        _ = try await Self.create(store, "g@example.com", ["given_name": "Grace", "family_name": "Hopper"])
        _ = try await Self.create(store, "j@example.com", ["name": "José Ángel O’Brien-Müller"])
        _ = try await Self.create(store, "s@example.com", ["full_name": "SØREN Łukasz Straße"])
        _ = try await Self.create(store, "c@example.com", ["preferred_username": "the_countess"])
        _ = try await Self.create(store, "r@example.com", ["full_name": "Андрей Σίσυφος"])
        let expected: [(String, [String])] = [
            ("ada", ["a@example.com"]), ("Lovelace", ["a@example.com"]), ("LOVE", ["a@example.com"]),
            ("Ada Lovelace", ["a@example.com"]), ("lovelace, ada", ["a@example.com"]), ("love ad", ["a@example.com"]),
            ("ad love", ["a@example.com"]), ("ada hopper", []), ("velace", []), ("Grace Hopper", ["g@example.com"]),
            ("jose", ["j@example.com"]), ("JOSE\u{301}", ["j@example.com"]), ("obrien", ["j@example.com"]),
            ("O'Brien", ["j@example.com"]), ("muller jose", ["j@example.com"]), ("Angel José Mü", ["j@example.com"]),
            ("soren", ["s@example.com"]), ("lukasz", ["s@example.com"]), ("strasse", ["s@example.com"]),
            ("countess", ["c@example.com"]), ("андреи", ["r@example.com"]), ("ΣΊΣΥΦΟΣ", ["r@example.com"]),
            ("  ada  ", ["a@example.com"]), ("jos%", ["j@example.com"]), ("jo_e", []), ("%", []), ("_", []), (" ", []),
        ]
        for (text, people) in expected {
            #expect(try await Self.found(store, text) == people, "\(text)")
        }
    }

    @Test("An address is found by its beginning and after each separator", arguments: TestDatabase.all)
    func addresses(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await Self.create(store, "bob.marley+reggae@club.example.org")
        _ = try await Self.create(store, "bob@example.com")
        let bob = "bob.marley+reggae@club.example.org"
        let expected: [(String, [String])] = [
            ("bob", [bob, "bob@example.com"]), ("marley", [bob]), ("Marley+Reg", [bob]), ("reggae", [bob]),
            ("@club.example.org", [bob]), ("club.example", [bob]), ("example.org", [bob]),
            ("@example.com", ["bob@example.com"]), ("marley club", [bob]), ("arley", []), ("bob.marley@", []),
        ]
        for (text, people) in expected {
            #expect(try await Self.found(store, text) == people, "\(text)")
            #expect(try await Self.found(store, text, limit: 1) == people, "\(text)")
        }
    }

    @Test("A number is found in any notation, by its beginning or its end", arguments: TestDatabase.all)
    func numbers(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await Self.create(store, nil, phone: "4915112345678")
        _ = try await Self.create(store, nil, phone: "15551230001")
        _ = try await Self.create(store, "5555@example.com")
        let (german, american) = (["4915112345678"], ["15551230001"])
        let expected: [(String, [String])] = [
            ("+49 151 12345678", german), ("+49 (0)151 12345678", german), ("0049 151-1234", german),
            ("0151 12345678", german), ("0151/12345678", german), ("12345678", german), ("345678", german),
            ("+1-555-123-0001", american), ("(555) 123-0001", american), ("1.555.123", american), ("0001", american),
            ("+345678", []), ("5551", []), ("5555", ["5555@example.com"]), ("678", []),
        ]
        for (text, people) in expected { #expect(try await Self.found(store, text) == people, "\(text)") }
    }

    @Test("IDs of accounts, sessions, identities, providers and requests find the account", arguments: TestDatabase.all)
    func ids(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn("ada@example.com")
        _ = try await store.signedIn("other@example.com")
        _ = try await store.entered(
            store.identity("google", "108234", email: "g@example.com", data: ["name": "Grace Hopper"]))
        let id = issued.account.user.id.text
        let session = issued.session.id
        var device = store.device
        device.requestID = "req-42"
        let identity = try #require(try await store.text("SELECT id FROM identities WHERE provider_id = '108234'"))
        for text in [id, id.uppercased(), String(id.prefix(8)), String(id.prefix(20)), session.text] {
            #expect(try await Self.found(store, text) == ["ada@example.com"], "\(text)")
        }
        #expect(try await Self.found(store, String(id.prefix(7))) == [])
        for text in ["108234", identity, "Hopper", "g@ex"] {
            #expect(try await Self.found(store, text) == ["g@example.com"], "\(text)")
        }
        #expect(try await Self.found(store, "10823") == [])
        #expect(try await Self.found(store, "req-42") == [])
        try await store.accounts.signOut(
            issued.account.user.id, name: "ada@example.com", session: session, scope: .local, from: device,
            at: store.clock.now)
        for text in [session.text, "req-42"] {
            #expect(try await Self.found(store, text) == ["ada@example.com"], "\(text)")
        }
        #expect(try await Self.found(store, "req-4") == [])
    }

    @Test("A change by any program is found by the next search, and the old name no more", arguments: TestDatabase.all)
    func changes(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await Self.create(store, "a@example.com", ["full_name": "Ada Byron"])
        #expect(try await Self.found(store, "byron") == ["a@example.com"])
        // By SQL, as another program would. The profile has the name as well.
        try await Self.change(store, "UPDATE profiles SET name = NULL WHERE id = \(ada.id.text)")
        #expect(try await Self.found(store, "byron") == ["a@example.com"])
        try await Self.change(
            store, "UPDATE users SET user_metadata = '{\"full_name\":\"Ada Lovelace\"}' WHERE id = \(ada.id.text)")
        #expect(try await Self.found(store, "byron") == [])
        #expect(try await Self.found(store, "ada lovelace") == ["a@example.com"])
        try await Self.change(store, "UPDATE profiles SET first_name = 'Augusta' WHERE id = \(ada.id.text)")
        #expect(try await Self.found(store, "augusta ada") == ["a@example.com"])
        try await Self.change(store, "UPDATE users SET email = 'king@example.com' WHERE id = \(ada.id.text)")
        #expect(try await Self.found(store, "@example.com") == ["king@example.com"])
        _ = try await store.accounts.softDelete(ada.id, at: store.clock.now)
        #expect(try await Self.found(store, "lovelace") == [])
        #expect(try await store.text("SELECT term FROM search_terms LIMIT 1") == nil)
        let grace = try await Self.create(store, "g@example.com", ["full_name": "Grace"])
        #expect(try await Self.found(store, "grace") == ["g@example.com"])
        _ = try await store.accounts.delete(grace.id, actor: nil, at: store.clock.now)
        #expect(try await Self.found(store, "grace") == [])
        while try await store.accounts.searchIndex.update() > 0 {}
        #expect(try await store.text("SELECT term FROM search_terms LIMIT 1") == nil)
    }

    @Test(
        "Accounts that an earlier release stored are added in batches, and the search says so",
        arguments: TestDatabase.all)
    func filling(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for number in 0..<5 { _ = try await Self.create(store, "p\(number)@example.com", ["name": "Ada"]) }
        for statement in ["DELETE FROM search_terms", "DELETE FROM search_changes", "DELETE FROM search_filling"]
            as [SQL]
        {
            try await Self.change(store, statement)
        }
        var search = AccountSearch()
        search.text = "ada"
        func page() async throws -> SearchPage {
            try await store.accounts.admin.search(search, after: nil, limit: 50, at: store.clock.now)
        }
        var sizes: [Int] = []
        repeat {
            let page = try await page()
            #expect(page.isIncomplete)
            sizes.append(page.accounts.count)
        } while try await store.accounts.searchIndex.update(limit: 2) > 0
        #expect(sizes == [0, 2, 4, 5])
        let last = try await page()
        #expect(!last.isIncomplete && last.accounts.count == 5)
    }

    @Test("Two common words that seldom meet find the account, page by page", arguments: TestDatabase.all)
    func commonWords(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        // Beginnings only, so the pair of words does not find them.
        for number in 0..<1_300 {
            let name = number == 1_299 ? "Annabel Smithson" : number % 2 == 0 ? "Anna" : "Smithy"
            _ = try await Self.create(store, "p\(number)@example.com", ["name": .string(name)])
        }
        while try await store.accounts.searchIndex.update(limit: 500) > 0 {}
        #expect(try await Self.found(store, "smith ann") == ["p1299@example.com"])
        #expect(try await Self.found(store, "smith", limit: 100).count == 650)
        var search = AccountSearch()
        search.text = "p"
        let page = try await store.accounts.admin.search(search, after: nil, limit: 10, at: store.clock.now)
        #expect(page.accounts.count == 10 && page.next != nil)
    }

    @Test("An account has a bounded number of terms, whatever its names are", arguments: TestDatabase.all)
    func bounds(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let long = (0..<300).map { "w\($0)" }.joined(separator: " ")
        let local = (0..<15).map { "a\($0)" }.joined(separator: ".")
        _ = try await Self.create(
            store, "\(local)@example.com",
            ["full_name": .string(long), "last_name": .string(String(repeating: "e\u{301}", count: 300))])
        while try await store.accounts.searchIndex.update() > 0 {}
        let count = try await store.storage.database.read { db in
            try db.row("SELECT count(*) FROM search_terms") { Int($0.int()) }
        }
        #expect((10...64).contains(count ?? 0), "\(count ?? 0)")
        #expect(try await Self.found(store, "w3 w1").count == 1)
        #expect(try await Self.found(store, String(repeating: "w", count: 256)) == [])
    }

    @Test("Counts are exact for few accounts, and bounded for a frequent state", arguments: TestDatabase.all)
    func counts(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for number in 0..<3 { _ = try await Self.create(store, "p\(number)@example.com") }
        let before = try await store.accounts.admin.counts()
        #expect(before.total == .init(number: 3, precision: .exact))
        #expect(before.states.first { $0.state == .unconfirmed }?.count == .init(number: 3, precision: .exact))
        #expect(before.states.first { $0.state == .banned }?.count.number == 0)
        for number in 3..<1_002 { _ = try await Self.create(store, "p\(number)@example.com") }
        let after = try await store.accounts.admin.counts()
        #expect(after.total.number == 1_002)
        #expect(after.states.first { $0.state == .unconfirmed }?.count == .init(number: 1_000, precision: .atLeast))
    }

    @Test(
        "New accounts are counted in a period and the one before, and ends of sessions by reason",
        arguments: TestDatabase.all)
    func people(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let begin = store.clock.now
        _ = try await store.signedIn("old@example.com")
        store.clock.advance(by: .seconds(3_600))
        let middle = store.clock.now
        for address in ["a@example.com", "b@example.com"] {
            let issued = try await store.signedIn(address)
            try await store.accounts.signOut(
                issued.account.user.id, name: address, session: issued.session.id, scope: .local, from: store.device,
                at: store.clock.now)
        }
        store.clock.advance(by: .seconds(3_600))
        let people = try await store.accounts.admin.people(from: middle, until: store.clock.now)
        #expect(people.total == .init(number: 3, precision: .exact))
        #expect(people.new == 2 && people.newBefore == 1)
        #expect(people.ends.map(\.reason) == ["signed_out"] && people.ends.map(\.count) == [2])
        let earlier = try await store.accounts.admin.people(from: begin, until: middle)
        #expect(earlier.new == 1 && earlier.newBefore == 0 && earlier.ends.isEmpty)
    }

    @Test("A page says if more accounts have the digits", arguments: TestDatabase.all)
    func cut(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for number in 0..<3 { _ = try await Self.create(store, nil, phone: "+4915112345\(number)0") }
        var search = AccountSearch()
        search.text = "4915112345"
        func page(_ limit: Int) async throws -> SearchPage {
            try await store.accounts.admin.search(search, after: nil, limit: limit, at: store.clock.now)
        }
        let (cut, whole) = (try await page(2), try await page(3))
        #expect(cut.accounts.count == 2 && cut.isCut && cut.next == nil)
        #expect(whole.accounts.count == 3 && !whole.isCut)
    }

    @Test("The list runs in both orders", arguments: TestDatabase.all)
    func orders(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for number in 0..<5 {
            _ = try await Self.create(store, "p\(number)@example.com")
            store.clock.advance(by: .seconds(1))
        }
        var search = AccountSearch()
        search.isOldestFirst = true
        var (all, next): ([String?], String?) = ([], nil)
        repeat {
            let page = try await store.accounts.admin.search(search, after: next, limit: 2, at: store.clock.now)
            all += page.accounts.map(\.email)
            next = page.next
        } while next != nil
        #expect(all == (0..<5).map { "p\($0)@example.com" })
    }
}
