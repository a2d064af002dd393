import GatehouseWire
package import HTTPServing
import HTTPTypes
package import Hummingbird
package import ServiceLifecycle
import WebPages

/// `serve --only pages`: account pages for an auth server elsewhere, without a database.
package struct PagesServer: Sendable {
    private let tables: [RouteTable]
    private let metricsTable: RouteTable
    private let ports: Ports
    private let settings: ServerSettings
    private let world: World
    /// nil without the operator's branding files.
    package let branding: BrandingWatch?
    /// nil without a collector.
    private let traces: Traces?

    /// - Returns: nil if the settings have no pages or no secrets.
    /// - Throws: A template's error.
    package init?(_ settings: ServerSettings, _ world: World) throws {
        guard let found = settings.pages, let secrets = settings.secrets else { return nil }
        let (metrics, bodies) = (ServerMetrics(), BodyBudget())
        traces = Traces(settings, world, metrics)
        // The Auth API limits its callers by browser address.
        let runtime = ServerRuntime(
            now: world.now, uptime: world.uptime, sleep: world.sleep, makeRequestID: world.requestID, metrics: metrics,
            tracer: traces.tracer, limiter: nil, clientAddress: settings.clientAddress, callers: settings.callers,
            bodies: bodies,
            requestTimeLimit: settings.requestTimeLimit)
        let pages = try makeRemotePages(found, settings, secrets, traces.tracer, world)
        let group = RouteGroup(prefixes: [""], format: .profile, crossOrigin: nil, cacheControl: "no-store")
        let http = world.http
        let health = Route(.get, "/health") { _, _ in Answer.json(Array(#"{"status":"ok"}"#.utf8)) }
        let ready = Route(.get, "/ready") { _, _ in
            do {
                let answer = try await http.send("GET", found.authURL + "/health")
                guard answer.status == 200 else { throw OutgoingFailure.status(answer.status) }
            } catch {
                throw Refusal.unavailable(error)
            }
            return Answer.json(Array(#"{"status":"ready"}"#.utf8))
        }
        tables = [pages.table(runtime), RouteTable(group: group, runtime: runtime, [health, ready])]
        metricsTable = RouteTable(
            group: group, runtime: runtime,
            [
                Route(.get, "/metrics") { _, _ in
                    Answer.text(metrics.render(), contentType: ServerMetrics.contentType)
                }
            ])
        ports = Ports(settings, world, metrics, bodies)
        (self.settings, self.world) = (settings, world)
        branding = makeBrandingWatch(pages, found, settings, world)
    }

    package var router: Router<ServerContext> { Ports.router(tables) }

    package func services(onReady: @escaping @Sendable () async -> Void) -> [any Service] {
        var services: [any Service] = [ports.main(tables, settings.listen, onReady: onReady)]
        if let branding { services.append(PeriodicTask.branding(branding, world)) }
        if let address = settings.metricsListen { services.append(ports.metrics([metricsTable], address)) }
        if let traces { services.append(traces.exporter.service) }
        services.append(ports.memory)
        return services
    }

    /// Call after the services have ended. Sends the remaining spans.
    package func close() async { await traces?.exporter.close() }
}
