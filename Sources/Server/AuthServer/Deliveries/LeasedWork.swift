import GatehouseWire

/// Leases more items while some are in progress, so a slow one delays no other. Releases unstarted items when the node
/// stops or earlier ones took too long.
struct LeasedWork<Item: Sendable, Outcome: Sendable>: Sendable {
    /// How long after leasing an item may start. The lease is longer by the longest attempt.
    let beginning: Duration
    let now: @Sendable () -> Instant
    let isStopping: @Sendable () -> Bool
    /// Leases due items; also returns how many others it ended.
    let take: @Sendable () async throws -> (ended: Int, items: [Item])
    let hasRoom: @Sendable (_ running: Int) -> Bool
    /// Claims a slot if one is free.
    let begin: @Sendable (_ running: Int) -> Bool
    let attempt: @Sendable (Item) async -> Outcome
    /// No item may start after this outcome.
    let isLast: @Sendable (Outcome) -> Bool
    let report: @Sendable ([Outcome]) async throws -> Void
    let giveBack: @Sendable ([Item]) async throws -> Void
    /// Returns after a short time, or when more may be due.
    let wait: @Sendable () async throws -> Void

    private enum Event: Sendable {
        case ended(Outcome)
        case woken
    }

    private struct State {
        var queue: ArraySlice<Item> = []
        var takenAt = Instant(seconds: 0)
        var running = 0
        var outcomes: [Outcome] = []
        /// The number of items leased or ended.
        var count = 0
        /// More may be due.
        var looks = true
        /// Outcomes have waited long enough.
        var reports = false
        var hasWaiter = false
        var isOver = false
        var failure: (any Error)?
    }

    /// - Returns: The number of items leased or ended. Call again until it is 0.
    /// - Throws: The first error of `take`, `report` and `giveBack`, after the running attempts.
    func run() async throws -> Int {
        let state = await withTaskGroup(of: Event.self, returning: State.self) { group in
            var state = State()
            while true {
                await prepare(&state)
                while let item = state.queue.first, begin(state.running) {
                    state.queue.removeFirst()
                    state.running += 1
                    group.addTask { .ended(await attempt(item)) }
                }
                if state.running == 0, state.queue.isEmpty { break }
                if !state.hasWaiter, !state.isOver {
                    state.hasWaiter = true
                    group.addTask {
                        // Ignored: only cancellation, which ends the group.
                        try? await wait()
                        return .woken
                    }
                }
                guard let event = await group.next() else { break }
                note(event, in: &state)
            }
            group.cancelAll()
            return state
        }
        if let failure = state.failure { throw failure }
        return state.count
    }

    private func note(_ event: Event, in state: inout State) {
        switch event {
        case .woken: (state.hasWaiter, state.looks, state.reports) = (false, true, true)
        case .ended(let outcome):
            state.running -= 1
            state.outcomes.append(outcome)
            if isLast(outcome) { (state.isOver, state.looks) = (true, true) }
        }
    }

    private func prepare(_ state: inout State) async {
        if isStopping() || Task.isCancelled { state.isOver = true }
        do {
            if !state.queue.isEmpty, state.isOver || now() >= state.takenAt + beginning {
                let items = Array(state.queue)
                state.queue = []
                // In a separate task because this one may be cancelled; the same below.
                try await Task { try await giveBack(items) }.value
            }
            let isIdle = state.queue.isEmpty && (state.looks || state.running == 0)
            // Report while items wait as well: a crash repeats unreported items.
            if isIdle || state.reports {
                let outcomes = state.outcomes
                (state.outcomes, state.reports) = ([], false)
                if !outcomes.isEmpty { try await Task { try await report(outcomes) }.value }
            }
            guard isIdle, !state.isOver, hasRoom(state.running) else { return }
            state.takenAt = now()
            let (ended, items) = try await take()
            state.count += ended + items.count
            (state.queue, state.looks) = (items[...], !items.isEmpty)
        } catch {
            state.failure = state.failure ?? error
            state.isOver = true
        }
    }
}
