// The only platform switch in GatehouseCLI: where flock(2), isatty(3) and statvfs(3) come from, where URLSession
// lives, and what compiled this program.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Darwin
#endif
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif

extension ProgramVersion {
    /// The compiler knows its own number only as a condition.
    #if compiler(>=6.4)
    static let compiler = "6.4 or later"
    #elseif compiler(>=6.3)
    static let compiler = "6.3"
    #else
    static let compiler = "6.2"
    #endif
}
