import HTTPServing

/// Standard output is for results, standard error for what is said about them.
enum Output {
    /// What cannot be written, because nobody reads any more, is lost.
    static func send(_ text: String) {
        Array(text.utf8).withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let written = write(1, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }

    static func line(_ text: String) { send(text + "\n") }

    static func note(_ text: String) { StandardError.append(Array((text + "\n").utf8)) }
}

extension Output {
    /// Onto standard error, without a line feed.
    static func part(_ text: String) { StandardError.append(Array(text.utf8)) }
}
