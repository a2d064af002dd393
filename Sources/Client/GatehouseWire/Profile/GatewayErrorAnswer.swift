/// An error response of the gateway: `{"error":CODE,"message":text}`, and `"field"` if one field is invalid.
package struct GatewayErrorAnswer: Equatable, Sendable {
    /// nil if the response has none, as that of a proxy.
    package let code: String?
    /// A message for developers.
    package let message: String
    /// The path of the invalid field, a JSON Pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) into the
    /// request's body, such as `/data/mood`.
    package let field: String?

    /// Parses an error response, even if it is not JSON.
    package init(body: [UInt8]) {
        // Ignored: with an unreadable body, the status alone decides.
        let json = try? JSONReader.read(body)
        (code, message) = (json?["error"]?.stringValue, json?["message"]?.stringValue ?? "")
        field = json?["field"]?.stringValue
    }
}

extension JSONWriter {
    /// Writes the error response that ``GatewayErrorAnswer/init(body:)`` reads.
    package mutating func gatewayError(code: String, message: String, field: String? = nil) {
        beginObject()
        member("error", code)
        member("message", message)
        member("field", ifPresent: field)
        endObject()
    }
}
