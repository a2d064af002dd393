package import GatehouseWire
package import HTTPTypes
package import Hummingbird
import NIOCore

package enum Answer {
    private static let jsonType = HTTPField(name: .contentType, value: "application/json")

    /// Without a charset, as in Supabase Auth.
    package static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        body(ByteBuffer(bytes: bytes), jsonType, status)
    }

    /// - Parameter capacity: Expected bytes. Too few cost a copy.
    package static func json(
        status: HTTPResponse.Status = .ok, capacity: Int = 1_024, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var writer = JSONWriter(capacity: capacity)
        write(&writer)
        return json(writer.bytes, status: status)
    }

    package static func text(
        _ text: String, status: HTTPResponse.Status = .ok, contentType: String = "text/plain; charset=utf-8"
    ) -> Response {
        body(ByteBuffer(string: text), HTTPField(name: .contentType, value: contentType), status)
    }

    /// Without `content-type`.
    package static func empty(_ status: HTTPResponse.Status = .noContent) -> Response {
        // A 204 has no content-length (RFC 9110 §8.6), but Response would add one.
        var response = Response(status: status)
        if status == .noContent { response.headers = [:] }
        return response
    }

    /// 302, or 303 after a POST. The caller has checked `location`.
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
