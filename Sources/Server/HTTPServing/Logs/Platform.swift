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

    /// Whether no more than `reserve` descriptors are free, or an eighth of a small limit. libdispatch ends the process
    /// when it counts its threads, once a second, and cannot open a file.
    package static func areScarce(reserve: Int) -> Bool {
        // The system gives out the lowest free number, so all below it are in use.
        let lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard lowest >= 0 else { return haveRunOut(errno) }
        close(lowest)
        let limit = limit
        return Int(lowest) >= limit - min(reserve, limit / 8)
    }

    /// Whether a system call failed because the process or the system has no free descriptors.
    static func haveRunOut(_ code: Int32) -> Bool { [EMFILE, ENFILE].contains(code) }
}
