import GatehouseWire
import HTTPTypes
import Hummingbird
package import Logging

/// Everything around a handler. Unlike a middleware, it knows the route's pattern, metrics and API at startup.
struct RouteEndpoint: HTTPResponder {
    let route: Route
    let group: RouteGroup
    let runtime: ServerRuntime
    let meter: RouteMeter
    /// The full pattern.
    let name: String

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let started = runtime.uptime()
        var context = context
        context.requestID = request.headers[.requestID].flatMap(Self.wellFormed) ?? runtime.makeRequestID()
        context.deadline = Deadline(end: started + runtime.requestTimeLimit, uptime: runtime.uptime)
        if request.method != .get { context.bodyShare = BodyShare(runtime.bodies) }
        defer { context.bodyShare?.end() }
        guard let tracer = runtime.tracer, route.isLogged else { return try await serve(request, context, started) }
        let span = tracer.begin(request, route: name, context)
        defer { span.end() }
        context.span = span
        return try await ActiveSpan.$current.withValue(span) { [context] in
            try await serve(request, context, started)
        }
    }

    private func serve(_ request: Request, _ context: ServerContext, _ started: Duration) async throws -> Response {
        var (response, code): (Response, RefusalCode?)
        do {
            (response, code) = (try await answer(request, context), nil)
        } catch let lost as ConnectionLost {
            meter.record(status: 499, took: runtime.uptime() - started)
            context.span?.set(.status, .number(499))
            context.event(.info, "request ended by the client", [.route: name])
            throw lost.cause
        } catch {
            (response, code) = refusal(of: error, request, context)
        }
        finish(&response, request, context)
        let took = runtime.uptime() - started
        meter.record(status: response.status.code, took: took)
        context.span?.note(response.status.code, code)
        log(response.status.code, code, took, context)
        if route.isLogged {
            runtime.requests.add(
                UnknownPaths.known(request.method), name, status: response.status.code, took: took,
                requestID: context.requestID, traceID: context.span?.recordedTrace, code: code, at: runtime.now())
        }
        return response
    }

    private func answer(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard request.head.authority != nil else { throw Refusal.wrongHost }
        try runtime.callers?.check(request)
        if let preflight = preflight(request) { return preflight }
        guard PathShape(request.head.path ?? "/").isPlain(slash: route.acceptsTrailingSlash) else {
            throw UnknownPath()
        }
        try group.guardedBy?(request)
        var context = context
        if let check = route.guardedBy { try await check(request, &context) }
        if let bucket = route.limitedBy { try await runtime.take(bucket, request, context) }
        guard let limit = route.timeLimit else { return try await route.handler(request, context) }
        return try await runtime.limited(to: limit) { [context] in
            try await route.handler(request, context)
        }
    }

    private func preflight(_ request: Request) -> Response? {
        request.method == .options ? group.crossOrigin?.preflight(request) : nil
    }

    private func refusal(
        of error: any Error, _ request: Request, _ context: ServerContext
    ) -> (Response, RefusalCode?) {
        let refusal: Refusal
        switch error {
        case let known as Refusal: refusal = known
        case let problem as JSONProblem: refusal = .badJSON(problem.sentence)
        case is UnknownPath:
            return (group.format.unknownPath(request: request.headers, requestID: context.requestID), nil)
        case let wrong as WrongMethod:
            var response = Answer.empty(.methodNotAllowed)
            if !wrong.allowed.isEmpty { response.headers.append(HTTPField(name: .allow, value: wrong.allowed)) }
            return (response, nil)
        case let known as any HTTPResponseError where known.status.code < 500:
            refusal = Refusal(known.status, .validationFailed, "The request is not valid.", cause: error)
        default: refusal = runtime.refusal(of: error)
        }
        context.note(refusal, route: name)
        let response = group.format.response(to: refusal, request: request.headers, requestID: context.requestID)
        return (response, refusal.code)
    }

    private static let noSniffing = HTTPField(name: .contentTypeOptions, value: "nosniff")

    private func finish(_ response: inout Response, _ request: Request, _ context: ServerContext) {
        response.headers.append(HTTPField(name: .requestID, value: context.requestID))
        response.headers.append(Self.noSniffing)
        if let cacheControl = group.cacheControl, !response.headers.contains(.cacheControl) {
            response.headers.append(HTTPField(name: .cacheControl, value: cacheControl))
        }
        group.crossOrigin?.mark(&response, to: request)
        // The client would read a body as the connection's next response (RFC 9110 §9.3.2).
        if request.method == .head { response = response.createHeadResponse() }
    }

    private func log(_ status: Int, _ code: RefusalCode?, _ took: Duration, _ context: ServerContext) {
        let level: Logger.Level =
            switch status {
            case ..<400: .debug
            case 429: .warning
            case ..<500: .info
            default: .error
            }
        guard context.logger.logLevel <= level else { return }
        var metadata: [LogKey: String] = [
            .route: name, .method: route.method.rawValue, .status: String(status),
            .microseconds: String(took.microseconds),
        ]
        // OAuth's codes can be a client's text.
        metadata[.code] = code.map { $0.rawValue.cut(to: 64) }
        context.event(level, "request answered", metadata)
    }

    /// At most 64 of `[A-Za-z0-9_-]`. Others could forge log lines.
    static func wellFormed(_ id: String) -> String? {
        let utf8 = id.utf8
        guard (1...64).contains(utf8.count) else { return nil }
        return utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") } ? id : nil
    }
}

extension ServerContext {
    /// Logs the cause, which the client does not see.
    ///
    /// - Parameter level: Overrides the status's level.
    package func note(_ refusal: Refusal, route: String? = nil, level: Logger.Level? = nil) {
        guard let cause = refusal.cause else { return }
        let level = level ?? (refusal.status.code >= 500 ? .error : .info)
        var metadata: [LogKey: String] = [.cause: "\(type(of: cause)): \(cause)"]
        metadata[.route] = route
        event(level, "request refused", metadata)
    }
}

extension ActiveSpan {
    /// A server's span fails with a status of 500 or more.
    fileprivate func note(_ status: Int, _ code: RefusalCode?) {
        set(.status, .number(Int64(status)))
        if let code { set(.errorCode, code.rawValue) }
        if status >= 500 { fail("\(status)") }
    }
}

/// A trailing slash and empty segments, which Hummingbird's router ignores.
struct PathShape {
    private(set) var endsWithSlash = false
    private(set) var hasEmptyPart = false

    /// - Parameter target: Includes the query.
    init(_ target: String) {
        var previous: UInt8 = 0
        var length = 0
        for byte in target.utf8 {
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "/"), previous == byte { hasEmptyPart = true }
            previous = byte
            length += 1
        }
        endsWithSlash = length > 1 && previous == UInt8(ascii: "/")
    }

    func isPlain(slash: Bool) -> Bool { !hasEmptyPart && (slash || !endsWithSlash) }
}
