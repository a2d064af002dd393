// The only platform switch in PasswordHashingTests.
#if os(Linux)
import Glibc

/// With id 0, Linux returns the value of the calling thread.
func niceOfThisThread() -> Int32? { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
#else
/// Darwin keeps its default priorities.
func niceOfThisThread() -> Int32? { nil }
#endif
