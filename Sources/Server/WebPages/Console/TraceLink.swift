import GatehouseWire

/// From a request to its trace.
package struct TraceLink: Sendable {
    private let template: String

    /// nil if it is no web address, or names neither ID.
    package init?(_ template: String) {
        guard URLParts(template)?.isWeb == true,
            [Self.trace, Self.request].contains(where: { template.contains($0) })
        else { return nil }
        self.template = template
    }

    private static let trace = "{trace_id}"
    private static let request = "{request_id}"

    /// - Returns: nil without an ID that the template names.
    func address(trace: String?, request: String?) -> String? {
        var address = template
        for (name, id) in [(Self.trace, trace), (Self.request, request)] where template.contains(name) {
            guard let id, id.isPlainWord else { return nil }
            address = address.replacing(name, with: id)
        }
        return address
    }
}
