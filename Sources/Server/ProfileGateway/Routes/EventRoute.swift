package import GatehouseWire
package import HTTPServing
import Hummingbird

/// `POST /v1/events`, without a token. Reads only the body.
package struct EventRoute: Sendable {
    private let tally: EventTally
    private let names: CountedNames
    private let counted: Counter
    private let now: @Sendable () -> Instant

    package init(
        _ tally: EventTally, counting names: CountedNames, metrics: ServerMetrics,
        now: @escaping @Sendable () -> Instant
    ) {
        (self.tally, self.names, self.now) = (tally, names, now)
        counted = metrics.counter("gatehouse_events_total", "Events of apps that were counted.")
        metrics.gauge("gatehouse_events_lost", "Events of apps that were counted and could not be stored.") {
            Double(tally.lost)
        }
    }

    /// A batch is counted as a whole (204) or not at all.
    @Sendable func count(_ request: Request, _ context: ServerContext) async throws -> Response {
        let bytes = try await request.bytes(context, upTo: EventBatch.maximumBytes)
        do {
            let batch = try EventBatch(bytes, counting: names, at: now())
            tally.add(batch)
            counted.increment(by: batch.eventCount)
            return Answer.empty()
        } catch let invalid as InvalidEvent {
            var refusal = Refusal(.badRequest, .validationFailed, "\(invalid.field) \(invalid.message)")
            refusal.field = invalid.field
            throw refusal
        } catch let problem as JSONProblem {
            throw Refusal.badJSON(problem.sentence)
        }
    }
}
