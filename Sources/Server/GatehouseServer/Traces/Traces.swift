import GatehouseWire
import HTTPServing
import PasswordHashing
import SQLDatabase

/// A server has none without a collector.
struct Traces: Sendable {
    let tracer: Tracer
    let exporter: SpanExporter

    init?(_ settings: ServerSettings, _ world: World, _ metrics: ServerMetrics) {
        guard let traces = settings.traces else { return nil }
        let exporter = SpanExporter(traces, world, metrics)
        self.exporter = exporter
        tracer = Tracer(
            traces.sampler, now: world.now, uptime: world.uptime, random: world.random, finished: exporter.add)
    }
}

extension Traces? {
    var tracer: Tracer? { self?.tracer }

    func watching(_ database: any Database) -> any Database {
        guard let self else { return database }
        return TracedDatabase(base: database, tracer: self.tracer)
    }
}

extension Tracer {
    /// A span from the beginning of the wait for a thread.
    var hashing: HashingWatch {
        { algorithm in
            guard let span = self.begin("hash password", .inside) else { return nil }
            span.set(.hashAlgorithm, algorithm.rawValue)
            return { step in
                switch step {
                case .started: span.set(.hashWait, .number(span.elapsed.microseconds))
                case .ended(let refusal):
                    if let refusal { span.fail(refusal.type) }
                    span.end()
                }
            }
        }
    }
}

extension HashingRefusal {
    fileprivate var type: String {
        switch self {
        case .busy: "busy"
        case .cancelled: "cancelled"
        case .shutDown: "shut_down"
        case .failed: "failed"
        }
    }
}
