import GatehouseServer
import GatehouseWire
import IdentityProviders
import TestSupport
import Testing

@Suite("Settings of traces")
struct TraceSettingsTests {
    private static let on = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"]

    @Test("Without a collector there are no traces, whatever other programs' variables say")
    func off() throws {
        let others = [
            "OTEL_TRACES_SAMPLER": "jaeger_remote", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
            "OTEL_EXPORTER_OTLP_HEADERS": "?", "OTEL_METRICS_EXPORTER": "none",
        ]
        #expect(try GivenValues.settings(others).traces == nil)
    }

    @Test(
        "The endpoint is OpenTelemetry's",
        arguments: [
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"], "http://127.0.0.1:4318/v1/traces"),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://otlp.example.org/a/"], "https://otlp.example.org/a/v1/traces"),
            (
                [
                    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318",
                    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://10.0.0.1/own",
                ], "http://10.0.0.1/own"
            ),
            (["GATEHOUSE_OTLP_ENDPOINT": "http://otel-collector:4318"], "http://otel-collector:4318/v1/traces"),
        ])
    func endpoint(given: [String: String], url: String) throws {
        let traces = try #require(try GivenValues.settings(given).traces)
        #expect(traces.endpoint.text == url && traces.service.name == "gatehouse" && traces.headers.isEmpty)
    }

    @Test(
        "A wrong value is refused with its name",
        arguments: [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://93.184.216.34"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://otlp.example.org/v1/traces?key=secret"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "secret"), ("OTEL_EXPORTER_OTLP_HEADERS", "a b=secret"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=secret%0D%0Ab: c"), ("OTEL_EXPORTER_OTLP_HEADERS", "a=secret%zz"),
            ("OTEL_TRACES_SAMPLER", "jaeger_remote"), ("OTEL_TRACES_SAMPLER", "xray"),
            ("OTEL_TRACES_SAMPLER_ARG", "1.1"), ("OTEL_TRACES_SAMPLER_ARG", "nan"), ("OTEL_TRACES_SAMPLER_ARG", "a"),
            ("GATEHOUSE_TRACE_CALLERS", "10.0.0.1/8"), ("GATEHOUSE_TRACE_LINK", "https://traces.example.org"),
            ("GATEHOUSE_TRACE_LINK", "javascript:alert('{trace_id}')"),
        ])
    func refused(name: String, value: String) {
        let problems = GivenValues.problems(
            Self.on.merging([name: value, "GATEHOUSE_CONSOLE": "true"]) { $1 })
        #expect(problems.map(\.name) == [name])
        #expect(!"\(problems)".contains("secret"))
    }

    @Test(
        "Every supported sampler is read",
        arguments: [
            "always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
            "parentbased_traceidratio",
        ])
    func samplers(name: String) throws {
        let given = Self.on.merging(["OTEL_TRACES_SAMPLER": name, "OTEL_TRACES_SAMPLER_ARG": "0.25"]) { $1 }
        #expect(try GivenValues.settings(given).traces != nil)
    }

    @Test("The headers are never shown")
    func headers() throws {
        let given = GivenValues.given(Self.on.merging(["OTEL_EXPORTER_OTLP_HEADERS": "a=hidden"]) { $1 })
        #expect(given.shown(.otlpHeaders) == "(secret)")
        let settings = try ServerSettings(given)
        #expect(settings.traces?.headers.map(\.name) == ["a"])
        #expect(!"\(settings.shown) \(String(reflecting: settings.traces))".contains("hidden"))
    }
}
