import Foundation

/// Wakes a thread that waits in `poll`. Fired once, it stays fired.
final class StopSignal: Sendable {
    /// For `poll`: readable from the moment it is fired.
    let descriptor: Int32
    private let trigger: Int32

    /// - Throws: A POSIX error.
    init() throws {
        guard let pair = makeSocketPair() else { throw SecretFolder.problem() }
        (descriptor, trigger) = pair
    }

    deinit {
        close(descriptor)
        close(trigger)
    }

    func fire() {
        // Never blocks: the buffer holds far more than the few bytes that are ever sent.
        _ = withUnsafeBytes(of: UInt8(1)) { sendQuietly($0, to: trigger) }
    }
}
