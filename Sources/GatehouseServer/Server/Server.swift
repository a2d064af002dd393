import AccountStore
import GatehouseWire
package import HTTPServing
package import Hummingbird
import ProfileGateway
package import SQLDatabase
package import ServiceLifecycle

/// A composed server that has not started.
package struct Server: Sendable {
    package let database: any Database
    package let metrics: ServerMetrics
    /// nil in a standalone gateway.
    package let local: LocalAccounts?
    private let tables: [RouteTable]
    private let metricsTable: RouteTable
    private let ports: Ports
    private let settings: ServerSettings
    private let world: World

    fileprivate init(
        _ settings: ServerSettings, _ world: World, beside: (ServerRuntime) -> [RouteTable],
        prepareSchema: (any Database) async throws -> Void
    ) async throws {
        (self.settings, self.world, metrics) = (settings, world, ServerMetrics())
        database = try openDatabase(
            settings.database, world, waitLimit: settings.requestTimeLimit, readLimit: settings.requestTimeLimit,
            DatabaseMeter(metrics).observe)
        DatabaseMeter.watch(database, metrics)
        try await prepareSchema(database)
        let bodies = BodyBudget()
        let runtime = makeRuntime(settings, world, database, metrics, bodies)
        var tables: [RouteTable] = []
        if let secrets = settings.secrets {
            let local = try await LocalAccounts(settings, secrets, database, runtime, world)
            tables = local.tables(settings, database, runtime, world)
            self.local = local
        } else {
            local = nil
            if let issuer = settings.issuer {
                let remote = RemoteIssuer(issuer, Profiles(database: database, fields: settings.profileFields), world)
                tables = makeRemoteGateway(settings, remote, runtime, world)
            }
        }
        let operations = Operations(
            runtime: runtime, database: database, migrations: migrations(for: settings.parts),
            version: ProgramVersion.text)
        self.tables = tables + beside(runtime) + [operations.table(settings)]
        metricsTable = operations.metricsTable
        ports = Ports(settings, world, metrics, bodies)
    }

    /// Every route of the main port.
    package var router: Router<ServerContext> { Ports.router(tables) }

    /// The ports and the background work.
    ///
    /// - Parameter onReady: Called once the main port accepts connections.
    package func services(onReady: @escaping @Sendable () async -> Void) -> [any Service] {
        var services = local?.services(world) ?? []
        services.append(ports.main(tables, settings.listen, onReady: onReady))
        if let address = settings.metricsListen { services.append(ports.metrics([metricsTable], address)) }
        services.append(ports.memory)
        return services
    }

    /// Call this after the services have ended.
    package func close() async { await local?.close() }
}

/// Composes a server. Concrete types are named only here and in the files beside it.
///
/// - Parameters:
///   - beside: Additional routes, those of `gatehouse dev`.
///   - prepareSchema: Migrates the database, or throws if it must not.
/// - Throws: ``DatabaseFailure``, the errors of `prepareSchema` and of ``KeyRing/reload()``, and
///   ``ProviderSettingsProblems``.
package func makeServer(
    _ settings: ServerSettings, _ world: World, beside: (ServerRuntime) -> [RouteTable] = { _ in [] },
    prepareSchema: (any Database) async throws -> Void
) async throws -> Server {
    try await Server(settings, world, beside: beside, prepareSchema: prepareSchema)
}
