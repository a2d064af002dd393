// The only platform switch in HTTPServing: the module that provides write(2) and getrlimit(2).
#if canImport(Glibc)
import GatehouseWire
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Standard error, for ``LineLogHandler``.
package enum StandardError {
    /// Writes all of `bytes`. A line of at most 4 KiB is written to a pipe atomically (PIPE_BUF). Ignores errors: the
    /// server does not stop because its log has no reader.
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

/// The process's file descriptors.
package enum Descriptors {
    /// The maximum number (`ulimit -n`).
    package static var limit: Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let found = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let found = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return found == 0 ? Int(clamping: limit.rlim_cur) : 256
    }

    /// Whether a system call failed because the process or the system has no free descriptors.
    static func haveRunOut(_ code: Int32) -> Bool { [EMFILE, ENFILE].contains(code) }
}
