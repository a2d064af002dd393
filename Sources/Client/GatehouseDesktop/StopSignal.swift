import Foundation
import Gatehouse

/// Wakes a thread that waits in `poll`. Stays fired.
final class StopSignal: Sendable {
    /// Readable once fired.
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
        // The buffer is far larger than the few bytes ever sent.
        _ = withUnsafeBytes(of: UInt8(1)) { sendQuietly($0, to: trigger) }
    }
}
