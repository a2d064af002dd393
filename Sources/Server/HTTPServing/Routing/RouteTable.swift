import GatehouseWire
package import HTTPTypes
package import Hummingbird

/// Defines what Hummingbird leaves open: a wrong method gets 405, `/a/` differs from `/a` unless the route accepts
/// both, every path handles preflights, and HEAD works wherever GET does.
package struct RouteTable: Sendable {
    let group: RouteGroup
    let runtime: ServerRuntime
    let routes: [Route]

    package init(group: RouteGroup, runtime: ServerRuntime, _ routes: [Route]) {
        self.group = group
        self.runtime = runtime
        self.routes = routes + routes.compactMap(\.head)
    }

    /// Without HEAD for a GET.
    package var names: [(method: HTTPRequest.Method, path: String)] {
        group.prefixes.flatMap { prefix in
            routes.filter { $0.method != .head }.map { ($0.method, prefix + $0.path) }
        }
    }

    /// After the last table call ``UnknownPaths/add(_:to:)`` once per router. Hummingbird ends the process on duplicate
    /// routes.
    package func add(to router: Router<ServerContext>) {
        for prefix in group.prefixes {
            for route in routes { add(route, RouterPath(prefix + route.path), to: router) }
        }
    }

    /// Registers every path for the methods without a route.
    func addWrongMethods(to router: Router<ServerContext>) {
        let paths = Dictionary(grouping: routes, by: \.path)
        for prefix in group.prefixes {
            for (path, rows) in paths {
                for route in wrongMethods(path, rows) { add(route, RouterPath(prefix + path), to: router) }
            }
        }
    }

    private func add(_ route: Route, _ pattern: RouterPath, to router: Router<ServerContext>) {
        let meter = runtime.metrics.meter(route: pattern.description, method: route.method.rawValue)
        router.on(
            pattern, method: route.method,
            responder: RouteEndpoint(
                route: route, group: group, runtime: runtime, meter: meter, name: pattern.description))
    }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .other]

    private func wrongMethods(_ path: String, _ rows: [Route]) -> [Route] {
        let present = rows.map(\.method)
        let allowed = present.map(\.rawValue).sorted().joined(separator: ", ")
        let check = rows.lazy.compactMap { $0.guardedBy ?? $0.wrongMethodGuardedBy }.first
        return Self.methods.filter { !present.contains($0) }.map { method in
            Route(
                method, path, acceptsTrailingSlash: rows.contains { $0.acceptsTrailingSlash }, guardedBy: check
            ) { _, _ in throw WrongMethod(allowed: allowed) }
        }
    }
}

extension HTTPRequest.Method {
    /// Replaces TRACE, CONNECT and made-up methods.
    static let other = Self("OTHER")!
}
