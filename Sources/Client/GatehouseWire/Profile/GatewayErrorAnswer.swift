/// `{"error":CODE,"message":text}`, and `"field"` if one is invalid.
package struct GatewayErrorAnswer: Equatable, Sendable {
    /// nil in responses of proxies.
    package let code: String?
    /// For developers.
    package let message: String
    /// A JSON Pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)), such as `/data/mood`.
    package let field: String?

    package init(body: [UInt8]) {
        // Ignored: the status alone decides.
        let json = try? JSONReader.read(body)
        (code, message) = (json?["error"]?.stringValue, json?["message"]?.stringValue ?? "")
        field = json?["field"]?.stringValue
    }
}

extension JSONWriter {
    package mutating func gatewayError(code: String, message: String, field: String? = nil) {
        beginObject()
        member("error", code)
        member("message", message)
        member("field", ifPresent: field)
        endObject()
    }
}
