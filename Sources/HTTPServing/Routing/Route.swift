import GatehouseWire
package import HTTPTypes
package import Hummingbird

/// One row of a ``RouteTable``.
package struct Route: Sendable {
    package typealias Handler = @Sendable (Request, ServerContext) async throws -> Response
    /// Throws to refuse.
    package typealias Guard = @Sendable (Request, ServerContext) async throws -> Void

    private(set) var method: HTTPRequest.Method
    /// Below the door's prefix, in Hummingbird's spelling: `/admin/users/{user_id}`.
    let path: String
    /// `/signup/` is `/signup` (contract 1.5 lists which).
    var acceptsTrailingSlash = false
    /// Checked before the limit and the handler, and before a wrong method on the same path is refused.
    var guardedBy: Guard?
    /// Like ``guardedBy``, for rows whose handler does the check itself: it runs only before a 405.
    var wrongMethodGuardedBy: Guard?
    /// The bucket from which each request takes, keyed by the caller's address.
    var limitedBy: String?
    /// The handler is cancelled after this long, and the caller gets a 504. For rows that wait for others: the
    /// caller's body, a hash queue, another server. It costs a task group, and a timer that stays until it would
    /// have rung, so hot rows have none.
    var timeLimit: Duration?
    /// Whether a GET row answers HEAD too. False where GET changes something or its answer has no end: a program that
    /// only looks at a link must not use it up.
    var answersHead = true
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

    /// The row that answers HEAD as this one answers GET (RFC 9110 §9.3.2).
    var head: Route? {
        guard method == .get, answersHead else { return nil }
        var route = self
        route.method = .head
        return route
    }
}
