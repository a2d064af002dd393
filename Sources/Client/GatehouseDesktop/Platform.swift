package import Foundation
import Gatehouse

// This target's only platform switches.

#if os(tvOS) || os(watchOS)
#error("GatehouseDesktop is for Linux and macOS: tvOS and watchOS start no other programs.")
#endif

#if canImport(Darwin)
typealias SpawnActions = posix_spawn_file_actions_t?
typealias SpawnAttributes = posix_spawnattr_t?

/// Uninitialized.
func emptySpawnParts() -> (actions: SpawnActions, attributes: SpawnAttributes) { (nil, nil) }

/// Prevents the child from inheriting other descriptors.
let furtherSpawnFlags: Int32 = POSIX_SPAWN_CLOEXEC_DEFAULT

let browserProgram = "open"

/// - Returns: nil with `errno`.
func makeSocketPair() -> (Int32, Int32)? {
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, SOCK_STREAM, 0, &pair) == 0 else { return nil }
    for socket in pair { keepQuiet(socket) }
    return (pair[0], pair[1])
}

/// - Returns: -1 with `errno`.
package func makeStreamSocket() -> Int32 {
    let made = socket(AF_INET, SOCK_STREAM, 0)
    if made >= 0 { keepQuiet(made) }
    return made
}

/// Not inherited, and without SIGPIPE.
func keepQuiet(_ socket: Int32) {
    var on: Int32 = 1
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
}

/// - Returns: -1 with `errno`, without SIGPIPE.
package func sendQuietly(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> Int {
    send(socket, bytes.baseAddress, bytes.count, 0)
}

package func loopbackAddress(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    return address
}
#else
typealias SpawnActions = posix_spawn_file_actions_t
typealias SpawnAttributes = posix_spawnattr_t

/// Uninitialized.
func emptySpawnParts() -> (actions: SpawnActions, attributes: SpawnAttributes) { (SpawnActions(), SpawnAttributes()) }

/// All descriptors here are close-on-exec.
let furtherSpawnFlags: Int32 = 0

let browserProgram = "xdg-open"

/// - Returns: nil with `errno`.
func makeSocketPair() -> (Int32, Int32)? {
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else { return nil }
    return (pair[0], pair[1])
}

/// - Returns: -1 with `errno`.
package func makeStreamSocket() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
}

/// Not inherited.
func keepQuiet(_ socket: Int32) { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }

/// - Returns: -1 with `errno`, without SIGPIPE.
package func sendQuietly(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> Int {
    send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
}

package func loopbackAddress(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    return address
}
#endif
