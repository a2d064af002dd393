import Dispatch
import Foundation
import Gatehouse
import GatehouseDesktop

/// Accepts one connection after the other, and sends each its scripted response.
struct LocalServer: Sendable {
    enum Answer: Sendable {
        case status(Int, headers: [String] = [], body: String = "")
        /// No response, until the caller has disconnected.
        case silence
    }

    struct CannotListen: Error {}

    let port: Int
    /// Requests; `gone` for a caller that left without a response.
    let events: AsyncStream<String>

    var url: String { "http://127.0.0.1:\(port)" }

    init(_ answers: [Answer]) throws { try self.init { _ in answers } }

    /// - Parameter answers: From the server's address.
    init(_ makeAnswers: (_ url: String) -> [Answer]) throws {
        let socket = makeStreamSocket()
        var address = loopbackAddress(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 8) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard result else { throw CannotListen() }
        port = Int(UInt16(bigEndian: address.sin_port))
        let answers = makeAnswers("http://127.0.0.1:\(port)")
        let (events, tell) = AsyncStream<String>.makeStream()
        self.events = events
        DispatchQueue(label: "local-server").async {
            for answer in answers {
                let connection = accept(socket, nil, nil)
                tell.yield(Self.read(connection))
                Self.give(answer, to: connection, tell)
                close(connection)
            }
            close(socket)
            tell.finish()
        }
    }

    /// A limit that never expires.
    static let never: @Sendable (Duration) async throws -> Void = { _ in
        let (ticks, clock) = AsyncStream<Never>.makeStream()
        for await _ in ticks {}
        withExtendedLifetime(clock) {}
        throw CancellationError()
    }

    /// nil after the last response.
    func next() async -> String? {
        for await event in events { return event }
        return nil
    }

    private static func give(_ answer: Answer, to connection: Int32, _ tell: AsyncStream<String>.Continuation) {
        switch answer {
        case .status(let status, let headers, let body):
            let head = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
            let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
            // A caller that has read enough may leave early.
            _ = bytes.withUnsafeBytes { sendQuietly($0, to: connection) }
        case .silence:
            var chunk = [UInt8](repeating: 0, count: 64)
            while recv(connection, &chunk, chunk.count, 0) > 0 {}
            tell.yield("gone")
        }
    }

    /// The head, and the announced part of the body.
    private static func read(_ connection: Int32) -> String {
        var (text, chunk) = ("", [UInt8](repeating: 0, count: 4_096))
        while !isWhole(text) {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            text += String(decoding: chunk[..<count], as: UTF8.self)
        }
        return text
    }

    private static func isWhole(_ text: String) -> Bool {
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let announced = text[..<end.lowerBound].lowercased().firstMatch(of: /content-length: (\d+)/)
        let length = announced.flatMap { Int($0.1) } ?? 0
        return text[end.upperBound...].utf8.count >= length
    }
}
