import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Signing up")
struct SignUpTests {
    @Test(
        "C5: The profile comes with the account and accepts a valid first name",
        arguments: [
            (metadata: [:], firstName: nil),
            (metadata: ["first_name": "Ada"], firstName: "Ada"),
            (metadata: ["first_name": "  Ada "], firstName: "Ada"),
            (metadata: ["first_name": ""], firstName: nil),
            (metadata: ["first_name": "   "], firstName: nil),
            (metadata: ["first_name": 7], firstName: nil),
            (metadata: ["first_name": .null], firstName: nil),
            (
                metadata: ["first_name": .string(String(repeating: "x", count: 60))],
                firstName: String(repeating: "x", count: 50)
            ),
        ] as [(metadata: AuthJSONObject, firstName: String?)])
    func profile(metadata: AuthJSONObject, firstName: String?) async throws {
        for kind in TestDatabase.all {
            let store = try await StoreFixture(kind)
            let issued = try await store.signedIn(metadata: metadata)
            #expect(try await store.count("profiles") == 1)
            let found = try await store.text(
                "SELECT first_name FROM profiles WHERE id = \(issued.account.user.id.text)")
            #expect(found == firstName)
        }
    }

    @Test("C5: Every way to create an account creates the profile", arguments: TestDatabase.all)
    func everyWay(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.accounts.signIns.signUpAnonymously(metadata: [:], from: store.device, at: store.clock.now)
        var attributes = AdminAttributes()
        attributes.email = EmailAddress("grace@example.com")
        _ = try await store.accounts.admin.create(attributes, at: store.clock.now)
        _ = try await store.signUp(isConfirmed: false)
        #expect(try await store.count("users") == 3)
        #expect(try await store.count("profiles") == 3)
    }

    @Test("C5: An account whose profile cannot be created is not created", arguments: TestDatabase.all)
    func failingProfile(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.storage.database.write { db in try db.run("DROP TABLE profiles") }
        await #expect(throws: DatabaseFailure.self) { try await store.signUp() }
        #expect(try await store.count("users") == 0)
        #expect(try await store.count("identities") == 0)
        #expect(try await store.count("sessions") == 0)
    }

    @Test("D8: A second sign-up with a pending address changes nothing", arguments: TestDatabase.all)
    func repeated(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signUp(metadata: ["name": "First"], isConfirmed: false)
        let second = SignUpRequest(
            email: EmailAddress("ada@example.com")!, passwordHash: Secret("$other$"), metadata: ["name": "Second"],
            isConfirmed: false)
        guard
            case .waitsAlready = try await store.accounts.signIns.signUp(
                second, from: store.device, at: store.clock.now)
        else {
            Issue.record("expected to hear that an account waits")
            return
        }
        let account = try #require(try await store.accounts.signIns.account(second.address))
        #expect(account.user.passwordHash?.reveal() == "$hash$")
        #expect(account.user.userMetadata.contains("First"))
        #expect(try await store.count("users") == 1)
    }

    @Test("A confirmed address is taken, also through an identity", arguments: TestDatabase.all)
    func taken(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signedIn()
        guard case .taken = try await store.signUp() else {
            Issue.record("expected: taken")
            return
        }
        _ = try await store.storage.database.write { db in
            try db.run("UPDATE users SET email = 'changed@example.com'")
        }
        guard case .taken = try await store.signUp() else {
            Issue.record("expected: taken by identity")
            return
        }
    }

    @Test("Of fifty concurrent sign-ups with one address, one succeeds, none by half", arguments: TestDatabase.all)
    func race(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { if case .signedIn = try await store.signUp() { true } else { false } }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(try await store.count("users") == 1)
        #expect(try await store.count("identities") == 1)
        #expect(try await store.count("profiles") == 1)
        #expect(try await store.count("sessions") == 1)
    }

    @Test("The ids of the log's entries sort by time, so that new ones are neighbours", arguments: TestDatabase.all)
    func auditIDs(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for address in ["ada@example.com", "bob@example.com", "eve@example.com"] {
            _ = try await store.signedIn(address)
            store.clock.advance(by: .milliseconds(1))
        }
        let log = try await store.accounts.auditLog(.action("login"), page: PageRequest(number: 1, size: 10))
        #expect(log.elements.map(\.actorName) == ["eve@example.com", "bob@example.com", "ada@example.com"])
        #expect(log.elements.map(\.id) == log.elements.map(\.id).sorted(by: >))
    }

    @Test("The log has the sign-up and the sign-in, newest first", arguments: TestDatabase.all)
    func audit(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signedIn()
        let log = try await store.accounts.auditLog(.author("ada@"), page: PageRequest(number: 1, size: 10))
        #expect(log.elements.map(\.action) == ["login", "user_signedup"])
        #expect(log.total == 2)
        let none = try await store.accounts.auditLog(.author("a_a@"), page: PageRequest(number: 1, size: 10))
        #expect(none.total == 0)
        for filter: AuditFilter in [.author("ADA@Example"), .action("LogIn"), .type("AccounT")] {
            let found = try await store.accounts.auditLog(filter, page: PageRequest(number: 1, size: 10))
            #expect(found.elements.contains { $0.action == "login" }, "\(filter)")
        }
        let people = try await store.accounts.admin.list(
            filter: "ADA@", ascending: true, page: PageRequest(number: 1, size: 10))
        #expect(people.total == 1)
    }
}
