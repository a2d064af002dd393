import Foundation
package import GatehouseWire
package import HTTPServing
import HTTPTypes
package import IdentityProviders
import WebPages

package struct TraceSettings: Sendable {
    package struct Service: Sendable {
        package let name: String
        package let version: String
    }

    package let endpoint: ProviderURL
    package let headers: [(name: String, value: Secret)]
    package let service: Service
    package let sampler: TraceSampler
}

extension SettingsReader {
    /// nil without a collector. The variables of OpenTelemetry may then be meant for other programs.
    mutating func traces() -> TraceSettings? {
        guard given.has(.otlpEndpoint) || given.has(.otlpTracesEndpoint) else { return nil }
        if text(.otlpProtocol) != "http/json" {
            refuse(.otlpProtocol, "expected http/json: this build has neither gRPC nor Protocol Buffers")
        }
        let (headers, sampler) = (otlpHeaders(), sampler())
        guard let endpoint = tracesEndpoint() else { return nil }
        return TraceSettings(
            endpoint: endpoint, headers: headers,
            service: .init(name: text(.traceService) ?? "", version: ProgramVersion.text), sampler: sampler)
    }

    private mutating func tracesEndpoint() -> ProviderURL? {
        let setting = given[.otlpTracesEndpoint] == nil ? Setting.otlpEndpoint : .otlpTracesEndpoint
        var text = text(setting) ?? ""
        if setting == .otlpEndpoint { text = (text.hasSuffix("/") ? String(text.dropLast()) : text) + "/v1/traces" }
        guard let url = ProviderURL(text), !url.text.contains(ascii: "?") else {
            refuse(setting, "expected a web address such as http://127.0.0.1:4318, without ? and #")
            return nil
        }
        if !url.isSecure, let address = url.address, address.isPublic {
            refuse(setting, "expected https; http is for this machine and private networks")
        }
        return url
    }

    /// As in OpenTelemetry's specification of the OTLP exporter.
    private mutating func otlpHeaders() -> [(name: String, value: Secret)] {
        list(.otlpHeaders).compactMap { entry in
            let parts = entry.split(ascii: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            guard parts.count == 2, HTTPField.Name(name) != nil,
                let value = parts[1].trimmingCharacters(in: .whitespaces).removingPercentEncoding,
                value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else {
                refuse(.otlpHeaders, "expected name=value, with commas between several, values percent-encoded")
                return nil
            }
            return (name.lowercased(), Secret(value))
        }
    }

    private mutating func sampler() -> TraceSampler {
        let share = text(.traceSamplerArgument).flatMap { Double($0) } ?? -1
        if !(0...1).contains(share) { refuse(.traceSamplerArgument, "expected a number from 0 to 1, such as 0.1") }
        let rule = choice(
            .traceSampler,
            [
                "always_on": (1.0, false), "always_off": (0, false), "traceidratio": (share, false),
                "parentbased_always_on": (1, true), "parentbased_always_off": (0, true),
                "parentbased_traceidratio": (share, true),
            ])
        let (ratio, followsCallers) = rule ?? (0, false)
        return TraceSampler(ratio: ratio, followsCallers: followsCallers, callers: networks(.traceCallers))
    }

    /// For the console.
    mutating func traceLink() -> TraceLink? {
        guard let text = text(.traceLink) else { return nil }
        guard let link = TraceLink(text) else {
            refuse(.traceLink, "expected a web address with {trace_id} or {request_id}")
            return nil
        }
        return link
    }
}
