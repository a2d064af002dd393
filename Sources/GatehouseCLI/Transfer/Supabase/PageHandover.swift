import Dispatch
import Synchronization

/// Pages on their way from the thread of a transaction, which may wait, to a task, which may not.
package final class PageHandover: Sendable {
    private struct State {
        var last: String?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let pages: AsyncThrowingStream<[SupabaseRow], any Error>
    private let continuation: AsyncThrowingStream<[SupabaseRow], any Error>.Continuation
    /// Pages that may be on their way at once. It starts at 0: one that goes away below its start stops the program,
    /// and this one may go while pages lie here that nobody takes.
    private let places = DispatchSemaphore(value: 0)

    package init() {
        (pages, continuation) = AsyncThrowingStream.makeStream()
        for _ in 0..<2 { places.signal() }
    }

    var last: String? { state.withLock(\.last) }

    /// Waits for a place; the thread is the transaction's own.
    ///
    /// - Returns: false when nobody takes pages any more.
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

    package func close() {
        state.withLock { $0.isClosed = true }
        places.signal()
    }
}
