import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import Hummingbird
import JSONWebTokens
import Logging
import NIOCore
import PasswordHashing
import PostgresDriver
import ProfileGateway
import SQLDatabase
import SQLiteDriver

/// - Parameter readLimit: The maximum duration of a read from a file; nil for no limit. A database server has its own.
/// - Throws: ``DatabaseFailure`` if the file cannot be opened. A database server is first contacted by the first
///   statement.
func openDatabase(
    _ location: DatabaseLocation, readLimit: Duration? = nil,
    _ observe: @escaping @Sendable (DatabaseEvent) -> Void = { _ in }
) throws -> any Database {
    guard let server = location.server else {
        var settings = SQLiteSettings()
        settings.readLimit = readLimit
        return try SQLiteDatabase(path: location.path, settings: settings, uptime: System.uptime, observe: observe)
    }
    var settings = PostgresSettings()
    settings.connections = location.connections
    settings.chance = System.chance
    return try PostgresDatabase(
        ConnectionURL(server.reveal()), settings: settings, uptime: System.uptime, observe: observe)
}

/// Maps an unreachable database to a 503, so that clients retry.
@Sendable func refusalOfOutage(_ error: any Error) -> Refusal? {
    switch (error as? DatabaseFailure)?.kind {
    case .passing: .unavailable(error)
    case .unknownOutcome: .unknownOutcome(error)
    case .fault, nil: nil
    }
}

/// Rate limits shared through the database server, if there is one.
func sharedCounts(_ settings: ServerSettings, _ database: any Database) -> SharedCounts? {
    guard settings.database.server != nil, settings.secrets != nil else { return nil }
    let counts = RequestCounts(database: database)
    return SharedCounts { limit, key, now in
        // A limit of zero is refused earlier, in RateLimiter.
        guard let rate = RequestCounts.Rate(count: limit.count, window: limit.window, burst: limit.burst) else {
            return limit.window
        }
        return try await counts.take(limit.bucket, key: key, rate, at: now)
    }
}

/// Counts of failed attempts, shared in the same way.
func sharedFailures(_ settings: ServerSettings, _ database: any Database) -> SharedFailures? {
    guard settings.database.server != nil else { return nil }
    let counts = RequestCounts(database: database)
    @Sendable func counted(_ keys: [AttemptKey]) -> [RequestCounts.Counted] {
        // A limit of zero admits no attempts.
        keys.compactMap { key in
            RequestCounts.Rate(count: key.limit.count, window: key.limit.window, burst: key.limit.count)
                .map { RequestCounts.Counted(key.limit.bucket, key: key.text, $0) }
        }
    }
    return SharedFailures(
        read: { try await counts.fullTimes(of: counted($0)) },
        add: { keys, now in try await counts.add(counted(keys), at: now) },
        forget: { try await counts.forget(counted($0)) })
}

/// The migrations that the served parts need.
func migrations(for parts: Set<ServedPart>) -> [Migration] {
    parts == [.gateway] ? RemoteIssuer.migrations : Accounts.migrations
}

func makeAccounts(_ settings: ServerSettings, _ secrets: ServerSecrets, _ database: any Database) -> Accounts {
    Accounts(
        database: database, secrets: secrets, policy: settings.sessions, audience: settings.audience,
        role: settings.role, randomBytes: System.randomBytes)
}

func makeKeyRing(_ settings: ServerSettings, _ secrets: ServerSecrets, _ database: any Database) -> KeyRing {
    var sources = KeySources()
    sources.store = SigningKeys(database: database, secrets: secrets, randomBytes: System.randomBytes)
    sources.imported = settings.tokens.imported
    sources.sharedSecret = settings.tokens.sharedSecret
    sources.signsWithSharedSecret = settings.tokens.signsWithSharedSecret
    return KeyRing(sources, tokenLifetime: settings.auth.accessTokenLifetime, now: System.now) { .newES256() }
}

/// One thread per core by default; more would only compete for the cores.
func makeHasher(_ settings: ServerSettings, _ metrics: ServerMetrics) -> PasswordHasher {
    let durations = metrics.histogram(
        "gatehouse_password_hash_duration_seconds", "Seconds of one password hash, without waiting.",
        bounds: Histogram.latencyBounds)
    let passwords = PasswordHasher(
        threads: settings.hashThreads ?? System.cores, waitingPerThread: settings.hashQueue,
        randomBytes: System.randomBytes
    ) { durations.record($0.duration) }
    metrics.gauge("gatehouse_password_hash_queue", "Passwords waiting for a hashing thread.") {
        Double(passwords.queueDepth)
    }
    return passwords
}

func makeGateway(
    _ settings: ServerSettings, _ profiles: Profiles, _ authenticate: @escaping ProfileRoutes.Authenticate,
    _ changeProfile: @escaping ProfileRoutes.ChangeProfile,
    _ deleteAccount: @escaping @Sendable (Bearer) async throws -> AccountDeletion
) throws -> ProfileRoutes {
    ProfileRoutes(
        profiles: profiles, teams: try TeamCatalogue(), authenticate: authenticate, changeProfile: changeProfile,
        deleteAccount: deleteAccount, appScheme: settings.appScheme, now: System.now)
}
