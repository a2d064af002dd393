import Dispatch
import Foundation

/// A delegate queue for URLSession with back-pressure: it accepts a part only when there is room, which stops the
/// transfer meanwhile.
///
/// Without it, Foundation on Linux (Swift 6.3) reads as fast as the server sends and queues every part, however slow
/// the delegate is. On a busy machine these are hundreds of megabytes of a response that is refused after 256 KiB.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    /// The maximum number of queued parts of 16 KiB.
    private static let parts = 8
    // A semaphore must not be deallocated below its initial value, so it starts at zero.
    private let room = DispatchSemaphore(value: 0)

    override init() {
        super.init()
        for _ in 0..<Self.parts { room.signal() }
        maxConcurrentOperationCount = 1
        // A separate thread: Foundation would use one of Swift's task threads, and a task that cancels a transfer waits
        // for this queue.
        underlyingQueue = DispatchQueue(label: "gatehouse.outgoing")
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        room.wait()
        super.addOperation { [room] in
            block()
            room.signal()
        }
    }
}
