import GatehouseWire

package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    /// 0 lets the system choose.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `host:port`, `[::1]:port`, and `:port` for every interface.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        self.init(host: host.isEmpty ? "0.0.0.0" : String(host), port: Int(port))
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// For browsers on this machine. Prefers `localhost`: passkeys need a name.
    package var localURL: String { host == "127.0.0.1" ? "http://localhost:\(port)" : url }

    /// For programs on this machine.
    package var url: String {
        let everywhere = ["0.0.0.0", "::", "*"].contains(host)
        return "http://\(everywhere ? ListenAddress(host: "127.0.0.1", port: port) : self)"
    }
}
