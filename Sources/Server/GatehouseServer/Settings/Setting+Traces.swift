extension Setting {
    package static let otlpEndpoint = Setting(
        "otlp_endpoint", .named(["OTEL_EXPORTER_OTLP_ENDPOINT"]), .text(),
        "Collector of [traces](telemetry.md#traces), such as `http://127.0.0.1:4318`; `/v1/traces` is appended. Default: "
            + "no traces.")
    package static let otlpTracesEndpoint = Setting(
        "otlp_traces_endpoint", .named(["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]), .text(),
        "Its whole URL instead.")
    package static let otlpHeaders = Setting(
        "otlp_headers", .named(["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"]), .secret,
        "Headers for it: `name=value,…`, values percent-encoded.")
    package static let otlpProtocol = Setting(
        "otlp_protocol", .named(["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"]),
        .text("http/json"),
        "Only `http/json`.")
    package static let traceService = Setting(
        "trace_service", .named(["OTEL_SERVICE_NAME"]), .text("gatehouse"),
        "`service.name` of the traces.")
    package static let traceSampler = Setting(
        "trace_sampler", .named(["OTEL_TRACES_SAMPLER"]), .text("parentbased_always_on"),
        "`always_on`, `always_off` or `traceidratio`; with `parentbased_`, `trace_callers` decide for their requests.")
    package static let traceSamplerArgument = Setting(
        "trace_sampler_arg", .named(["OTEL_TRACES_SAMPLER_ARG"]), .text("1"),
        "Share of traces that `traceidratio` records, 0 to 1.")
    package static let traceCallers = Setting(
        "trace_callers", .none, .text(),
        "Comma-separated networks whose sampled flag and `tracestate` are trusted.")
    package static let traceLink = Setting(
        "trace_link", .none, .text(),
        "URL that the console links requests to, with `{trace_id}` or `{request_id}`.")

    package static let traces = [
        otlpEndpoint, otlpTracesEndpoint, otlpHeaders, otlpProtocol, traceService, traceSampler, traceSamplerArgument,
        traceCallers, traceLink,
    ]
}
