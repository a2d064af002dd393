import Foundation
import Gatehouse

/// Waits for one request on 127.0.0.1, blocking its thread.
struct LoopbackListener: Sendable {
    private let socket: Int32
    let address: CallbackAddress

    /// The oldest is closed: browsers open some that they never use.
    static let mostConnections = 16

    /// - Parameter port: 0 for any free port.
    /// - Throws: `AuthClientError.couldNotListen`.
    init(port: UInt16, path: String) throws(AuthClientError) {
        socket = makeStreamSocket()
        guard socket >= 0 else { throw .couldNotListen(errno) }
        var bound = loopbackAddress(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let failed = withUnsafeMutablePointer(to: &bound) { bound in
            bound.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
                var on: Int32 = 1
                // For a given port, immediately after the previous sign-in.
                setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
                return bind(socket, bound, length) != 0 || listen(socket, 16) != 0
                    || fcntl(socket, F_SETFL, O_NONBLOCK) != 0 || getsockname(socket, bound, &length) != 0
            }
        }
        if failed {
            let number = errno
            Foundation.close(socket)
            throw .couldNotListen(number)
        }
        address = CallbackAddress(authority: "127.0.0.1:\(UInt16(bigEndian: bound.sin_port))", path: path)
    }

    /// Effective even if a program that is being started shares the socket.
    func close() {
        shutdown(socket, Int32(SHUT_RDWR))
        Foundation.close(socket)
    }

    /// Closes all connections at the end.
    ///
    /// - Returns: The callback URL; nil if `stop` was fired.
    /// - Throws: `AuthClientError.couldNotListen`.
    func serve(until stop: StopSignal) throws(AuthClientError) -> URL? {
        var connections: [LoopbackConnection] = []
        defer {
            for connection in connections { Foundation.close(connection.socket) }
            close()
        }
        while true {
            let events = wait(for: connections, stop)
            for index in connections.indices where events[index + 2] { connections[index].advance(address) }
            if let done = connections.first(where: { $0.callback != nil && $0.phase != .writing }) {
                return done.callback
            }
            if events[0] { return connections.first { $0.callback != nil }?.callback }
            for connection in connections where connection.phase == .over { Foundation.close(connection.socket) }
            connections.removeAll { $0.phase == .over }
            if events[1] { try accept(into: &connections) }
        }
    }

    /// - Returns: Events of the signal, the listener and each connection, in this order.
    private func wait(for connections: [LoopbackConnection], _ stop: StopSignal) -> [Bool] {
        var polled = [stop.descriptor, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        polled += connections.map { pollfd(fd: $0.socket, events: $0.events, revents: 0) }
        poll(&polled, nfds_t(polled.count), -1)
        return polled.map { $0.revents != 0 }
    }

    private func accept(into connections: inout [LoopbackConnection]) throws(AuthClientError) {
        let accepted = Foundation.accept(socket, nil, nil)
        let number = errno
        if accepted >= 0 {
            keepQuiet(accepted)
            _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
            connections.append(LoopbackConnection(socket: accepted))
            guard connections.count > Self.mostConnections else { return }
        } else if [EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(number) {
            return
        }
        // Too many descriptors; the callback's connection stays open.
        guard let oldest = connections.firstIndex(where: { $0.callback == nil }) else {
            throw .couldNotListen(number)
        }
        Foundation.close(connections.remove(at: oldest).socket)
    }
}
