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
import ProfileGateway
import SQLDatabase
import SQLiteDriver
import ServiceLifecycle

/// A program that is built and has not started.
struct Server: Sendable {
    var tables: [RouteTable] = []
    var services: [any Service] = []
    /// To be called when the services have ended.
    var close: @Sendable () async -> Void = {}
}

/// The whole program on one page: the concrete types are known here and nowhere else.
///
/// - Parameters:
///   - beside: what `gatehouse dev` serves beside it.
///   - prepareSchema: brings the database's schema up to date, or refuses to.
///   - onReady: called once the main port accepts connections.
func makeServer(
    _ settings: ServerSettings, parts: Set<ServedPart>, logger: Logger,
    beside: (ServingFloor) -> [RouteTable] = { _ in [] },
    prepareSchema: (any Database) async throws -> Void, onReady: @escaping @Sendable () async -> Void
) async throws -> Server {
    let metrics = ServerMetrics()
    let meter = DatabaseMeter(metrics)
    let database = try openDatabase(settings.database, meter.observe)
    meter.watch(database)
    try await prepareSchema(database)
    let rates = settings.rates.map { Limits.all($0) + ProfileRoutes.limits }
    let floor = ServingFloor(
        now: System.now, uptime: System.uptime, sleep: System.sleep, makeRequestID: System.requestID, metrics: metrics,
        limiter: rates.map { RateLimiter($0, shared: sharedCounts(settings, database)) },
        clientAddress: settings.clientAddress,
        requestTimeLimit: settings.requestTimeLimit, foreseen: refusalOfOutage)
    var server = Server()
    if let secrets = settings.secrets {
        try await server.addLocalDoors(settings, parts, secrets, database, floor, logger)
    } else if let issuer = settings.issuer {
        try server.addRemoteGateway(settings, RemoteIssuer(issuer, database: database), floor)
    }
    server.tables += beside(floor)
    let operations = Operations(
        floor: floor, database: database, migrations: migrations(for: parts), version: ProgramVersion.text)
    server.tables.append(
        operations.table(
            hasHealth: !(parts.contains(.auth) && settings.authPrefixes.contains("")),
            servesMetrics: settings.servesMetricsToLoopback))
    server.services.append(makeApplication(server.tables, settings.listen, logger, onReady: onReady))
    if let address = settings.metricsListen {
        server.services.append(makeApplication([operations.metricsTable], address, logger) {})
    }
    return server
}

extension Server {
    /// Accounts in this database: the auth door, and the gateway beside it.
    fileprivate mutating func addLocalDoors(
        _ settings: ServerSettings, _ parts: Set<ServedPart>, _ secrets: ServerSecrets, _ database: any Database,
        _ floor: ServingFloor, _ logger: Logger
    ) async throws {
        let crossOrigin = CrossOriginPolicy(additionalHeaders: settings.allowedHeaders)
        let accounts = makeAccounts(settings, secrets, database)
        let keys = makeKeyRing(settings, secrets, database)
        try await keys.reload()
        services.append(KeyReload(keys: keys, logger: logger))
        let passwords = makeHasher(settings, floor.metrics)
        close = { await passwords.shutdown() }
        let door = AuthServer(
            settings: settings.auth, accounts: accounts, keys: keys, passwords: passwords, floor: floor,
            providers: try makeProviders(settings))
        services += [Repeating.outbox(door, logger), Repeating.purge(door, logger), Repeating.sweep(door, logger)]
        tables.append(door.table(prefixes: settings.authPrefixes, crossOrigin: crossOrigin))
        guard parts.contains(.gateway) else { return }
        let local = LocalBearer(
            keys: keys, accounts: accounts, usedTokens: door.usedTokens, issuer: settings.auth.issuer,
            audience: settings.audience, now: System.now)
        let gateway = try makeGateway(settings, database, local.authenticate, local.delete)
        tables += gateway.tables(floor: floor, crossOrigin: crossOrigin)
    }

    /// The gateway alone, in front of an issuer elsewhere.
    fileprivate mutating func addRemoteGateway(
        _ settings: ServerSettings, _ issuer: RemoteIssuer, _ floor: ServingFloor
    ) throws {
        let check = BearerCheck(
            issuers: [issuer.settings.issuer], audiences: [settings.audience], cache: VerifiedTokenCache(),
            now: System.now, remoteKeys: RemoteKeySet(now: System.now, fetch: issuer.fetchKeys))
        let gateway = try makeGateway(settings, issuer.database, check.bearer, issuer.delete)
        tables += gateway.tables(
            floor: floor, crossOrigin: CrossOriginPolicy(additionalHeaders: settings.allowedHeaders))
    }
}
