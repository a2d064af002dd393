import Dispatch
import Foundation
import GatehouseWire
import SMTP
import Synchronization

/// On loopback. Accepts everything except as its script says.
final class ScriptedServer: Sendable {
    enum Step: Sendable {
        case reply(String)
        case close
        case replyAndClose(String)
        case nothing
        /// Reads the rest only after ``resume()``, and looks for the email's end.
        case replyAndPause(String)
    }

    struct Heard: Sendable {
        /// "." is the end of a mail.
        var commands: [String] = []
        var mails: [[UInt8]] = []
    }

    /// Of all connections, for one reader.
    let events: AsyncStream<String>
    let port: Int
    private let listener: Int32
    private let event: AsyncStream<String>.Continuation
    private let heard = Mutex<[Heard]>([])
    private let pause = DispatchSemaphore(value: 0)
    private let script: @Sendable (_ connection: Int, _ command: String) -> Step?

    /// - Parameter script: The action after a command, nil for the usual. "" is the beginning of a connection.
    init(_ script: @escaping @Sendable (_ connection: Int, _ command: String) -> Step? = { _, _ in nil }) throws {
        listener = socket(AF_INET, streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(UInt16(bigEndian: address.sin_port))
        (events, event) = AsyncStream.makeStream()
        self.script = script
        let admit: @Sendable () -> Bool = { [weak self] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return false }
            guard let self else {
                close(connection)
                return false
            }
            let number = self.heard.withLock { heard in
                heard.append(Heard())
                return heard.count - 1
            }
            Thread.detachNewThread { self.serve(connection, number) }
            return true
        }
        Thread.detachNewThread {
            while admit() {}
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    var connections: [Heard] { heard.withLock { $0 } }
    /// Ends the pause of one connection.
    func resume() { pause.signal() }

    var mails: [[UInt8]] { connections.flatMap(\.mails) }

    /// A transport to this server.
    func transport(_ change: (inout SMTPServer) -> Void = { _ in }) throws -> SMTPTransport {
        guard var server = SMTPServer(host: "127.0.0.1", port: port, security: .off) else {
            throw POSIXError(.EINVAL)
        }
        server.clientName = "client.example"
        change(&server)
        return SMTPTransport(server)
    }

    private static func usual(_ command: String) -> Step {
        switch String(command.prefix(4)) {
        case "": .reply("220 test ESMTP\r\n")
        case "EHLO": .reply("250-test\r\n250 8BITMIME\r\n")
        case "DATA": .reply("354 go on\r\n")
        case ".": .reply("250 2.0.0 queued as 1\r\n")
        case "QUIT": .replyAndClose("221 bye\r\n")
        default: .reply("250 2.1.0 fine\r\n")
        }
    }

    private func serve(_ connection: Int32, _ number: Int) {
        defer { close(connection) }
        var (input, isMail) = ([UInt8](), false)
        guard act("", connection, number) else { return }
        while true {
            let end = Array((isMail ? "\r\n.\r\n" : "\r\n").utf8)
            while let found = input.firstRange(of: end) {
                let line = Array(input[..<found.lowerBound])
                input.removeSubrange(..<found.upperBound)
                let command = isMail ? "." : String(decoding: line, as: UTF8.self)
                heard.withLock { heard in
                    if isMail { heard[number].mails.append(line + Array("\r\n".utf8)) }
                    heard[number].commands.append(command)
                }
                isMail = command == "DATA" && script(number, command) == nil
                guard act(command, connection, number) else { return }
                if isMail { break }
            }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(connection, &bytes, bytes.count)
            guard count > 0 else { return }
            input += bytes[..<count]
        }
    }

    private func readToEnd(_ connection: Int32, _ number: Int) {
        var (tail, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = read(connection, &bytes, bytes.count), count > 0 {
            tail = (tail + bytes[..<count]).suffix(5)
        }
        let isWhole = tail.elementsEqual("\r\n.\r\n".utf8)
        heard.withLock { heard in
            heard[number].commands.append("end")
            if isWhole { heard[number].mails.append([]) }
        }
        event.yield("end")
    }

    /// - Returns: Whether the connection stays open.
    private func act(_ command: String, _ connection: Int32, _ number: Int) -> Bool {
        let step = script(number, command) ?? Self.usual(command)
        var isOpen = true
        switch step {
        case .reply(let text): isOpen = tell(text, connection)
        case .replyAndClose(let text):
            _ = tell(text, connection)
            isOpen = false
        case .close: isOpen = false
        case .nothing: break
        case .replyAndPause(let text):
            isOpen = tell(text, connection)
            event.yield(command)
            pause.wait()
            readToEnd(connection, number)
            return false
        }
        event.yield(command)
        return isOpen
    }

    private func tell(_ text: String, _ connection: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return send(connection, bytes, bytes.count, withoutSignal) == bytes.count
    }
}
