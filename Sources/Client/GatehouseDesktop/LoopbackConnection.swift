import Foundation
import Gatehouse

/// One browser connection of a ``LoopbackListener``.
struct LoopbackConnection {
    let socket: Int32
    private var head: [UInt8] = []
    private var outgoing: ArraySlice<UInt8> = []
    private(set) var phase = Phase.reading
    private(set) var callback: URL?

    enum Phase {
        case reading
        case writing
        /// Discards further input: closing now could drop the response.
        case draining
        case over
    }

    /// In bytes.
    static let largestHead = 16_384

    init(socket: Int32) { self.socket = socket }

    var events: Int16 { Int16(phase == .writing ? POLLOUT : POLLIN) }

    /// Never blocks.
    mutating func advance(_ address: CallbackAddress) {
        if phase == .reading { read(address) }
        if phase == .writing { write() }
        if phase == .draining { drain() }
    }

    private mutating func read(_ address: CallbackAddress) {
        while phase == .reading, let chunk = receive() {
            // The head's end may be split.
            let seen = max(0, head.count - CallbackVerdict.end.count)
            head += chunk
            if let end = Self.end(of: head, from: seen), end <= Self.largestHead {
                answer(CallbackVerdict(head: Array(head[..<end]), for: address))
            } else if head.count > Self.largestHead {
                answer(.refused(431))
            }
        }
    }

    private static func end(of head: [UInt8], from start: Int) -> Int? {
        guard head.count >= CallbackVerdict.end.count else { return nil }
        return (start...head.count - CallbackVerdict.end.count).first {
            head[$0..<$0 + CallbackVerdict.end.count].elementsEqual(CallbackVerdict.end)
        }
    }

    private mutating func answer(_ verdict: CallbackVerdict) {
        head = []
        outgoing = verdict.response[...]
        phase = .writing
        if case .callback(let url) = verdict { callback = url }
    }

    private mutating func write() {
        while !outgoing.isEmpty {
            let count = outgoing.withUnsafeBytes { sendQuietly($0, to: socket) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
            guard count > 0 else {
                phase = .over
                return
            }
            outgoing = outgoing.dropFirst(count)
        }
        shutdown(socket, Int32(SHUT_WR))
        phase = .draining
    }

    private mutating func drain() {
        while receive() != nil {}
    }

    /// - Returns: nil if no data is available, now or ever.
    private mutating func receive() -> ArraySlice<UInt8>? {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return nil }
            guard count > 0 else {
                phase = .over
                return nil
            }
            return chunk[..<count]
        }
    }
}
