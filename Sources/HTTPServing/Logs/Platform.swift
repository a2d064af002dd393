// The only platform switch in HTTPServing: where write(2) and getrlimit(2) come from.
#if canImport(Glibc)
import GatehouseWire
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// File descriptor 2, for ``LineLogHandler``.
package enum StandardError {
    /// Writes all of `bytes`. A line of at most 4 KiB into a pipe is not torn (PIPE_BUF); what cannot be written,
    /// because nobody reads any more, is lost: a server does not stop for its log.
    @Sendable package static func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let written = write(2, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}

/// The files that this process has open.
package enum Descriptors {
    /// How many may be (`ulimit -n`).
    package static var limit: Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let found = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let found = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return found == 0 ? Int(clamping: limit.rlim_cur) : 256
    }

    /// Whether a system call failed because no more can be opened, by this process or by all.
    static func haveRunOut(_ code: Int32) -> Bool { [EMFILE, ENFILE].contains(code) }
}
