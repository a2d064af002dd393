import Dispatch
import Foundation
import Gatehouse
import GatehouseDesktop

/// Sends bytes to this machine's ports and records the responses.
actor TinyBrowser {
    private var pages: [Task<String, Never>] = []

    /// Like a browser after a redirect. Returns immediately.
    func visit(_ address: URL, headers: [String] = []) {
        let target = address.path(percentEncoded: true) + (address.query(percentEncoded: true).map { "?" + $0 } ?? "")
        let head = ["GET \(target) HTTP/1.1", "Host: \(address.host ?? ""):\(address.port ?? 0)"] + headers
        send([head.joined(separator: "\r\n") + "\r\n\r\n"], to: address.port ?? 0)
    }

    /// Sends the pieces one after the other.
    func send(_ pieces: [String], to port: Int) { pages.append(Task { await Self.exchange(pieces, port) }) }

    /// Waits for the response.
    func answer(to pieces: [String], at port: Int) async -> String { await Self.exchange(pieces, port) }

    /// In the order of the requests.
    var answers: [String] {
        get async {
            var answers: [String] = []
            for page in pages { answers.append(await page.value) }
            return answers
        }
    }

    private static func exchange(_ pieces: [String], _ port: Int) async -> String {
        await withCheckedContinuation { waiter in
            DispatchQueue(label: "tiny-browser").async { waiter.resume(returning: exchangeBlocking(pieces, port)) }
        }
    }

    /// - Returns: `refused` without a listener, else all bytes until the connection ends.
    private static func exchangeBlocking(_ pieces: [String], _ port: Int) -> String {
        let connection = connect(port)
        guard connection >= 0 else { return "refused" }
        defer { close(connection) }
        for piece in pieces {
            let bytes = Array(piece.utf8)
            guard bytes.withUnsafeBytes({ sendQuietly($0, to: connection) }) == bytes.count else { break }
        }
        var (answer, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while case let count = recv(connection, &chunk, chunk.count, 0), count > 0 { answer += chunk[..<count] }
        return String(decoding: answer, as: UTF8.self)
    }

    /// The caller closes the silent connection. -1 without a listener.
    static func connect(_ port: Int) -> Int32 {
        let made = makeStreamSocket()
        var address = loopbackAddress(port: UInt16(port))
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 {
            close(made)
            return -1
        }
        return made
    }
}
