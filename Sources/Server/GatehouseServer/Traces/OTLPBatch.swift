import GatehouseWire
import HTTPServing

/// The body of an `ExportTraceServiceRequest` in OTLP's JSON encoding: IDs are hexadecimal, 64-bit numbers are text.
struct OTLPBatch {
    let service: TraceSettings.Service
    /// Differs between processes.
    let instance: String

    func bytes(_ spans: some Collection<FinishedSpan>) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + spans.count * 640)
        writer.beginObject()
        writer.list("resourceSpans", [()]) { writer, _ in
            writer.beginObject()
            writer.name("resource")
            writer.beginObject()
            writer.list("attributes", resource) { $0.attribute($1.key, .text($1.value)) }
            writer.endObject()
            writer.list("scopeSpans", [()]) { writer, _ in
                writer.beginObject()
                writer.name("scope")
                writer.beginObject()
                writer.member("name", "gatehouse")
                writer.member("version", service.version)
                writer.endObject()
                writer.list("spans", spans) { $0.span($1) }
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    private var resource: [(key: String, value: String)] {
        [
            ("service.name", service.name), ("service.version", service.version), ("service.instance.id", instance),
            ("telemetry.sdk.name", "gatehouse"), ("telemetry.sdk.language", "swift"),
            ("telemetry.sdk.version", service.version),
        ]
    }
}

extension JSONWriter {
    fileprivate mutating func attribute(_ key: String, _ value: SpanValue) {
        beginObject()
        member("key", key)
        name("value")
        beginObject()
        switch value {
        case .text(let text): member("stringValue", text)
        case .number(let number): member("intValue", String(number))
        }
        endObject()
        endObject()
    }

    fileprivate mutating func span(_ span: FinishedSpan) {
        let began = span.beganAt.microseconds
        beginObject()
        member("traceId", span.context.trace.text)
        member("spanId", span.context.span.text)
        member("traceState", ifPresent: span.context.state)
        member("parentSpanId", ifPresent: span.parent?.text)
        // Sampled; bits 8 and 9 say whether the parent is remote.
        member("flags", Int64(span.isParentRemote ? 0x301 : 0x101))
        member("name", span.name)
        member("kind", span.kind.rawValue)
        member("startTimeUnixNano", "\(began)000")
        member("endTimeUnixNano", "\(began + span.took.microseconds)000")
        list("attributes", span.attributes) { $0.attribute($1.key.rawValue, $1.value) }
        name("status")
        beginObject()
        if span.hasFailed { member("code", Int64(2)) }
        endObject()
        endObject()
    }
}
