import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseServer

/// A function reads and writes each connection's bytes, on a separate thread.
final class RawServer: Sendable {
    struct CannotListen: Error {}

    let port: Int
    private let socket: Int32
    private let accepts: Bool

    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - backlog: Connections that wait to be accepted.
    ///   - serve: Each connection is closed afterwards. nil accepts none.
    init(backlog: Int32 = 128, _ serve: (@Sendable (RawConnection) -> Void)?) throws {
        let socket = makeStreamSocket()
        var address = loopbackAddress(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, backlog) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard listens else { throw CannotListen() }
        self.socket = socket
        accepts = serve != nil
        port = Int(UInt16(bigEndian: address.sin_port))
        guard let serve else { return }
        Thread.detachNewThread {
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { break }
                Thread.detachNewThread {
                    serve(RawConnection(socket: connection))
                    close(connection)
                }
            }
            close(socket)
        }
    }

    /// Connections end with their callers.
    func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        // Otherwise its thread closes the socket, and never accepts for a later socket of this number.
        if !accepts { close(socket) }
    }

    /// Of a server that accepts nothing, until the returned sockets are closed.
    func fillBacklog() -> [Int32] {
        (0..<8).map { _ in
            let caller = makeStreamSocket()
            _ = fcntl(caller, F_SETFL, O_NONBLOCK)
            var address = loopbackAddress(port: UInt16(port))
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(caller, $0, length) }
            }
            return caller
        }
    }
}

struct RawConnection: Sendable {
    let socket: Int32

    /// - Returns: Whether the caller still listens.
    @discardableResult func send(_ text: some StringProtocol) -> Bool { send(Array(text.utf8)[...]) }

    @discardableResult func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { sendQuietly($0, to: socket) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// - Returns: Bytes sent until the caller has gone.
    func sendEndlessly(_ text: String) -> Int {
        let part = Array(String(repeating: text, count: max(1, 16_384 / text.utf8.count)).utf8)[...]
        var sent = 0
        while send(part) { sent += part.count }
        return sent
    }

    /// The request's header, and its announced body.
    func readRequest() -> (head: String, body: [UInt8]) {
        var bytes: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while !bytes.suffix(4).elementsEqual(end), let byte = read(1).first { bytes.append(byte) }
        let head = String(decoding: bytes, as: UTF8.self)
        let length = head.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
        var body: [UInt8] = []
        while body.count < length {
            let part = read(length - body.count)
            if part.isEmpty { break }
            body += part
        }
        return (head, body)
    }

    /// Returns when the caller has closed the connection.
    func readToEnd() {
        while !read(4_096).isEmpty {}
    }

    private func read(_ count: Int) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: min(count, 65_536))
        let received = recv(socket, &bytes, bytes.count, 0)
        return bytes.prefix(max(0, received))
    }
}

/// Events of a server, in order.
struct Events<Event: Sendable>: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream<Event>.makeStream() }

    func tell(_ event: Event) { continuation.yield(event) }

    func next() async -> Event? {
        for await event in stream { return event }
        return nil
    }
}

extension OutgoingHTTP {
    /// With as much time as a busy machine needs.
    static func patiently(_ call: OutgoingCall) async throws -> Answer {
        var call = call
        call.timeLimit = .seconds(3_600)
        return try await overNetwork(call)
    }
}
