import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import Synchronization
import TestDatabases
import Testing

extension StoreFixture {
    static let rules = ProviderRules()

    /// Gives the log an order.
    func tick() { clock.advance(by: .seconds(1)) }

    func identity(
        _ provider: String = "google", _ subject: String = "1", email: String? = "ada@example.com",
        isVerified: Bool = true, isRelay: Bool = false, data: AuthJSONObject = [:],
        profile: ProfileFill = ProfileFill()
    ) -> ProviderIdentity {
        var members: AuthJSONObject = ["sub": .string(subject), "phone_verified": false]
        members["email"] = email.map(AuthJSON.string)
        members["email_verified"] = .bool(isVerified)
        members.merge(data) { $1 }
        return ProviderIdentity(
            provider: provider, subject: subject, email: email, isEmailVerified: isVerified, isPrivateRelay: isRelay,
            data: members, profile: profile)!
    }

    func come(
        _ identity: ProviderIdentity, rules: ProviderRules = rules, grant: ProviderGrant? = nil,
        delivery: SessionDelivery = .session
    ) async throws -> LinkingOutcome {
        let signIn = ProviderSignIn(identity, rules: rules, grant: grant, delivery: delivery)
        tick()
        return try await accounts.links.signIn(signIn, from: device, at: clock.now)
    }

    func entered(
        _ identity: ProviderIdentity, rules: ProviderRules = rules, grant: ProviderGrant? = nil
    ) async throws -> ProviderSession {
        try #require(try await come(identity, rules: rules, grant: grant).session)
    }

    func asked(_ identity: ProviderIdentity, rules: ProviderRules = rules) async throws -> LinkQuestion {
        try #require(try await come(identity, rules: rules).question)
    }

    func link(
        _ identity: ProviderIdentity, to issued: IssuedSession, grant: ProviderGrant? = nil
    ) async throws -> LinkingOutcome {
        tick()
        return try await accounts.links.link(
            ProviderSignIn(identity, rules: Self.rules, grant: grant),
            to: .session(issued.session.id, of: issued.account.user.id), from: device, at: clock.now)
    }

    func confirm(_ ticket: Secret, by issued: IssuedSession) async throws -> LinkingOutcome {
        tick()
        return try await accounts.links.confirmLink(
            ticket, by: .session(issued.session.id, of: issued.account.user.id), from: device, at: clock.now)
    }

    func recover(_ ticket: Secret) async throws -> LinkingOutcome {
        tick()
        return try await accounts.links.recover(ticket, from: device, at: clock.now)
    }

    func user(_ id: UserID) async throws -> User { try #require(try await accounts.admin.account(id)).user }

    func rows(_ statement: SQL) async throws -> Int {
        try await storage.database.read { db in try db.rows(statement) { _ in true }.count }
    }

    /// Newest first, as `action rule`.
    func log(_ count: Int) async throws -> [String] {
        let page = try await accounts.auditLog(nil, page: PageRequest(number: 1, size: count))
        return try page.elements.map { entry in
            "\(entry.action) \(try JSONReader.read(entry.traits)["rule"]?.stringValue ?? "-")"
        }
    }
}

extension LinkingOutcome {
    var session: ProviderSession? { if case .signedIn(let session) = self { session } else { nil } }
    var question: LinkQuestion? { if case .needsConfirmation(let question, _) = self { question } else { nil } }
    var refusal: LinkingRefusal? { if case .refused(let refusal, _) = self { refusal } else { nil } }
    var rule: LinkingRule {
        switch self {
        case .signedIn(let session): session.rule
        case .needsConfirmation(let question, _): question.rule
        case .refused(_, let rule): rule
        }
    }
}

extension ProviderSession {
    var issued: IssuedSession? { if case .session(let issued) = delivered { issued } else { nil } }
    var code: Secret? { if case .code(let code) = delivered { code } else { nil } }
    var user: UserID { account.user.id }
}

/// Counts transactions.
struct CountingDatabase: Database {
    let database: any Database
    let transactions = Counter()
    /// The statements among them that write.
    var writes = Counter()

    var dialect: Dialect { database.dialect }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        transactions.add()
        writes.add()
        return try await database.write(body)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        transactions.add()
        return try await database.read(body)
    }
}

final class Counter: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
}
