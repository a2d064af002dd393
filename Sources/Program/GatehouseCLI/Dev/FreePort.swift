import GatehouseServer
import GatehouseWire

enum FreePort {
    enum Finding: Equatable {
        case free(port: Int)
        case taken
        /// The host is not an address of this machine, or the port is privileged.
        case refused(String)
    }

    /// - Parameter address: A numeric host or `localhost`. Port 0 finds a free port.
    static func probe(_ address: ListenAddress) -> Finding {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_family = AF_UNSPEC
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0, let first = list else {
            return .refused("\(address.host) is not an address of this machine")
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(first.pointee.ai_family, first.pointee.ai_socktype, first.pointee.ai_protocol)
        guard descriptor >= 0 else { return .refused(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        // SO_REUSEADDR lets two programs bind one port until one of them listens, so the probe listens.
        guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0, listen(descriptor, 1) == 0 else {
            return errno == EADDRINUSE ? .taken : .refused(String(cString: strerror(errno)))
        }
        return .free(port: port(of: descriptor) ?? address.port)
    }

    private static func port(of descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { return nil }
        return withUnsafeBytes(of: storage) { bytes in
            // In sockaddr_in and sockaddr_in6 the port follows the family, in network byte order.
            Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}
