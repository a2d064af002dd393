package import GatehouseWire
package import HTTPTypes
package import Hummingbird
import NIOCore

/// Builds responses that have only the headers of the protocol.
package enum Answer {
    private static let jsonType = HTTPField(name: .contentType, value: "application/json")

    /// A JSON response with `content-type: application/json`, without a charset as in Supabase Auth.
    package static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        body(ByteBuffer(bytes: bytes), jsonType, status)
    }

    /// - Parameter capacity: The expected number of bytes. A smaller value costs a copy.
    package static func json(
        status: HTTPResponse.Status = .ok, capacity: Int = 1_024, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var writer = JSONWriter(capacity: capacity)
        write(&writer)
        return json(writer.bytes, status: status)
    }

    /// A text response, in plain text by default.
    package static func text(
        _ text: String, status: HTTPResponse.Status = .ok, contentType: String = "text/plain; charset=utf-8"
    ) -> Response {
        body(ByteBuffer(string: text), HTTPField(name: .contentType, value: contentType), status)
    }

    /// A response without body and `content-type`.
    package static func empty(_ status: HTTPResponse.Status = .noContent) -> Response {
        // A 204 has no content-length (RFC 9110 §8.6), but Response would add one.
        var response = Response(status: status)
        if status == .noContent { response.headers = [:] }
        return response
    }

    /// A redirect with status 302, or 303 after a POST. The caller has checked that `location` is an allowed target.
    package static func redirect(to location: String, status: HTTPResponse.Status = .found) -> Response {
        var response = Response(status: status)
        response.headers.append(HTTPField(name: .location, value: location))
        return response
    }

    private static func body(_ buffer: ByteBuffer, _ contentType: HTTPField, _ status: HTTPResponse.Status) -> Response
    {
        var headers = HTTPFields()
        headers.reserveCapacity(8)
        headers.append(contentType)
        headers.append(HTTPField(name: .contentLength, value: String(buffer.readableBytes)))
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: buffer))
    }
}
