import GatehouseServer
import GatehouseWire
import HTTPServing

/// Results go to standard output, notes to standard error.
enum Output {
    /// Ignores a closed pipe.
    ///
    /// - Throws: ``CommandFailure`` for any other error: a full disk must not look like success.
    static func send(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let written = write(1, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written >= 0 {
                    rest = rest.dropFirst(written)
                } else if errno == EPIPE {
                    return
                } else if errno != EINTR {
                    throw CommandFailure("Standard output cannot be written (\(String(cString: strerror(errno)))).")
                }
            }
        }
    }

    static func line(_ text: String) throws { try send(text + "\n") }

    static func note(_ text: String) { StandardError.append(Array((text + "\n").utf8)) }
}

extension Output {
    /// To standard error, without a line feed.
    static func part(_ text: String) { StandardError.append(Array(text.utf8)) }
}
