import Foundation
package import GatehouseWire
import Synchronization

package enum NameResolution {
    /// No response, or a temporary failure. The name may exist.
    package struct Failed: Error, Equatable, CustomStringConvertible {
        package let code: Int32

        package init(code: Int32) { self.code = code }

        /// The resolver's message, without the name.
        package var description: String { String(cString: gai_strerror(code)) }
    }

    private static let waiting = Mutex<[[UInt8]: [FirstOutcome<[IPAddress]>]]>([:])

    /// One thread per name, shared by concurrent callers, so an unresponsive name delays no other.
    ///
    /// - Returns: An empty list for a name that does not exist.
    /// - Throws: ``Failed``, or `CancellationError` as soon as the caller is cancelled.
    @Sendable package static func addresses(of host: String) async throws -> [IPAddress] {
        let outcome = FirstOutcome<[IPAddress]>()
        let name = Array(host.utf8)
        return try await outcome.value(startedBy: {
            let isFirst = waiting.withLock { waiting in
                defer { waiting[name, default: []].append(outcome) }
                return waiting[name] == nil
            }
            guard isFirst else { return }
            Thread.detachNewThread {
                let result = Result { try lookUp(host) }
                let callers = waiting.withLock { $0.removeValue(forKey: name) }
                for caller in callers ?? [] { caller.end(result) }
            }
        })
    }

    private static func lookUp(_ host: String) throws -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        if code == EAI_NONAME { return [] }
        guard code == 0 else { throw Failed(code: code) }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { node in
            node.flatMap { address($0.pointee) }
        }
    }

    private static func address(_ found: addrinfo) -> IPAddress? {
        guard let raw = UnsafeRawPointer(found.ai_addr) else { return nil }
        switch found.ai_family {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return withUnsafeBytes(of: address) { IPAddress(bytes: Array($0)) }
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return withUnsafeBytes(of: address) { IPAddress(bytes: Array($0)) }
        default: return nil
        }
    }
}
