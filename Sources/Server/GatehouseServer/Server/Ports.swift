import CProcess
import GatehouseWire
import HTTPServing
import Hummingbird
import Logging
import NIOCore

/// Ports, with the memory and file descriptors that clients may use.
struct Ports: Sendable {
    private let world: World
    private let bodies: BodyBudget
    private let connections: OpenConnections
    private let refused: Counter

    init(_ settings: ServerSettings, _ world: World, _ metrics: ServerMetrics, _ bodies: BodyBudget) {
        self.world = world
        self.bodies = bodies
        let connections = OpenConnections(
            ConnectionLimits(descriptors: Descriptors.limit), isProxy: settings.clientAddress.isProxy)
        self.connections = connections
        refused = metrics.counter(
            "gatehouse_connections_refused_total",
            "Connections closed on arrival, because of a limit or missing file descriptors.",
            labels: ["reason"])
        metrics.gauge("gatehouse_connections", "Open connections.") { Double(connections.count) }
        metrics.gauge("gatehouse_request_body_bytes", "Bytes of long request bodies in memory.") {
            Double(bodies.bytes)
        }
    }

    func main(
        _ tables: [RouteTable], _ address: ListenAddress, onReady: @escaping @Sendable () async -> Void
    ) -> some ApplicationProtocol {
        application(tables, address, connections, reserve: 16) {
            await onReady()
            // Most pages read at the start are not used again.
            memory_return()
            memory_leave_start()
        }
    }

    /// Reachable even when the main port is full.
    func metrics(_ tables: [RouteTable], _ address: ListenAddress) -> some ApplicationProtocol {
        let connections = OpenConnections(ConnectionLimits(total: 16, perAddress: 16)) { _ in false }
        return application(tables, address, connections, reserve: 8) {}
    }

    /// After a flood of long bodies or connections.
    var memory: PeriodicTask {
        PeriodicTask(every: .seconds(10), sleep: world.sleep) {
            let (bytes, open) = (bodies.takeHighest(), connections.takeHighest())
            let wereBodiesLong = bytes > 4_194_304 && bodies.bytes < bytes / 2
            let wereConnectionsMany = open > 256 && connections.count < open / 2
            if wereBodiesLong || wereConnectionsMany { memory_return() }
            return 0
        } failed: { _ in
        }
    }

    private func application(
        _ tables: [RouteTable], _ address: ListenAddress, _ connections: OpenConnections, reserve: Int,
        onReady: @escaping @Sendable () async -> Void
    ) -> some ApplicationProtocol {
        Application(
            router: Self.router(tables), server: .strictHTTP1(idleTimeout: .seconds(60)),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port), backlog: 1_024),
            onServerRunning: { [refused, logger = world.logger] channel in
                do {
                    try await channel.eventLoop.submit {
                        let gate = ConnectionGate(
                            connections, areDescriptorsScarce: { Descriptors.areScarce(reserve: reserve) },
                            refused: refused, logger: logger)
                        try channel.pipeline.syncOperations.addHandler(gate, position: .first)
                    }.get()
                } catch {
                    // Closed before it was ready; the application reports its own error.
                    return
                }
                await onReady()
            }, logger: world.logger)
    }

    static func router(_ tables: [RouteTable]) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        for table in tables { table.add(to: router) }
        UnknownPaths.add(tables, to: router)
        return router
    }
}
