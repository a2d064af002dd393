import Foundation

/// Waits on 127.0.0.1 for one page. Blocks its thread: the blocking half of ``LoopbackWebAuthentication``.
struct LoopbackListener: Sendable {
    /// Its owner closes it.
    private let socket: Int32
    let address: CallbackAddress

    /// More connections at once end the oldest: browsers open some that they never use.
    static let mostConnections = 16

    /// Listens from now on.
    ///
    /// - Parameter port: 0 for any that is free.
    /// - Throws: ``WebAuthenticationError/couldNotListen(_:)``.
    init(port: UInt16, path: String) throws(WebAuthenticationError) {
        socket = makeStreamSocket()
        guard socket >= 0 else { throw .couldNotListen(errno) }
        var bound = loopbackAddress(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let failed = withUnsafeMutablePointer(to: &bound) { bound in
            bound.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
                var on: Int32 = 1
                // A given port can be taken again at once after the last sign-in.
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

    /// Nobody can connect any more: not even while a program that is just being started has the socket, too.
    func close() {
        shutdown(socket, Int32(SHUT_RDWR))
        Foundation.close(socket)
    }

    /// Answers whoever comes until the page is asked for or `stop` is fired; then closes everything.
    ///
    /// - Returns: The address that came; nil when stopped.
    /// - Throws: ``WebAuthenticationError/couldNotListen(_:)``.
    func serve(until stop: StopSignal) throws(WebAuthenticationError) -> URL? {
        var connections: [LoopbackConnection] = []
        defer {
            for connection in connections { Foundation.close(connection.socket) }
            close()
        }
        while true {
            let events = wait(for: connections, stop)
            for index in connections.indices where events[index + 2] { connections[index].advance(address) }
            // The page is shown first: its answer has left, or cannot leave.
            if let done = connections.first(where: { $0.callback != nil && $0.phase != .writing }) {
                return done.callback
            }
            if events[0] { return connections.first { $0.callback != nil }?.callback }
            for connection in connections where connection.phase == .over { Foundation.close(connection.socket) }
            connections.removeAll { $0.phase == .over }
            if events[1] { try accept(into: &connections) }
        }
    }

    /// - Returns: For the signal, the listener and each connection, whether something happened there.
    private func wait(for connections: [LoopbackConnection], _ stop: StopSignal) -> [Bool] {
        var polled = [stop.descriptor, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        polled += connections.map { pollfd(fd: $0.socket, events: $0.events, revents: 0) }
        poll(&polled, nfds_t(polled.count), -1)
        return polled.map { $0.revents != 0 }
    }

    private func accept(into connections: inout [LoopbackConnection]) throws(WebAuthenticationError) {
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
        // Too many, here or in the whole process. The page's own connection is not among those that wait.
        guard let oldest = connections.firstIndex(where: { $0.callback == nil }) else {
            throw .couldNotListen(number)
        }
        Foundation.close(connections.remove(at: oldest).socket)
    }
}
