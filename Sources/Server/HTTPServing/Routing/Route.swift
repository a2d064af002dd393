import GatehouseWire
package import HTTPTypes
package import Hummingbird

/// A route: one row of a ``RouteTable``.
package struct Route: Sendable {
    package typealias Handler = @Sendable (Request, ServerContext) async throws -> Response
    /// Throws to refuse the request. May note in the context who the caller is.
    package typealias Guard = @Sendable (Request, inout ServerContext) async throws -> Void

    private(set) var method: HTTPRequest.Method
    /// The path after the prefix, in Hummingbird's syntax: `/admin/users/{user_id}`.
    let path: String
    /// Whether `/signup/` matches `/signup`, as Supabase Auth allows for some routes.
    var acceptsTrailingSlash = false
    /// Runs before the rate limit and the handler, and before a wrong method on the path is refused.
    var guardedBy: Guard?
    /// Like ``guardedBy``, but runs only before a 405, for routes whose handler checks the caller itself.
    var wrongMethodGuardedBy: Guard?
    /// The bucket that each request takes a token from, keyed by client address.
    var limitedBy: String?
    /// After this time the handler is cancelled and the client gets a 504. For routes that wait for the
    /// client's body, a hash queue or another server. Costs a task, so hot routes have none.
    var timeLimit: Duration?
    /// Whether a GET route answers HEAD too. false if GET changes something or streams forever: link checkers must not
    /// consume a one-time link.
    var answersHead = true
    /// Whether ``RequestLog`` has its requests.
    private(set) var isLogged = true
    let handler: Handler

    package init(
        _ method: HTTPRequest.Method, _ path: String, acceptsTrailingSlash: Bool = false, guardedBy: Guard? = nil,
        wrongMethodGuardedBy: Guard? = nil, limitedBy: String? = nil, timeLimit: Duration? = nil,
        answersHead: Bool = true, _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.acceptsTrailingSlash = acceptsTrailingSlash
        self.guardedBy = guardedBy
        self.wrongMethodGuardedBy = wrongMethodGuardedBy
        self.limitedBy = limitedBy
        self.timeLimit = timeLimit
        self.answersHead = answersHead
        self.handler = handler
    }

    /// The same route, of whose requests ``RequestLog`` has none: probes, assets, and the log itself.
    package var unlogged: Route {
        var route = self
        route.isLogged = false
        return route
    }

    /// The route that answers HEAD for this GET route (RFC 9110 §9.3.2).
    var head: Route? {
        guard method == .get, answersHead else { return nil }
        var route = self
        route.method = .head
        return route
    }
}
