import AccountDomain
import AccountStore
import Foundation
import Gatehouse
import GatehouseWire
import SQLDatabase
import SQLiteDriver
import Synchronization

/// Real transactions behind refresh, sign-in, sign-out and user. Access tokens are plain text, because no invariant
/// depends on their signature.
final class ExploredServer: Sendable {
    struct Issued: Hashable, Sendable {
        let session: SessionID
        let counter: Int64
        let user: String
    }

    private struct Records {
        var issued: [String: Issued] = [:]
        /// For a valid reason to sign the user out.
        var ended: Set<SessionID> = []
        /// Sessions with stolen tokens.
        var stolen: Set<SessionID> = []
        var refreshes = 0
    }

    static let lifetime: Int64 = 3_600
    static let people = ["ada@example.com", "bob@example.com"]
    private static let device = Device(userAgent: nil, address: nil)

    let accounts: Accounts
    private let records = Mutex(Records())
    private let elapsed: @Sendable () -> Duration
    private let isSigningOut: @Sendable () -> Bool
    let complain: @Sendable (String) -> Void

    init(
        _ accounts: Accounts, elapsed: @escaping @Sendable () -> Duration,
        isSigningOut: @escaping @Sendable () -> Bool, complain: @escaping @Sendable (String) -> Void
    ) {
        self.accounts = accounts
        self.elapsed = elapsed
        self.isSigningOut = isSigningOut
        self.complain = complain
    }

    /// The gateway's table, whose names searches find.
    private static let profiles = Migration(
        5, "profiles", ["CREATE TABLE profiles (id text PRIMARY KEY, first_name text, name text)"])

    /// With the two users, for many schedules.
    static func accounts(in folder: String) async throws -> Accounts {
        let database = SteppedDatabase(
            inner: try SQLiteDatabase(path: folder + "/explored.sqlite", uptime: { .zero }))
        try await database.migrate((Accounts.migrations + [Self.profiles]).sorted { $0.number < $1.number })
        let accounts = Accounts(
            database: database,
            secrets: ServerSecrets([(1, Array(repeating: 7, count: 32))]) ?? { fatal("no secrets") }(),
            randomBytes: { Scheduler.shared.bytes($0) })
        for person in people {
            guard let email = EmailAddress(person) else { fatal("no address") }
            let signUp = SignUpRequest(email: email, passwordHash: Secret("$hash$"), metadata: [:], isConfirmed: true)
            _ = try await accounts.signIns.signUp(signUp, from: device, at: now(.zero))
        }
        return accounts
    }

    private static func now(_ elapsed: Duration) -> Instant { Instant(seconds: 1_767_225_600) + elapsed }
    var now: Instant { Self.now(elapsed()) }

    func issued(_ refreshToken: String) -> Issued? { records.withLock { $0.issued[refreshToken] } }
    func session(of call: HTTPCall) -> SessionID? {
        // Cannot fail: the client writes JSON.
        let body = call.body.flatMap { try? JSONReader.read($0) }
        return body?["refresh_token"]?.stringValue.flatMap(issued)?.session
    }

    func hasEnded(_ session: SessionID) -> Bool { records.withLock { $0.ended.contains(session) } }
    var hasEndedAny: Bool { records.withLock { !$0.ended.isEmpty } }
    var refreshCount: Int { records.withLock { $0.refreshes } }

    /// Since the schedule's start.
    static func end(of accessToken: String) -> Duration? {
        accessToken.split(separator: ".").last.flatMap { Int64($0) }.map { .seconds($0) }
    }

    func answer(_ call: HTTPCall) async throws -> HTTPReply {
        await Scheduler.shared.pause()
        let body = call.body.flatMap { bytes -> AuthJSON? in
            // Cannot fail: the client writes JSON.
            try? JSONReader.read(bytes)
        }
        switch (call.method, call.url.path, call.url.query) {
        case (_, "/auth/v1/token", "grant_type=refresh_token"?):
            return try await refresh(body?["refresh_token"]?.stringValue ?? "")
        case (_, "/auth/v1/token", _): return try await signIn(body?["email"]?.stringValue ?? "")
        case ("GET", "/auth/v1/user", _):
            return try await asCaller(of: call) { _, account in Self.reply(Self.user(account)) }
        case (_, "/auth/v1/logout", let query):
            return try await asCaller(of: call) { session, account in
                try await self.end(session, of: account, query == "scope=local" ? .local : .global)
                return HTTPReply(status: 204)
            }
        default: return HTTPReply(status: 404)
        }
    }

    private func refresh(_ text: String) async throws -> HTTPReply {
        guard let token = RefreshToken(Secret(text)) else { return Self.refusal(400, "validation_failed") }
        records.withLock { $0.refreshes += 1 }
        let outcome = try await accounts.sessions.refresh(token, from: Self.device, at: now)
        let (isOver, isStolen) = records.withLock {
            ($0.ended.contains(token.session), $0.stolen.contains(token.session))
        }
        switch outcome {
        case .issued(let issued, _):
            if issued.session.counter < token.counter { complain("the server went back to an older token") }
            return grant(issued)
        case .unknown:
            if !isOver { complain("the server forgot a session") }
            return Self.refusal(400, "refresh_token_not_found")
        case .reused:
            // A sign-out revokes with any token; ending the family is its purpose.
            if !isStolen, !isSigningOut() { complain("the server took a repeated request for theft") }
            records.withLock { _ = $0.ended.insert(token.session) }
            return Self.refusal(400, "refresh_token_already_used")
        case .expired, .banned, .ahead, .unproven:
            complain("the server refused a good token")
            return Self.refusal(400, "session_expired")
        }
    }

