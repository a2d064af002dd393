import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import Hummingbird
import ProfileGateway

// User activity on all nodes, by hour or day.
extension OperatorRoutes {
    /// RFC 3339 times, at most 31 days apart; by default the last 24 hours. A step is 3,600 seconds, or 86,400 beyond
    /// three days; the response's `from` is its step's beginning. Two statements.
    @Sendable func showActivity(_ request: Request, _ context: ServerContext) async throws -> Response {
        let report = try await activity(Query(request))
        return Answer.json(capacity: report.capacity) { $0.activity(report) }
    }

    /// `failed` counts among the newest 50 deliveries, `texts` of the last 24 hours. Four statements, five if the server
    /// texts codes.
    @Sendable func showOverview(_ request: Request, _ context: ServerContext) async throws -> Response {
        let report = try await activity(Query(request))
        let people = try await accounts.admin.people(from: report.from, until: report.until)
        let mails = try await accounts.mailQueue.mailBacklog()
        let webhooks = try await accounts.events.deliverySummary(ofNewest: 50)
        let texts = settings.auth.texts == nil ? nil : try await TextFigures.read(from: database, at: runtime.now())
        return Answer.json(capacity: report.capacity + 8_192) { writer in
            writer.beginObject()
            writer.name("activity")
            writer.activity(report)
            writer.name("people")
            writer.people(people)
            writer.name("latency")
            writer.latencies(runtime.metrics.latencies(limit: 50))
            writer.name("mails")
            writer.beginObject()
            writer.member("waiting", Int64(mails.count))
            writer.member("oldest", ifPresent: mails.oldest)
            writer.endObject()
            if let texts {
                writer.name("texts")
                writer.texts(texts)
            }
            writer.name("webhooks")
            writer.beginObject()
            writer.member("waiting", Int64(webhooks.waiting))
            writer.member("failed", Int64(webhooks.failed))
            writer.endObject()
            writer.endObject()
        }
    }

    /// - Throws: ``Refusal`` 400 `validation_failed`, and ``DatabaseFailure``.
    private func activity(_ query: Query) async throws -> ActivityReport {
        let until = try moment("until", query) ?? runtime.now()
        let from = try moment("from", query) ?? until - .seconds(86_400)
        let length = (until - from)
        guard length > .zero, length <= Self.longest else {
            throw Refusal.invalid("from must be before until, and at most 31 days")
        }
        let step: ActivityCounts.Step = length > .seconds(3 * 86_400) ? .day : .hour
        let start = step.beginning(of: from)
        return ActivityReport(
            from: start, until: until, step: step,
            sums: try await ActivityCounts(database: database).sums(from: start, until: until, by: step),
            funnels: try await EventCounts(database: database).funnels(from: start, until: until))
    }

    private static let longest: Duration = .seconds(31 * 86_400)

    private func moment(_ name: String, _ query: Query) throws -> Instant? {
        guard let text = query[name] else { return nil }
        guard let moment = Instant(text) else { throw Refusal.invalid("\(name) must be a time as in RFC 3339") }
        return moment
    }
}

private struct ActivityReport {
    let from: Instant
    let until: Instant
    let step: ActivityCounts.Step
    let sums: [ActivitySum]
    let funnels: [MethodFunnel]

    var capacity: Int { 128 * (sums.count + funnels.count + 1) }
}

extension JSONWriter {
    fileprivate mutating func people(_ people: PeopleFigures) {
        beginObject()
        name("total")
        beginObject()
        member("count", Int64(people.total.number))
        member("precision", people.total.precision.rawValue)
        endObject()
        member("new", Int64(people.new))
        member("new_before", Int64(people.newBefore))
        list("ends", people.ends) { writer, ends in
            writer.beginObject()
            writer.member("reason", ends.reason)
            writer.member("count", Int64(ends.count))
            writer.endObject()
        }
        endObject()
    }

    fileprivate mutating func texts(_ texts: TextFigures) {
        beginObject()
        member("sent", Int64(texts.sent))
        member("failed", Int64(texts.failed))
        member("used", Int64(texts.used))
        endObject()
    }

    fileprivate mutating func activity(_ report: ActivityReport) {
        beginObject()
        member("from", report.from)
        member("until", report.until)
        member("step", report.step.seconds)
        list("counts", report.sums) { $0.sum($1) }
        list("funnels", report.funnels) { $0.funnel($1) }
        endObject()
    }

    private mutating func sum(_ sum: ActivitySum) {
        beginObject()
        member("at", sum.at)
        member("name", sum.name)
        list("labels", sum.labels) { $0.value($1) }
        member("count", sum.count)
        endObject()
    }

    private mutating func funnel(_ funnel: MethodFunnel) {
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
