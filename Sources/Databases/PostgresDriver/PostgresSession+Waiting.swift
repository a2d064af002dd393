import CPostgres
import SQLDatabase

extension PostgresSession {
    /// - Returns: Whether the result is complete; nil if no part has arrived.
    func receive(into pending: inout PendingAnswer) throws -> Bool? {
        var ends = 0
        // PQgetResult blocks before a result has arrived.
        while PQisBusy(handle.pointer) == 0 {
            guard let part = PQgetResult(handle.pointer) else {
                if isBroken { throw lost() }
                ends += 1
                // One null separates two commands' results; two mean that nothing is left.
                if ends == 2 { return nil }
                continue
            }
            let result = PostgresResult(part)
            if isBroken { throw lost() }
            return pending.add(result)
        }
        return nil
    }

    /// Sends all pending output. Reads at the same time, to avoid a deadlock of full buffers.
    func flush(until deadline: Duration) throws {
        while true {
            switch PQflush(handle.pointer) {
            case 0: return
            case 1: try wait(writes: true, until: deadline)
            default: throw lost()
            }
        }
    }

    /// At most a second.
    ///
    /// - Parameters:
    ///   - writes: Also waits until output can be sent.
    ///   - wake: A descriptor that ends the wait; -1 for none.
    /// - Returns: Whether there was input.
    /// - Throws: ``LostConnection`` after the deadline.
    @discardableResult
    func wait(writes: Bool = false, wake: Int32 = -1, until deadline: Duration) throws -> Bool {
        let left = deadline - plan.uptime()
        if left <= .zero { throw LostConnection(detail: "the server does not answer") }
        let found = postgres_wait(descriptor, writes ? 1 : 0, wake, left.pollMilliseconds)
        guard found & Int32(postgres_readable) != 0 else { return false }
        if PQconsumeInput(handle.pointer) != 1 { throw lost() }
        return true
    }

    func lost() -> LostConnection { Self.lost(handle) }

    static func lost(_ handle: PostgresHandle) -> LostConnection {
        let message = PQerrorMessage(handle.pointer).map { String(cString: $0) } ?? ""
        let line = message.split(separator: "\n").first.map(String.init) ?? ""
        return LostConnection(detail: line.isEmpty ? "the connection was lost" : line)
    }

    static func withCStrings<Value>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let bytes: [UInt8] = texts.reduce(into: []) { $0 += Array($1.utf8) + [0] }
        return bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                var start = 0
                var pointers: [UnsafePointer<CChar>?] = texts.map { text in
                    defer { start += text.utf8.count + 1 }
                    return characters.baseAddress! + start
                }
                pointers.append(nil)
                return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
            }
        }
    }
}

extension Duration {
    /// At least 1, at most 1,000, to notice a jump of the clock.
    var pollMilliseconds: Int32 {
        Int32(min(1_000, max(1, wholeMilliseconds)))
    }

    var wholeMilliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }

    /// Exponential backoff up to half a second, reduced by up to half by `chance` (0 to 1).
    static func pause(after tries: Int, chance: Double) -> Duration {
        let most = min(500, 2 << min(tries, 8))
        return .microseconds(Int(Double(most * 500) * (1 + min(1, max(0, chance)))))
    }
}
