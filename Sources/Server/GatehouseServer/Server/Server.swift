import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
package import HTTPServing
package import HTTPTypes
package import Hummingbird
import IdentityProviders
import Logging
package import ProfileGateway
package import SQLDatabase
package import ServiceLifecycle

package struct Server: Sendable {
    package let database: any Database
    package let metrics: ServerMetrics
    /// nil in a standalone gateway.
    package let local: LocalAccounts?
    package let events = EventTally()
    /// nil without the operator's branding files.
    private let branding: BrandingWatch?
    /// nil without a collector.
    private let traces: Traces?
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
        traces = Traces(settings, world, metrics)
        database = traces.watching(try openDatabase(settings, world, metrics))
        try await prepareSchema(database)
        let bodies = BodyBudget()
        let runtime = makeRuntime(settings, world, database, metrics, traces.tracer, bodies)
        var tables: [RouteTable] = []
        let eventRoute = settings.parts.contains(.gateway) ? makeEventRoute(settings, events, metrics, world) : nil
        if let secrets = settings.secrets {
            let local = try await LocalAccounts(settings, secrets, database, runtime, world)
            tables = local.tables(settings, database, eventRoute, runtime, world)
            let pages = try makePages(settings, secrets, tables, runtime, world)
            tables += pages.tables
            tables += settings.wellKnownFiles.map { [$0.table(runtime)] } ?? []
            tables += local.auth.oauth.rootTable(besides: settings.authPrefixes).map { [$0] } ?? []
            (self.local, branding) = (local, pages.branding)
        } else {
            (local, branding) = (nil, nil)
            if let issuer = settings.issuer {
                let profiles = Profiles(database: database, fields: settings.profileFields)
                let remote = RemoteIssuer(issuer, profiles, settings.sessions, traces.tracer, world)
                tables = makeRemoteGateway(settings, remote, eventRoute, runtime, world)
            }
        }
        let operations = Operations(
            runtime: runtime, database: database, migrations: migrations(for: settings.parts),
            version: ProgramVersion.text)
        self.tables = tables + beside(runtime) + [operations.table(settings)]
        metricsTable = operations.metricsTable
        ports = Ports(settings, world, metrics, bodies)
    }

    /// Includes the metrics port's.
    package var routes: [(method: HTTPRequest.Method, path: String)] { (tables + [metricsTable]).flatMap(\.names) }

    package var router: Router<ServerContext> { Ports.router(tables) }

    /// - Parameter onReady: Called once the main port accepts connections.
    package func services(onReady: @escaping @Sendable () async -> Void) -> [any Service] {
        var services = local?.services(world) ?? []
        if let local {
            services.append(PeriodicTask.activity(local.auth.activity, ActivityCounts(database: database), world))
            services.append(PeriodicTask.refusals(local.auth, world))
        }
        // An issuer on this machine is a stand-in.
        if let issuer = settings.issuer, ProviderURL(issuer.keysURL)?.isLoopback == false {
            services.append(PeriodicTask.issuerKeys(issuer, world))
        }
        if settings.parts.contains(.gateway) {
            let counts = EventCounts(database: database)
            services.append(PeriodicTask.events(events, counts, world))
            if let stay = settings.retention.telemetry {
                services.append(PeriodicTask.eventRetention(counts, stay, world))
            }
        }
        if let branding { services.append(PeriodicTask.branding(branding, world)) }
        if let traces { services.append(traces.exporter.service) }
        services = [SimultaneousServices(services, sleep: world.sleep)]
        services.append(ports.main(tables, settings.listen, onReady: onReady))
        if let address = settings.metricsListen { services.append(ports.metrics([metricsTable], address)) }
        services.append(ports.memory)
        return services
    }

    /// Call after the services have ended. Writes the remaining counts, and sends the remaining spans.
    package func close() async {
        do {
            // A lost database would take its whole time limit.
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await local?.auth.activity.write(to: ActivityCounts(database: database))
                    try await local?.auth.writeRefusals()
                    try await events.write(to: EventCounts(database: database))
                }
                group.addTask {
                    try await world.sleep(.seconds(5))
                    throw CancellationError()
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            let cause = error is CancellationError ? "the database did not respond" : "\(error)"
            world.logger.event(.warning, "counts could not be stored", [.cause: cause])
        }
        await local?.close()
        await traces?.exporter.close()
    }
}

private func openDatabase(
    _ settings: ServerSettings, _ world: World, _ metrics: ServerMetrics
) throws -> any Database {
    let database = try openDatabase(
        settings.database, world, waitLimit: settings.requestTimeLimit, readLimit: settings.requestTimeLimit,
        DatabaseMeter(metrics).observe)
    DatabaseMeter.watch(database, metrics)
    return database
}

/// - Parameters:
///   - beside: For `gatehouse dev`.
///   - prepareSchema: Migrates the database, or throws if it must not.
/// - Throws: ``DatabaseFailure``, the errors of `prepareSchema` and ``KeyRing/reload()``, and
///   ``ProviderSettingsProblems``.
package func makeServer(
    _ settings: ServerSettings, _ world: World, beside: (ServerRuntime) -> [RouteTable] = { _ in [] },
    prepareSchema: (any Database) async throws -> Void
) async throws -> Server {
    try await Server(settings, world, beside: beside, prepareSchema: prepareSchema)
}
