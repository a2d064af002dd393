import CEmbedded
import GatehouseWire

/// Every possible route. `openapi.json` is written by hand; a test compares it with the route tables.
package enum APIDocument {
    package static let path = "/openapi.json"

    /// - Parameter authPrefix: Such as `/auth/v1`; empty for the root.
    package static func bytes(authPrefix: String = "/auth/v1") -> [UInt8] {
        if authPrefix == "/auth/v1" { return usual }
        var text = String(decoding: usual, as: UTF8.self)
        // Programs skip extensions of the specification: that path is now the Auth API's.
        if authPrefix.isEmpty { text = text.replacing("\n    \"/health\":", with: "\n    \"x-health\":") }
        return Array(text.replacing(#""/auth/v1/"#, with: "\"\(authPrefix)/").utf8)
    }

    /// Cached: searching the document takes longer than sending it.
    private static let usual = Array(
        String(decoding: source, as: UTF8.self)
            .replacing(#""version": "0""#, with: #""version": "\#(ProgramVersion.text)""#).utf8)

    private static var source: UnsafeBufferPointer<UInt8> {
        let document = gatehouse_openapi()
        return UnsafeBufferPointer(start: document.bytes, count: document.count)
    }
}
