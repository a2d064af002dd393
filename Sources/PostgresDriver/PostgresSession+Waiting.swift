import CPostgres

extension PostgresSession {
    /// Takes one part of what has come.
    ///
    /// - Returns: Whether the answer is complete with it; nil when nothing more has come yet.
    func receive(into pending: inout PendingAnswer) throws -> Bool? {
        var ends = 0
        // libpq blocks when it is asked for more than has come.
        while PQisBusy(handle.pointer) == 0 {
            guard let part = PQgetResult(handle.pointer) else {
                if isBroken { throw lost() }
                ends += 1
                // One null stands between the answers of two commands, two when nothing is left.
                if ends == 2 { return nil }
                continue
            }
            let isComplete = pending.add(PostgresResult(part))
            if isBroken { throw lost() }
            return isComplete
        }
        return nil
    }

    /// Sends all of what was asked; takes in what comes meanwhile, or both sides would wait for each other.
    func flush(until deadline: Duration) throws {
        while true {
            switch PQflush(handle.pointer) {
            case 0: return
            case 1: try wait(writes: true, until: deadline)
            default: throw lost()
            }
        }
    }

    /// - Throws: ``LostConnection`` when nothing comes until the deadline.
    func wait(writes: Bool, until deadline: Duration) throws {
        while true {
            let left = deadline - uptime()
            if left <= .zero { throw LostConnection(detail: "the server does not answer") }
            let found = postgres_wait(descriptor, writes ? 1 : 0, -1, left.pollMilliseconds)
            if found & Int32(postgres_readable) != 0, PQconsumeInput(handle.pointer) != 1 { throw lost() }
            if found != 0 { return }
        }
    }

    func lost() -> LostConnection { Self.lost(handle) }

    private static func lost(_ handle: PostgresHandle) -> LostConnection {
        let message = PQerrorMessage(handle.pointer).map { String(cString: $0) } ?? ""
        let line = message.split(separator: "\n").first.map(String.init) ?? ""
        return LostConnection(detail: line.isEmpty ? "the connection was lost" : line)
    }

    static func finishConnecting(
        _ handle: PostgresHandle, uptime: @Sendable () -> Duration, deadline: Duration
    ) throws {
        if PQstatus(handle.pointer) == CONNECTION_BAD { throw lost(handle) }
        var writes = true
        while true {
            let left = deadline - uptime()
            if left <= .zero { throw LostConnection(detail: "the server cannot be reached in time") }
            let found = postgres_wait(PQsocket(handle.pointer), writes ? 1 : 0, -1, left.pollMilliseconds)
            if found == 0 { continue }
            switch PQconnectPoll(handle.pointer) {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_FAILED: throw lost(handle)
            case let next: writes = next == PGRES_POLLING_WRITING
            }
        }
    }

    /// Calls `body` with an array that ends in null, as libpq reads them.
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
    /// For `poll`: at least 1, at most a second, so that a clock that jumps is noticed.
    var pollMilliseconds: Int32 {
        let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        return Int32(min(1_000, max(1, milliseconds)))
    }
}
