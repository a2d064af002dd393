package import AccountStore
package import AuthServer
import GatehouseWire
import HTTPServing
import PostgresDriver
import ProfileGateway
package import SQLDatabase
import SQLiteDriver

/// PostgreSQL connects at its first use.
///
/// - Parameters:
///   - waitLimit: A transaction's wait for its turn.
///   - readLimit: SQLite only; nil for none.
/// - Throws: ``DatabaseFailure`` for an unusable file or an invalid URL.
package func openDatabase(
    _ location: DatabaseLocation, _ world: World, waitLimit: Duration = .seconds(10), readLimit: Duration? = nil,
    _ observe: @escaping @Sendable (DatabaseEvent) -> Void = { _ in }
) throws -> any Database {
    guard let server = location.server else {
        var settings = SQLiteSettings()
        (settings.waitLimit, settings.readLimit) = (waitLimit, readLimit)
        return try SQLiteDatabase(
            path: location.path, settings: settings, uptime: world.threadUptime, observe: observe)
    }
    var settings = PostgresSettings()
    (settings.connections, settings.waitLimit) = (location.connections, waitLimit)
    settings.chance = world.chance
    return try PostgresDatabase(
        ConnectionURL(server.reveal()), settings: settings, uptime: world.threadUptime, observe: observe)
}

package func migrations(for parts: Set<ServedPart>) -> [Migration] {
    if parts == [.gateway] { return Profiles.remoteMigrations }
    return (Accounts.migrations + Profiles.migrations).sorted { $0.number < $1.number }
}

/// An unreachable database is no programming error: callers may retry.
@Sendable func refusalOfOutage(_ error: any Error) -> Refusal? {
    guard let failure = error as? DatabaseFailure else { return nil }
    return switch failure.reason {
    case .unknownOutcome: .unknownOutcome(failure)
    default: failure.isPassing ? .unavailable(failure) : nil
    }
}

/// Through PostgreSQL.
func sharedCounts(_ settings: ServerSettings, _ database: any Database) -> SharedCounts? {
    guard settings.database.server != nil, settings.secrets != nil else { return nil }
    let counts = RequestCounts(database: database)
    return SharedCounts { limit, key, now in
        // Limits that allow nothing were refused earlier.
        guard let rate = RequestCounts.Rate(count: limit.count, window: limit.window, burst: limit.burst) else {
            return limit.window
        }
        return try await counts.take(limit.bucket, key: key, rate, at: now)
    }
}

/// Also of a single node: a restart does not reset them, and `gatehouse users unlock` does.
func sharedFailures(_ database: any Database) -> SharedFailures {
    let counts = RequestCounts(database: database)
    @Sendable func counted(_ keys: [AttemptKey]) -> [RequestCounts.Counted] {
        // Limits that allow nothing admit no attempt this far.
        keys.compactMap { key in
            RequestCounts.Rate(count: key.limit.count, window: key.limit.window, burst: key.limit.count)
                .map { RequestCounts.Counted(key.limit.bucket, key: key.text, $0) }
        }
    }
    return SharedFailures(
        read: { keys, now in try await counts.fullTimes(of: counted(keys), at: now) },
        add: { keys, now in try await counts.add(counted(keys), at: now) },
        forget: { try await counts.forget(counted($0)) })
}

/// For a command, whose resets a running server notices.
package func makeLocks(_ settings: ServerSettings, _ database: any Database, _ accounts: Accounts) -> AccountLocks {
    AccountLocks(settings.rates.map { Attempts($0, shared: sharedFailures(database)) }, accounts)
}
