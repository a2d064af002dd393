import Dispatch
import Foundation

/// Where Foundation's HTTP client tells what it received, with back-pressure: it hands over a part only when there is
/// room, and does not read on meanwhile.
///
/// Without it, Foundation on Linux (Swift 6.3) reads as fast as the other server sends and queues every part, however
/// slowly the delegate comes to them: hundreds of megabytes on a busy machine, of an answer that was to be refused after
/// 256 KiB.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    /// How many may wait, of 16 KiB each.
    private static let parts = 8
    // A semaphore must not go with less than it began with: it begins with nothing.
    private let room = DispatchSemaphore(value: 0)

    override init() {
        super.init()
        for _ in 0..<Self.parts { room.signal() }
        maxConcurrentOperationCount = 1
        // A thread of its own: Foundation's would be one of those that Swift's tasks have, and a task that cancels a
        // transfer waits for this queue.
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
