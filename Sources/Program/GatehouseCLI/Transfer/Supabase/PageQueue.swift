import Dispatch
import Synchronization

/// Passes pages from a transaction's thread, which may block, to a task, which may not.
package final class PageQueue: Sendable {
    private struct State {
        var last: String?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let pages: AsyncThrowingStream<[SupabaseRow], any Error>
    private let continuation: AsyncThrowingStream<[SupabaseRow], any Error>.Continuation
    /// Limits the pages in transit. Starts at 0: deallocating a semaphore below its initial value ends the process, and
    /// pages may remain.
    private let places = DispatchSemaphore(value: 0)

    package init() {
        (pages, continuation) = AsyncThrowingStream.makeStream()
        for _ in 0..<2 { places.signal() }
    }

    var last: String? { state.withLock(\.last) }

    /// Blocks until there is room.
    ///
    /// - Returns: false without a consumer.
    package func give(_ page: [SupabaseRow]) -> Bool {
        places.wait()
        let isOpen = state.withLock { state in
            if !state.isClosed { state.last = page.last?.id }
            return !state.isClosed
        }
        if isOpen { continuation.yield(page) }
        return isOpen
    }

    func finish(_ error: (any Error)?) { continuation.finish(throwing: error) }

    func take() async throws -> [SupabaseRow]? {
        var iterator = pages.makeAsyncIterator()
        let page = try await iterator.next()
        places.signal()
        return page
    }

    /// Also wakes a blocked ``give(_:)``.
    package func close() {
        state.withLock { $0.isClosed = true }
        places.signal()
    }
}
