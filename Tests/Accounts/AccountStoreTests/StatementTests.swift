import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Statements")
struct StatementTests {
    @Test("Reading the current user takes one statement, a refresh two, a sign-up five", arguments: TestDatabase.all)
    func counts(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        var issued: IssuedSession?
        let signUp = try await store.storage.statements.during { issued = try await store.signedIn() }
        let session = try #require(issued)
        let read = try await store.storage.statements.during {
            _ = try await store.accounts.current(session.account.user.id, session: session.session.id)
        }
        let refresh = try await store.storage.statements.during { _ = try await store.refresh(session.refreshToken) }
        #expect(signUp == 5)
        #expect(read == 1)
        #expect(refresh == 2)
    }

    @Test(
        "A known identity takes five statements, a new account ten",
        arguments: TestDatabase.all)
    func providerCounts(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let identity = store.identity(profile: ProfileFill(firstName: "Ada"))
        let new = try await store.storage.statements.during { _ = try await store.entered(identity) }
        let known = try await store.storage.statements.during { _ = try await store.entered(identity) }
        #expect(new == 10)
        #expect(known == 5)
    }

    @Test("Hot statements find their rows by an index and never scan a table", arguments: TestDatabase.all)
    func plans(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind, isNew: true)
        let id = UserID(trusted: "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60")
        let session = SessionID(trusted: id.text)
        let email = try #require(EmailAddress("ada@example.com"))
        let statements =
            Accounts.hotStatements(user: id, session: session, email: email, at: store.clock.now)
            + Accounts.hotProviderStatements(
                user: id, digest: Array(repeating: 1, count: 32), at: store.clock.now)
        for statement in statements {
            let plan = try await store.storage.database.read { db in try db.plan(statement) }
            #expect(!plan.isEmpty)
            #expect(plan.scans == [], "\(statement.text)")
        }
    }
}
