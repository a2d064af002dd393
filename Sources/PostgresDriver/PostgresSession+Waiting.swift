import CPostgres
import SQLDatabase

extension PostgresSession {
    /// Carries out changes in one round trip, which is one implicit transaction.
    ///
    /// - Parameter changes: At least one; all have the same statements.
    /// - Returns: For each change, the number of rows changed and the rows found.
    /// - Throws: ``ServerRefusal`` if nothing happened, ``LostConnection``, or ``DatabaseFailure`` for a value that
    ///   cannot be sent, before anything was sent.
    func carryOut(_ changes: [Change], by deadline: Duration) throws -> [(Int, SharedRows)] {
        let statements = try [changes.map(\.statement), changes.map(\.query)].map { try BoundStatement(shared: $0) }
        newNames = []
        for statement in statements { try send(.bound(statement)) }
        try sync()
        var (answers, refusal): ([PostgresResult], ServerRefusal?) = ([], nil)
        let deadline = answerDeadline(statementLimit, by: deadline)
        while true {
            try flush(until: deadline)
            while let part = try receive() {
                switch PQresultStatus(part.pointer) {
                case PGRES_PIPELINE_SYNC:
                    if let refusal {
                        forget(newNames)
                        throw refusal
                    }
                    guard answers.count == statements.count else { throw LostConnection(detail: "answers are missing") }
                    return SharedRows.dealt(answers, among: changes.count)
                case PGRES_TUPLES_OK: answers.append(part)
                // The result of a preparation.
                case PGRES_COMMAND_OK, PGRES_PIPELINE_ABORTED: break
                default: if refusal == nil { refusal = ServerRefusal(part.pointer) }
                }
            }
            try wait(writes: false, until: deadline)
        }
    }

    /// Processes the next part of the input.
    ///
    /// - Returns: Whether the answer is complete; nil if no part has arrived.
    func receive(into pending: inout PendingAnswer) throws -> Bool? {
        try receive().map { pending.add($0) }
    }

    /// - Returns: The next part of the input; nil if none has arrived.
    private func receive() throws -> PostgresResult? {
        var ends = 0
        // PQgetResult blocks if called before a result has arrived.
        while PQisBusy(handle.pointer) == 0 {
            guard let part = PQgetResult(handle.pointer) else {
                if isBroken { throw lost() }
                ends += 1
                // One null separates the results of two commands; two mean that nothing is left.
                if ends == 2 { return nil }
                continue
            }
            let result = PostgresResult(part)
            if isBroken { throw lost() }
            return result
        }
        return nil
    }

    /// Sends all pending output. Reads input meanwhile, to avoid a deadlock of full buffers on both sides.
    func flush(until deadline: Duration) throws {
        while true {
            switch PQflush(handle.pointer) {
            case 0: return
            case 1: try wait(writes: true, until: deadline)
            default: throw lost()
            }
        }
    }

    /// - Throws: ``LostConnection`` if nothing arrives before the deadline.
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

    static func lost(_ handle: PostgresHandle) -> LostConnection {
        let message = PQerrorMessage(handle.pointer).map { String(cString: $0) } ?? ""
        let line = message.split(separator: "\n").first.map(String.init) ?? ""
        return LostConnection(detail: line.isEmpty ? "the connection was lost" : line)
    }

    /// Calls `body` with a null-terminated array of C strings.
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
    /// For `poll`: at least 1, at most 1,000, so that a jump of the clock is noticed.
    var pollMilliseconds: Int32 {
        Int32(min(1_000, max(1, wholeMilliseconds)))
    }

    var wholeMilliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }

    /// Exponential backoff up to half a second, reduced by up to half depending on `chance` (0 to 1).
    static func pause(after tries: Int, chance: Double) -> Duration {
        let most = min(500, 2 << min(tries, 8))
        return .microseconds(Int(Double(most * 500) * (1 + min(1, max(0, chance)))))
    }
}
