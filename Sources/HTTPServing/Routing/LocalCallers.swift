import GatehouseWire
import HTTPTypes
package import Hummingbird

/// Keeps other websites away from a server that is for one machine: pages of theirs reach its port through the browser,
/// under names of their own too (DNS rebinding).
///
/// A request is answered when its `Host` is an IP address, `localhost`, or one of ``init(names:)``. Its `Origin`, if it
/// has one, has to be on loopback, have one of those names, or the name in `Host`. Origins with another scheme than
/// http and https are apps and not websites; `null` is any website's frame.
package struct LocalCallers: Sendable {
    private let names: [String]

    /// - Parameter names: Further names of this machine, such as `my-mac.local`.
    package init(names: [String] = []) { self.names = names.map { $0.lowercased() } }

    /// - Throws: ``Refusal`` 403 `foreign_host` or `foreign_origin`.
    package func check(_ request: Request) throws {
        let host = Self.name(in: request.head.authority ?? "")
        // Without a name it is no browser's: HTTP/1.0.
        guard host.isEmpty || Self.isASCII(host) && (isLocal(host) || IPAddress(host) != nil) else {
            throw Refusal(
                .forbidden, RefusalCode("foreign_host"),
                "This server answers to the names of its own machine; gatehouse dev --allow-host adds one.")
        }
        for origin in request.headers[values: .origin] where !admits(origin: origin, to: host) {
            throw Refusal(
                .forbidden, RefusalCode("foreign_origin"),
                "Pages of this machine alone may call this server; gatehouse dev --allow-host adds a name.")
        }
    }

    private func admits(origin: String, to host: String) -> Bool {
        guard Self.isASCII(origin), let colon = origin.utf8.firstIndex(of: UInt8(ascii: ":")),
            origin[colon...].hasPrefix("://")
        else {
            return false
        }
        guard ["http", "https"].contains(origin[..<colon].lowercased()) else { return true }
        let name = Self.name(in: String(origin[colon...].dropFirst(3)))
        return isLocal(name) || name == host
    }

    private func isLocal(_ name: String) -> Bool {
        ["localhost", "127.0.0.1", "::1"].contains(name) || names.contains(name)
    }

    /// The host without its port and brackets, in lower case.
    private static func name(in authority: String) -> String {
        let bytes = authority.utf8
        let host =
            bytes.first == UInt8(ascii: "[")
            ? bytes.dropFirst().prefix { $0 != UInt8(ascii: "]") } : bytes.prefix { $0 != UInt8(ascii: ":") }
        return Substring(host).lowercased()
    }

    /// Nothing else is a host or an origin, and to compare long Unicode takes long.
    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
}
