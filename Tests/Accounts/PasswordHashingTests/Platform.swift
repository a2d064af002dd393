// The only platform switch in PasswordHashingTests.
#if os(Linux)
import Foundation
import Glibc

/// Id 0 is the calling thread.
func niceOfThisThread() -> Int32? { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }

/// As the process was started. Others inherit from the thread that starts them, which may be a hashing thread.
func niceOfFirstThread() -> Int32? { getpriority(Int32(PRIO_PROCESS.rawValue), UInt32(getpid())) }

/// In nanoseconds; nil before Linux 6.12, where all threads have the same.
func turnOfThisThread() -> Int? { turn(ofThread: "thread-self") }
func turnOfFirstThread() -> Int? { turn(ofThread: "self/task/\(getpid())") }

private func turn(ofThread name: String) -> Int? {
    // Ignored: without the file, the kernel does not publish the turn.
    let release = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
    let version = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    guard !version.lexicographicallyPrecedes([6, 12]),
        // Ignored: as above.
        let text = try? String(contentsOfFile: "/proc/\(name)/sched", encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("se.slice") })
    else { return nil }
    return line.split(separator: " ").last.flatMap { Int($0) }
}
#else
/// Darwin keeps its default priorities.
func niceOfThisThread() -> Int32? { nil }
func niceOfFirstThread() -> Int32? { nil }
func turnOfThisThread() -> Int? { nil }
func turnOfFirstThread() -> Int? { nil }
#endif
