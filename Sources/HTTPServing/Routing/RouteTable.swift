import GatehouseWire
import HTTPTypes
package import Hummingbird

/// The routes of one door on one page.
///
/// What Hummingbird leaves open is closed here: a wrong method is 405 and not 404, `/a/` is not `/a` unless the
/// row says so, a preflight is answered on every path, HEAD wherever GET is.
package struct RouteTable: Sendable {
    let door: Door
    let floor: ServingFloor
    let routes: [Route]

    package init(door: Door, floor: ServingFloor, _ routes: [Route]) {
        self.door = door
        self.floor = floor
        self.routes = routes + routes.compactMap(\.head)
    }

    /// Registers every row under every prefix of the door. After the last table call
    /// ``UnknownPaths/add(_:to:)``, once per router.
    ///
    /// Two rows of one method and path are a mistake that Hummingbird ends the program for.
    package func add(to router: Router<ServerContext>) {
        let paths = Dictionary(grouping: routes, by: \.path)
        for prefix in door.prefixes {
            for (path, rows) in paths {
                let pattern = RouterPath(prefix + path)
                for route in rows { add(route, pattern, to: router) }
                for route in wrongMethods(path, rows) { add(route, pattern, to: router) }
            }
        }
    }

    private func add(_ route: Route, _ pattern: RouterPath, to router: Router<ServerContext>) {
        let meter = floor.metrics.meter(route: pattern.description, method: route.method.rawValue)
        router.on(
            pattern, method: route.method,
            responder: RouteEndpoint(route: route, door: door, floor: floor, meter: meter, name: pattern.description))
    }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

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