    private func signIn(_ email: String) async throws -> HTTPReply {
        guard let address = EmailAddress(email), let account = try await accounts.signIns.account(email: address),
            case .signedIn(let issued) = try await accounts.signIns.signIn(
                account, from: Self.device, at: now)
        else { return Self.refusal(400, "invalid_credentials") }
        return grant(issued)
    }

    private func asCaller(
        of call: HTTPCall, _ then: (SessionID, Account) async throws -> HTTPReply
    ) async throws -> HTTPReply {
        let parts = (call.headers["authorization"] ?? "").dropFirst("Bearer ".count).split(separator: ".")
        guard parts.count == 4, let end = Int64(parts[3]), .seconds(end) > elapsed() else {
            return Self.refusal(403, "bad_jwt")
        }
        let session = SessionID(trusted: String(parts[1]))
        guard let current = try await accounts.current(UserID(trusted: String(parts[0])), session: session),
            current.session != nil
        else { return Self.refusal(403, "session_not_found") }
        return try await then(session, current.account)
    }

    private func end(
        _ session: SessionID, of account: Account, _ scope: AccountDomain.SignOutScope
    ) async throws {
        markEnded(session, of: account, scope)
        try await accounts.signOut(account.user.id, name: "", session: session, scope: scope, at: now)
        // Sessions that began since may also have ended.
        markEnded(session, of: account, scope)
    }

    private func markEnded(_ session: SessionID, of account: Account, _ scope: AccountDomain.SignOutScope) {
        records.withLock { records in
            let all = records.issued.values.filter { $0.user == account.user.id.text }.map(\.session)
            records.ended.formUnion(scope == .global ? Set(all) : [session])
        }
    }
}

// Events at the server without the client.
extension ExploredServer {
    /// By an administrator, or the user on another device.
    func end(_ refreshToken: String) async throws {
        guard let issued = issued(refreshToken) else { return }
        records.withLock { _ = $0.ended.insert(issued.session) }
        try await accounts.signOut(
            UserID(trusted: issued.user), name: "", session: issued.session, scope: .local, at: now)
    }

    /// The token's family counts as stolen from then on.
    func steal(_ refreshToken: String) async throws {
        guard let issued = issued(refreshToken) else { return }
        records.withLock { _ = $0.stolen.insert(issued.session) }
        _ = try await refresh(refreshToken)
    }

    /// By any holder. Consumes the token.
    func buysAnother(_ refreshToken: String) async throws -> Bool {
        guard let token = RefreshToken(Secret(refreshToken)) else { return false }
        if case .issued = try await accounts.sessions.refresh(token, from: Self.device, at: now) { return true }
        return false
    }

    func isStolen(_ session: SessionID) -> Bool { records.withLock { $0.stolen.contains(session) } }

    func token(of session: SessionID, counter: Int64) -> String? {
        records.withLock { $0.issued.first { $0.value.session == session && $0.value.counter == counter }?.key }
    }
}

extension ExploredServer {
    private func grant(_ issued: IssuedSession) -> HTTPReply {
        let (session, user) = (issued.session, issued.account.user.id.text)
        let end = elapsed().components.seconds + Self.lifetime
        let refreshToken = issued.refreshToken.reveal()
        records.withLock {
            $0.issued[refreshToken] = Issued(session: session.id, counter: session.counter, user: user)
        }
        return Self.reply([
            "access_token": .string("\(user).\(session.id.text).\(session.counter).\(end)"),
            "refresh_token": .string(refreshToken), "token_type": "bearer", "expires_in": .integer(Self.lifetime),
            "expires_at": .integer(Self.now(.seconds(end)).seconds), "user": Self.user(issued.account),
        ])
    }

    private static func user(_ account: Account) -> AuthJSON {
        ["id": .string(account.user.id.text), "aud": "authenticated", "created_at": "2026-01-01T00:00:00Z"]
    }

    private static func reply(_ json: AuthJSON) -> HTTPReply { HTTPReply(status: 200, body: Array(json.text.utf8)) }

    private static func refusal(_ status: Int, _ code: String) -> HTTPReply {
        let json: AuthJSON = ["code": .string(code), "message": "refused"]
        return HTTPReply(status: status, body: Array(json.text.utf8))
    }
}

/// Lets other requests run between one request's statements, as on many connections.
struct SteppedDatabase: Database {
    let inner: SQLiteDatabase
    var dialect: Dialect { inner.dialect }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        await Scheduler.shared.pause()
        return try await Scheduler.shared.away { try await inner.write(body) }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        await Scheduler.shared.pause()
        // A slow read continues on another thread.
        return try await Scheduler.shared.away { try await inner.read(body) }
    }
}
