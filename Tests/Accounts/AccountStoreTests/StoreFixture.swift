import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases

struct StoreFixture {
    let storage: OpenDatabase
    var accounts: Accounts
    let clock = TestClock()
    let device = Device(userAgent: "test", address: "192.0.2.1")

    /// - Parameters:
    ///   - isNew: For tests that read plans (``TestDatabase/open(isNew:)``).
    ///   - watched: Wraps the database.
    init(
        _ kind: TestDatabase, isNew: Bool = false, policy: SessionPolicy = SessionPolicy(),
        watched: (any Database) -> any Database = { $0 }, change: (inout Accounts) -> Void = { _ in }
    ) async throws {
        storage = try await kind.open(isNew: isNew)
        let randomness = TestRandomness()
        var accounts = Accounts(
            database: watched(storage.database), secrets: Self.secrets, policy: policy,
            randomBytes: { randomness.bytes($0) })
        change(&accounts)
        self.accounts = accounts
    }

    static let secrets = ServerSecrets([(1, Array(repeating: 7, count: 32))])!

    func signUp(
        _ email: String = "ada@example.com", metadata: AuthJSONObject = [:], isConfirmed: Bool = true
    ) async throws -> SignUpOutcome {
        let signUp = SignUpRequest(
            email: EmailAddress(email)!, passwordHash: Secret("$hash$"), metadata: metadata, isConfirmed: isConfirmed)
        return try await accounts.signIns.signUp(signUp, from: device, at: clock.now)
    }

    func signedIn(_ email: String = "ada@example.com", metadata: AuthJSONObject = [:]) async throws -> IssuedSession {
        guard case .signedIn(let issued) = try await signUp(email, metadata: metadata) else { throw NotSignedIn() }
        return issued
    }

    func refresh(_ token: Secret, at now: Instant? = nil) async throws -> RefreshOutcome {
        guard let token = RefreshToken(token) else { throw NotSignedIn() }
        return try await accounts.sessions.refresh(token, from: device, at: now ?? clock.now)
    }

    /// nil without a row or for null.
    func text(_ statement: SQL) async throws -> String? {
        try await storage.database.read { db in try db.row(statement) { $0.textIfPresent() } ?? nil }
    }

    func count(_ table: String) async throws -> Int {
        let statement: SQL =
            switch table {
            case "users": "SELECT count(*) FROM users"
            case "identities": "SELECT count(*) FROM identities"
            case "sessions": "SELECT count(*) FROM sessions"
            case "profiles": "SELECT count(*) FROM profiles"
            default: "SELECT count(*) FROM audit_log"
            }
        return try await storage.database.read { db in try db.row(statement) { Int($0.int()) } ?? 0 }
    }
}

struct NotSignedIn: Error {}

extension RefreshOutcome {
    var issued: IssuedSession? { if case .issued(let issued, _) = self { issued } else { nil } }
    var verdict: RefreshVerdict? { if case .issued(_, let verdict) = self { verdict } else { nil } }
}
