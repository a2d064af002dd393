import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import ProfileGateway

// What users of all nodes did, by hour or day.
extension OperatorRoutes {
    /// `GET /admin/activity?from=&until=` → `{"from","until","step","counts":[{"at","name","labels","count"}],
    /// "funnels":[{"method","selected","started","cancelled","completed","failed":[{"error_type","count"}]}]}`.
    ///
    /// The times are RFC 3339, at most 31 days apart; by default the last 24 hours. A step is 3,600 seconds, or 86,400
    /// for more than three days; `from` in the response is the beginning of its step. Two statements.
    @Sendable func showActivity(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = Query(request)
        let until = try moment("until", query) ?? runtime.now()
        let from = try moment("from", query) ?? until - .seconds(86_400)
        let length = (until - from)
        guard length > .zero, length <= Self.longest else {
            throw Self.invalid("from must be before until, and at most 31 days")
        }
        let step: ActivityCounts.Step = length > .seconds(3 * 86_400) ? .day : .hour
        let start = step.beginning(of: from)
        let sums = try await ActivityCounts(database: database).sums(from: start, until: until, by: step)
        let funnels = try await EventCounts(database: database).funnels(from: start, until: until)
        return Answer.json(capacity: 128 * (sums.count + funnels.count + 1)) { writer in
            writer.beginObject()
            writer.member("from", start)
            writer.member("until", until)
            writer.member("step", step.seconds)
            writer.list("counts", sums) { $0.activity($1) }
            writer.list("funnels", funnels) { $0.funnel($1) }
            writer.endObject()
        }
    }

    private static let longest: Duration = .seconds(31 * 86_400)

    private func moment(_ name: String, _ query: Query) throws -> Instant? {
        guard let text = query[name] else { return nil }
        guard let moment = Instant(text) else { throw Self.invalid("\(name) must be a time as in RFC 3339") }
        return moment
    }
}

extension JSONWriter {
    fileprivate mutating func activity(_ sum: ActivitySum) {
        beginObject()
        member("at", sum.at)
        member("name", sum.name)
        list("labels", sum.labels) { $0.value($1) }
        member("count", sum.count)
        endObject()
    }

    fileprivate mutating func funnel(_ funnel: MethodFunnel) {
        beginObject()
        member("method", funnel.method)
        member("selected", funnel.selected)
        member("started", funnel.started)
        member("cancelled", funnel.cancelled)
        member("completed", funnel.completed)
        list("failed", funnel.failed) { writer, failed in
            writer.beginObject()
            writer.member("error_type", failed.errorType)
            writer.member("count", failed.count)
            writer.endObject()
        }
        endObject()
    }
}
