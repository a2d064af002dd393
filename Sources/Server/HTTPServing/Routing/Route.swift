import GatehouseWire
package import HTTPTypes
package import Hummingbird

/// A row of a ``RouteTable``.
package struct Route: Sendable {
    package typealias Handler = @Sendable (Request, ServerContext) async throws -> Response
    /// Throws to refuse the request. May note the caller in the context.
    package typealias Guard = @Sendable (Request, inout ServerContext) async throws -> Void

    private(set) var method: HTTPRequest.Method
    /// After the prefix, in Hummingbird's syntax: `/admin/users/{user_id}`.
    let path: String
    /// As Supabase Auth allows for some routes.
    var acceptsTrailingSlash = false
    /// Runs before rate limit and handler, and before a 405.
    var guardedBy: Guard?
    /// Runs only before a 405, for handlers that check the caller.
    var wrongMethodGuardedBy: Guard?
    /// A bucket, by client address.
    var limitedBy: String?
    /// Cancels the handler and responds with 504. Costs a task, so hot routes have none.
    var timeLimit: Duration?
    /// false if GET changes something or streams forever: link checkers must not use up a one-time link.
    var answersHead = true
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

    /// Leaves probes, assets and the log itself out of ``RequestLog``.
    package var unlogged: Route {
        var route = self
        route.isLogged = false
        return route
    }

    /// RFC 9110 §9.3.2.
    var head: Route? {
        guard method == .get, answersHead else { return nil }
        var route = self
        route.method = .head
        return route
    }
}
