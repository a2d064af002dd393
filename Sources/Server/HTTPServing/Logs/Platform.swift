// write(2) and getrlimit(2).
#if canImport(Glibc)
import GatehouseWire
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

package enum StandardError {
    /// Lines up to 4 KiB reach a pipe atomically (PIPE_BUF). Ignores errors: a log without a reader must not stop the
    /// server.
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

package enum Descriptors {
    /// `ulimit -n`.
    package static var limit: Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let found = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let found = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return found == 0 ? Int(clamping: limit.rlim_cur) : 256
    }

    /// At most `reserve` are free, or an eighth of a small limit. libdispatch kills the process if it cannot open a
    /// file to count its threads, once a second.
    package static func areScarce(reserve: Int) -> Bool {
        // The system returns the lowest free number, so all below are in use.
        let lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard lowest >= 0 else { return haveRunOut(errno) }
        close(lowest)
        let limit = limit
        return Int(lowest) >= limit - min(reserve, limit / 8)
    }

    /// In the process or the system.
    static func haveRunOut(_ code: Int32) -> Bool { [EMFILE, ENFILE].contains(code) }
}
