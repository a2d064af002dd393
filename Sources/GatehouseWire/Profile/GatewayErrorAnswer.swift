/// An error response of the gateway: `{"error":CODE,"message":text}`.
package struct GatewayErrorAnswer: Equatable, Sendable {
    /// nil if the response has none, as that of a proxy.
    package let code: String?
    /// A message for developers.
    package let message: String

    /// Parses an error response, even if it is not JSON.
    package init(body: [UInt8]) {
        // Lost: why the body is unreadable. The status alone then decides.
        let json = try? JSONReader.read(body)
        (code, message) = (json?["error"]?.stringValue, json?["message"]?.stringValue ?? "")
    }
}

extension JSONWriter {
    /// Writes the error response that ``GatewayErrorAnswer/init(body:)`` reads.
    package mutating func gatewayError(code: String, message: String) {
        beginObject()
        member("error", code)
        member("message", message)
        endObject()
    }
}
