import AuthServer
import GatehouseWire
import HTTPServing
import Hummingbird

// This process only.
extension OperatorRoutes {
    /// `after=N`: newer requests, oldest first, at most 200.
    @Sendable func listRequests(_ request: Request, _ context: ServerContext) throws -> Response {
        let text = Query(request)["after"]
        guard let after = Int64(text ?? "0"), after >= 0 else { throw Refusal.invalid("after must be a number") }
        let found = runtime.requests.requests(after: after)
        return Answer.json(capacity: 160 * (found.count + 1)) { writer in
            writer.beginObject()
            writer.list("requests", found) { $0.answeredRequest($1) }
            writer.member("next", found.last?.number ?? after)
            writer.endObject()
        }
    }

    /// The busiest first, at most 50.
    @Sendable func showLatency(_ request: Request, _ context: ServerContext) -> Response {
        let routes = runtime.metrics.latencies(limit: 50)
        return Answer.json(capacity: 128 * (routes.count + 1)) { $0.latencies(routes) }
    }

    /// By area.
    @Sendable func showConfiguration(_ request: Request, _ context: ServerContext) -> Response {
        Answer.json(capacity: 32_768) { writer in
            writer.beginObject()
            writer.list("settings", settings.shown) { writer, shown in
                writer.beginObject()
                writer.member("name", shown.setting.key)
                writer.member("area", shown.area)
                writer.member("value", ifPresent: shown.value)
                writer.member("is_secret", shown.setting.isSecret)
                writer.member("origin", shown.origin.rawValue)
                writer.member("help", shown.setting.summary)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}

extension JSONWriter {
    mutating func latencies(_ routes: [RouteLatency]) {
        beginObject()
        list("routes", routes) { writer, route in
            writer.beginObject()
            writer.member("method", route.method)
            writer.member("route", route.route)
            writer.member("count", Int64(route.count))
            writer.member("p50_ms", .double(route.median.milliseconds))
            writer.member("p99_ms", .double(route.slow.milliseconds))
            writer.endObject()
        }
        endObject()
    }

    fileprivate mutating func answeredRequest(_ request: AnsweredRequest) {
        beginObject()
        member("n", request.number)
        member("at", request.at)
        member("method", request.method)
        member("route", request.route)
        member("status", Int64(request.status))
        member("ms", .double(request.took.milliseconds))
        member("request_id", request.requestID)
        member("trace_id", ifPresent: request.traceID)
        member("code", ifPresent: request.code)
        endObject()
    }
}
