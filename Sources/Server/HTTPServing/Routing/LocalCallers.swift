import GatehouseWire
import HTTPTypes
package import Hummingbird

/// Protects a developer's server from websites that reach its port through the browser, including by DNS rebinding.
///
/// `Host` must be an IP address, `localhost`, or one of ``init(names:)``. `Origin` must be loopback, one of these
/// names, the name in `Host`, or an app's scheme. `null` can be any website's frame, and is refused unless
/// `Sec-Fetch-Site` says same origin: a form without referrers sends it.
package struct LocalCallers: Sendable {
    private let names: [String]

    /// - Parameter names: Further names of this machine, such as `my-mac.local`.
    package init(names: [String] = []) { self.names = names.map { $0.lowercased() } }

    /// - Throws: ``Refusal`` 403 `foreign_host` or `foreign_origin`.
    package func check(_ request: Request) throws {
        let host = Self.name(in: request.head.authority ?? "")
        // HTTP/1.0, so not a browser.
        guard host.isEmpty || Self.isASCII(host) && (isLocal(host) || IPAddress(host) != nil) else {
            throw Refusal(
                .forbidden, RefusalCode("foreign_host"),
                "This server accepts only names of its own machine; add one with gatehouse dev --allow-host.")
        }
        let isOwnPage = request.headers[.fetchSite] == "same-origin"
        for origin in request.headers[values: .origin]
        where !admits(origin: origin, to: host) && !(isOwnPage && origin == "null") {
            throw Refusal(
                .forbidden, RefusalCode("foreign_origin"),
                "Only pages of this machine may call this server; add a name with gatehouse dev --allow-host.")
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

    /// Without port and brackets, in lower case.
    private static func name(in authority: String) -> String {
        let bytes = authority.utf8
        let host =
            bytes.first == UInt8(ascii: "[")
            ? bytes.dropFirst().prefix { $0 != UInt8(ascii: "]") } : bytes.prefix { $0 != UInt8(ascii: ":") }
        return Substring(host).lowercased()
    }

    /// Comparing long Unicode texts is slow.
    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
}

extension HTTPField.Name {
    fileprivate static let fetchSite = Self("sec-fetch-site")!
}
