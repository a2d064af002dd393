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
    let database = try openDatabase(settings.database, readLimit: settings.requestTimeLimit, meter.observe)
    meter.watch(database)
    try await prepareSchema(database)
    let bodies = BodyBudget()
    let rates = settings.rates.map { Limits.all($0) + ProfileRoutes.limits }
    let floor = ServingFloor(
        now: System.now, uptime: System.uptime, sleep: System.sleep, makeRequestID: System.requestID, metrics: metrics,
        limiter: rates.map { RateLimiter($0, shared: sharedCounts(settings, database)) },
        clientAddress: settings.clientAddress, callers: settings.callers, bodies: bodies,
        requestTimeLimit: settings.requestTimeLimit, foreseen: refusalOfOutage)
    var server = Server()
    if let secrets = settings.secrets {
        try await server.addLocalDoors(settings, parts, secrets, database, floor, logger)
    } else if let issuer = settings.issuer {
        try server.addRemoteGateway(settings, RemoteIssuer(issuer, database: database, now: System.now), floor)
    }
    server.tables += beside(floor)
    let operations = Operations(
        floor: floor, database: database, migrations: migrations(for: parts), version: ProgramVersion.text)
    server.tables.append(
        operations.table(
            hasHealth: !(parts.contains(.auth) && settings.authPrefixes.contains("")),
            servesMetrics: settings.servesMetricsToLoopback))
    let ports = Ports(settings, metrics, bodies, logger)
    server.services.append(ports.main(server.tables, settings.listen, onReady: onReady))
    if let address = settings.metricsListen {
        server.services.append(ports.metrics([operations.metricsTable], address))
    }
    server.services.append(ports.memory)
    return server
}

extension Server {
    /// Accounts in this database: the auth door, and the gateway beside it.
    fileprivate mutating func addLocalDoors(
        _ settings: ServerSettings, _ parts: Set<ServedPart>, _ secrets: ServerSecrets, _ database: any Database,
        _ floor: ServingFloor, _ logger: Logger
    ) async throws {
        let crossOrigin = CrossOriginPolicy(additionalHeaders: settings.allowedHeaders)
        var accounts = makeAccounts(settings, secrets, database)
        let keys = makeKeyRing(settings, secrets, database)
        try await keys.reload()
        services.append(KeyReload(keys: keys, logger: logger))
        let watch = RevocationWatch(accounts, keys, now: System.now)
        try await watch.look()
        accounts.afterRevocation = watch.lookAtOnce
        services.append(Repeating.watch(watch, logger))
        let passwords = makeHasher(settings, floor.metrics)
        let door = AuthServer(
            settings: settings.auth, accounts: accounts, keys: keys, passwords: passwords, floor: floor,
            attempts: settings.rates.map { Attempts($0, shared: sharedFailures(settings, database)) },
            providers: try makeProviders(settings))
        close = {
            await door.finishUpgrades()
            await passwords.shutdown()
        }
        services += [Repeating.outbox(door, logger), Repeating.purge(door, logger), Repeating.sweep(door, logger)]
        tables.append(door.table(prefixes: settings.authPrefixes, crossOrigin: crossOrigin))
        guard parts.contains(.gateway) else { return }
        let profiles = Profiles(database: database)
        let local = LocalBearer(
            keys: keys, accounts: accounts, profiles: profiles, usedTokens: door.usedTokens,
            issuer: settings.auth.issuer, audience: settings.audience, now: System.now)
        let gateway = try makeGateway(settings, profiles, local.authenticate, local.change, local.delete)
        tables += gateway.tables(floor: floor, crossOrigin: crossOrigin)
    }

    /// The gateway alone, in front of an issuer elsewhere.
    fileprivate mutating func addRemoteGateway(
        _ settings: ServerSettings, _ issuer: RemoteIssuer, _ floor: ServingFloor
    ) throws {
        let check = BearerCheck(
            issuers: [issuer.settings.issuer], audiences: [settings.audience], cache: VerifiedTokenCache(),
            now: System.now, remoteKeys: RemoteKeySet(now: System.now, fetch: issuer.fetchKeys))
        let gateway = try makeGateway(settings, issuer.profiles, check.bearer, issuer.change, issuer.delete)
        tables += gateway.tables(
            floor: floor, crossOrigin: CrossOriginPolicy(additionalHeaders: settings.allowedHeaders))
    }
}
