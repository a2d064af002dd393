import Foundation

/// A newer epoch began.
struct Superseded: Error {}

/// Owns the session in memory and in the store.
///
/// - One refresh at a time, in its own task: a cancelled caller loses nothing.
/// - Sign-in, sign-out and account switch advance ``epoch``. Older work has no effect.
/// - Tokens are saved before any caller gets them.
/// - Lock order: the store's (between processes, held during a refresh), then ``gate`` (between writes, never during a
///   request). The app's code never runs under a lock.
actor TokenRefreshCoordinator {
    enum State: Sendable {
        case restoring
        case signedIn(KeptSession)
        case signedOut(SignedOutReason)
    }

    struct Flight {
        let epoch: Int
        let task: Task<AuthSession, any Error>
    }

    struct AwaitedExchange {
        let id: Int
        let waiter: CheckedContinuation<TimedAnswer, any Error>
        let call: Task<TimedAnswer, any Error>
    }

    let slot: SessionSlot
    let clock: ClientClock
    let rules: RefreshRules
    let randomBytes: @Sendable (Int) -> [UInt8]
    let exchange: BoundExchange
    let gate = SerialGate()

    var state = State.restoring { didSet { exchange.proofs.use(kept) } }
    var epoch = 0
    /// The app's sign-ins and sign-outs.
    var wishes = 0
    /// The last ended sign-in, whose leftovers in the store are never used.
    var endedLineage: String?
    /// A sign-out could neither read nor delete the stored session.
    var hasEndedUnread = false
    /// Sign-ins and sign-outs that have not reached the store. They take precedence.
    var ownChanges = 0
    var flight: Flight?
    /// Refreshes wait for this verification.
    var raising: Flight?
    var awaited: AwaitedExchange?
    var exchangeCount = 0
    /// When the server may be called again.
    var quiet: (until: Duration, cause: OfflineCause)?

    private var listeners = SessionListeners()
    private var notices = EventHub<AuthNotice>()
    private var restoring: Task<Void, Never>?
    /// The store's problem as last reported.
    private var storeProblem: StoreProblem?

    init(
        slot: SessionSlot, clock: ClientClock, rules: RefreshRules, randomBytes: @escaping @Sendable (Int) -> [UInt8],
        exchange: BoundExchange
    ) {
        self.slot = slot
        self.clock = clock
        self.rules = rules
        self.randomBytes = randomBytes
        self.exchange = exchange
    }

    deinit {
        restoring?.cancel()
        listeners.finish()
        notices.finish()
    }

    /// `restoring` if the store cannot answer immediately.
    nonisolated var storedState: AuthState {
        switch slot.loadNow() {
        case nil, .unavailable: return .restoring
        case .absent: return .signedOut(.neverSignedIn)
        case .damaged: return .signedOut(.storeDamaged)
        case .session(let stored):
            let kept = KeptSession(stored, now: clock.now(), uptime: clock.uptime())
            return .signedIn(kept.session, isFresh: kept.isFresh(at: clock.uptime(), leeway: rules.leeway))
        }
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

    /// If it throws, the state stays `restoring`.
    ///
    /// - Returns: False if an earlier call's read, which may be older than this call, decided the state.
    @discardableResult
    func restore() async throws -> Bool {
        guard case .restoring = state else { return false }
        return try await gate.run { try await self.restoreOnce() }
    }

    private func restoreOnce() async throws -> Bool {
        guard case .restoring = state else { return false }
        let startedIn = epoch
        let content = await slot.load()
        guard case .restoring = state, epoch == startedIn else { return false }
        switch content {
        case .unavailable(let problem):
            if problem != storeProblem { notify(.storeUnavailable(problem)) }
            storeProblem = problem
            throw AuthClientError.storeUnavailable(problem)
        case .session(let stored):
            change(.signedIn(restored(stored)), event: nil)
        case .damaged: change(.signedOut(.storeDamaged), event: .signedOut(.storeDamaged))
        case .absent:
            change(.signedOut(.neverSignedIn), event: nil)
            await removeOrphan()
        }
        return true
    }

    /// Left by a crash during sign-out.
    private func removeOrphan() async {
        guard case .value = await slot.storage.read(slot.accessKey) else { return }
        do {
            try await slot.storage.remove(slot.accessKey)
        } catch {
            notify(.storeFailed(StoreProblem(error)))
        }
    }

    /// Earlier work has no effect, and stops waiting for the network.
    ///
    /// - Parameter isOwnFlight: Whether the caller is a refresh with work left.
    @discardableResult
    func advanceEpoch(isOwnFlight: Bool = false) -> Int {
        epoch += 1
        if !isOwnFlight { flight?.task.cancel() }
        if !isOwnFlight { raising?.task.cancel() }
        (flight, raising) = (nil, nil)
        quiet = nil
        if let awaited {
            self.awaited = nil
            awaited.waiter.resume(throwing: Superseded())
            awaited.call.cancel()
        }
        return epoch
    }

    func check(_ startedIn: Int) throws {
        guard epoch == startedIn else { throw Superseded() }
    }

    /// The error for superseded callers.
    var overtaken: AuthClientError {
        if case .signedOut(let reason) = state { .signedOut(reason) } else { .sessionChanged }
    }

    func newID() -> String { Base64URL.text(randomBytes(16)) }

    func random() -> Double {
        Double(randomBytes(2).reduce(0) { $0 << 8 | Int($1) }) / 65_536
    }

    func restored(_ stored: StoredSession) -> KeptSession {
        KeptSession(stored, now: clock.now(), uptime: clock.uptime())
    }

    /// The stored session, with the newest tokens of any process.
    func inUse() async throws -> StoredSession? {
        switch await slot.load() {
        case .unavailable(let problem): throw AuthClientError.storeUnavailable(problem)
        case .session(let stored): stored
        case .damaged: kept?.stored
        case .absent: nil
        }
    }

    /// True if the app signed out of this session and the store could not delete it.
    func hasEnded(_ stored: StoredSession) -> Bool { stored.lineage == endedLineage || hasEndedUnread }

    /// Another process's new key, for example.
    @discardableResult
    func adopt(_ key: StoredKey?, of generation: String) -> KeptSession? {
        guard var now = kept, now.generation == generation else { return nil }
        now.key = key
        state = .signedIn(now)
        return now
    }
}

extension TokenRefreshCoordinator {
    func listen(_ continuation: AsyncStream<AuthChange>.Continuation) {
        let id = listeners.add(continuation)
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.forget(id) }
        }
        if case .restoring = state { keepRestoring() } else { listeners.sendInitial(kept?.session) }
    }

    func listen(_ continuation: AsyncStream<AuthNotice>.Continuation) {
        if case .restoring = state, let storeProblem { continuation.yield(.storeUnavailable(storeProblem)) }
        let id = notices.add(continuation)
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.forgetNotices(id) }
        }
    }

    private func forget(_ id: Int) { listeners.remove(id) }
    private func forgetNotices(_ id: Int) { notices.remove(id) }

    func notify(_ notice: AuthNotice) { notices.send(notice) }

    /// The only place that changes the state and sends events. A listener's first event describes the state at its
    /// arrival, or once the store answers.
    func change(_ new: State, event: AuthEvent?) {
        let newcomers = listeners.newcomers
        state = new
        listeners.sendInitial(kept?.session)
        guard let event else { return }
        // New listeners need only a sign-out's reason.
        if case .signedOut = event { send(event) } else { send(event, sparing: newcomers) }
    }

    func send(_ event: AuthEvent, sparing spared: Set<Int> = []) {
        listeners.send(AuthChange(event: event, session: kept?.session), sparing: spared)
    }

    /// Retries after 1, 2, 4 … 30 seconds, while there are listeners.
    private func keepRestoring() {
        guard restoring == nil else { return }
        restoring = Task { [weak self] in
            var wait = Duration.seconds(1)
            while let clock = await self?.tryRestoring() {
                // The client was released.
                do { try await clock.sleep(wait) } catch { return }
                wait = min(wait * 2, .seconds(30))
            }
        }
    }

    /// The clock to wait with; nil to stop.
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
