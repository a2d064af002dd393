import Foundation

/// Owns the session: who is signed in, with which tokens, and what the store holds.
///
/// - One refresh runs at a time, in a task of its own, so that a cancelled caller loses nothing.
/// - Sign-in, sign-out and account switch advance ``epoch``; what began in an older epoch cannot land.
/// - Tokens are saved before anybody gets them.
/// - Locks are taken in one order: the store's (between processes, held during a refresh), then ``gate`` (between
///   the writes of this process, never held over the network). None is held while the app's code runs.
actor TokenRefreshCoordinator {
    enum State: Sendable {
        case restoring
        case signedIn(KeptSession)
        case signedOut(SignedOutReason)
    }

    /// What began before somebody signed in, out, or over.
    struct Superseded: Error {}

    struct Flight {
        let epoch: Int
        let task: Task<Session, any Error>
    }

    /// The network call that the flight waits for.
    struct AwaitedExchange {
        let id: Int
        let waiter: CheckedContinuation<TimedAnswer, any Error>
        let call: Task<TimedAnswer, any Error>
    }

    let slot: SessionSlot
    let clock: ClientClock
    let rules: RefreshRules
    let randomBytes: @Sendable (Int) -> [UInt8]
    /// Trades a refresh token at the server, once.
    let exchange: @Sendable (String) async throws -> TimedAnswer
    let gate = SerialGate()

    var state = State.restoring
    var epoch = 0
    /// How often the app signed somebody in or out.
    var wishes = 0
    var flight: Flight?
    var awaited: AwaitedExchange?
    var exchangeCount = 0
    /// Uptime before which the server does not want to be asked, and how it said so.
    var quiet: (until: Duration, cause: OfflineCause)?

    private var listeners: [Int: Listener] = [:]
    private var listenerCount = 0
    private var notices = EventHub<AuthNotice>()
    private var restoring: Task<Void, Never>?

    private struct Listener {
        let continuation: AsyncStream<AuthChange>.Continuation
        var hasInitial = false
    }

    init(
        slot: SessionSlot, clock: ClientClock, rules: RefreshRules, randomBytes: @escaping @Sendable (Int) -> [UInt8],
        exchange: @escaping @Sendable (String) async throws -> TimedAnswer
    ) {
        self.slot = slot
        self.clock = clock
        self.rules = rules
        self.randomBytes = randomBytes
        self.exchange = exchange
    }

    deinit {
        restoring?.cancel()
        for listener in listeners.values { listener.continuation.finish() }
        notices.finish()
    }

    var kept: KeptSession? { if case .signedIn(let kept) = state { kept } else { nil } }

    var publicState: AuthState {
        switch state {
        case .restoring: .restoring
        case .signedOut(let reason): .signedOut(reason)
        case .signedIn(let kept):
            .signedIn(kept.session, isFresh: kept.isFresh(at: clock.uptime(), leeway: rules.leeway))
        }
    }

    /// Asks the store, if it has not answered yet.
    ///
    /// - Throws: ``AuthClientError/storeUnavailable(_:)``; the state is still restoring.
    func restore() async throws {
        guard case .restoring = state else { return }
        if let reason = try await gate.run({ try await self.restoreOnce() }) {
            throw AuthClientError.storeUnavailable(reason)
        }
    }

    /// - Returns: Why the store cannot answer.
    private func restoreOnce() async throws -> String? {
        guard case .restoring = state else { return nil }
        let startedIn = epoch
        let content = await slot.load()
        guard case .restoring = state, epoch == startedIn else { return nil }
        switch content {
        case .unavailable(let reason): return reason
        case .session(let stored):
            change(.signedIn(KeptSession(stored, now: clock.now(), uptime: clock.uptime())), event: nil)
        case .damaged: change(.signedOut(.storeDamaged), event: .signedOut(.storeDamaged))
        case .absent:
            change(.signedOut(.neverSignedIn), event: nil)
            await removeOrphan()
        }
        return nil
    }

    /// A crash during sign-out can leave the access token behind.
    private func removeOrphan() async {
        guard case .value = await slot.storage.read(slot.accessKey) else { return }
        do {
            try await slot.storage.remove(slot.accessKey)
        } catch {
            notify(.storeFailed(error.shortText))
        }
    }

    /// Whatever began before can no longer land, and stops waiting for the network.
    ///
    /// - Parameter isOwnFlight: The flight itself says so; it has work left to do.
    @discardableResult
    func advanceEpoch(isOwnFlight: Bool = false) -> Int {
        epoch += 1
        if !isOwnFlight { flight?.task.cancel() }
        flight = nil
        quiet = nil
        if let awaited {
            self.awaited = nil
            awaited.waiter.resume(throwing: Superseded())
            awaited.call.cancel()
        }
        return epoch
    }

    /// - Throws: ``Superseded``.
    func check(_ startedIn: Int) throws {
        guard epoch == startedIn else { throw Superseded() }
    }

    /// What a caller is told whose work was overtaken.
    var overtaken: AuthClientError {
        if case .signedOut(let reason) = state { .signedOut(reason) } else { .sessionChanged }
    }

    func newID() -> String { Base64URL.text(randomBytes(16)) }
}

// Listeners.
extension TokenRefreshCoordinator {
    func listen(_ continuation: AsyncStream<AuthChange>.Continuation) {
        listenerCount += 1
        let id = listenerCount
        listeners[id] = Listener(continuation: continuation)
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.forget(id) }
        }
        if case .restoring = state { keepRestoring() } else { sendInitial() }
    }

    func listen(_ continuation: AsyncStream<AuthNotice>.Continuation) {
        let id = notices.add(continuation)
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.forgetNotices(id) }
        }
    }

    private func forget(_ id: Int) { listeners[id] = nil }
    private func forgetNotices(_ id: Int) { notices.remove(id) }

    func notify(_ notice: AuthNotice) { notices.send(notice) }

    /// The one place where the state changes and where events are sent. A listener's first event is what was there
    /// when it came; who waits for a store gets its first with the store's answer.
    func change(_ new: State, event: AuthChangeEvent?) {
        let newcomers = Set(listeners.filter { !$0.value.hasInitial }.keys)
        state = new
        sendInitial()
        guard let event else { return }
        // To a newcomer the first event says it all, but why somebody was signed out.
        if case .signedOut = event { send(event) } else { send(event, sparing: newcomers) }
    }

    func send(_ event: AuthChangeEvent, sparing spared: Set<Int> = []) {
        let change = AuthChange(event: event, session: kept?.session)
        for (id, listener) in listeners where listener.hasInitial && !spared.contains(id) {
            listener.continuation.yield(change)
        }
    }

    private func sendInitial() {
        let change = AuthChange(event: .initialSession, session: kept?.session)
        for (id, listener) in listeners where !listener.hasInitial {
            listener.continuation.yield(change)
            listeners[id]?.hasInitial = true
        }
    }

    /// Asks a store that cannot answer again, after 1, 2, 4 … 30 seconds, while somebody listens.
    private func keepRestoring() {
        guard restoring == nil else { return }
        restoring = Task { [weak self] in
            var wait = Duration.seconds(1)
            while let clock = await self?.tryRestoring() {
                // A cancelled sleep ends the loop: the client is gone.
                do { try await clock.sleep(wait) } catch { return }
                wait = min(wait * 2, .seconds(30))
            }
        }
    }

    /// - Returns: The clock to wait by, while the store does not answer and somebody listens.
    private func tryRestoring() async -> ClientClock? {
        do {
            try await restore()
        } catch {
            if !listeners.isEmpty { return clock }
        }
        restoring = nil
        return nil
    }
}
