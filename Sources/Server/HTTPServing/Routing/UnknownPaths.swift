import GatehouseWire
import HTTPTypes
package import Hummingbird
import Synchronization

/// Responds in the error format of the path's API.
package struct UnknownPaths: RouterMiddleware {
    package typealias Context = ServerContext

    private let endpoints: [(prefix: String, endpoint: RouteEndpoint)]

    fileprivate init(_ tables: [RouteTable]) {
        endpoints =
            tables
            .flatMap { table in table.group.prefixes.map { (prefix: $0, endpoint: Self.endpoint(table)) } }
            .sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    /// Call after adding every table: Hummingbird applies a middleware only to later routes and unknown paths.
    package static func add(_ tables: [RouteTable], to router: Router<ServerContext>) {
        router.add(middleware: OtherRequests(tables))
    }

    package func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard let found = endpoints.first(where: { Self.covers($0.prefix, path) }) else {
            return try await next(request, context)
        }
        return try await found.endpoint.respond(to: request, context: context)
    }

    private static func covers(_ prefix: String, _ path: String) -> Bool {
        guard path.hasPrefix(prefix) else { return false }
        let rest = path.utf8.dropFirst(prefix.utf8.count)
        return prefix.isEmpty || rest.isEmpty || rest.first == UInt8(ascii: "/")
    }

    fileprivate static let routable: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    /// `OTHER` for a made-up method.
    static func known(_ method: HTTPRequest.Method) -> String {
        (routable.contains(method) ? method : .other).rawValue
    }

    /// Counted as route "none": a made-up path must not create a label.
    private static func endpoint(_ table: RouteTable) -> RouteEndpoint {
        let route = Route(.get, "", acceptsTrailingSlash: true) { _, _ in throw UnknownPath() }
        let meter = table.runtime.metrics.meter(route: "none", method: "any")
        return RouteEndpoint(route: route, group: table.group, runtime: table.runtime, meter: meter, name: "none")
    }
}

/// Its separate router is built by the first such request: with six times as many endpoints as routes, it would take a
/// seventh of every start.
private final class OtherRequests: RouterMiddleware {
    typealias Context = ServerContext

    private let tables: [RouteTable]
    private let built = Mutex<RouterResponder<ServerContext>?>(nil)

    init(_ tables: [RouteTable]) { self.tables = tables }

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        guard !UnknownPaths.routable.contains(request.method) else {
            return try await responder().respond(to: request, context: context)
        }
        var head = request.head
        head.method = .other
        return try await responder().respond(to: Request(head: head, body: request.body), context: context)
    }

    private func responder() -> RouterResponder<ServerContext> {
        built.withLock { built in
            if let built { return built }
            let router = Router(context: ServerContext.self)
            for table in tables { table.addWrongMethods(to: router) }
            router.add(middleware: UnknownPaths(tables))
            let responder = router.buildResponder()
            built = responder
            return responder
        }
    }
}
