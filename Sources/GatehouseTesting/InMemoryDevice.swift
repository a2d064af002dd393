import Gatehouse

/// What a client on a device does with the server's answers: keeps the session, and tells who listens.
struct InMemoryDevice: Sendable {
    /// The session in use.
    struct Kept: Sendable {
        var session: Session
        /// The server's number of it.
        var id: Int
        /// Uptime at which the access token ends.
        var goodUntil: Duration
    }

    private struct Listener {
        let continuation: AsyncStream<AuthChange>.Continuation
        var hasInitial = false
    }

    /// What a browser was sent away for.
    enum Flow: Hashable, Sendable {
        case signIn
        case link
    }

    var kept: Kept?
    /// Why nobody is signed in.
    var reason = SignedOutReason.neverSignedIn
    /// Whether the store has answered.
    var isRestored = false
    /// How often the app signed somebody in or out: who began before has come too late.
    var wishes = 0
    var flows: [String: Flow] = [:]
    /// The people of whom Apple said "revoked", and whose sessions have ended for it.
    var revoked: Set<String> = []
    var flight: Task<Kept, any Error>?
    private var listeners: [Int: Listener] = [:]
    private var notices: [Int: AsyncStream<AuthNotice>.Continuation] = [:]
    private var count = 0

    /// What somebody is told whose call was overtaken.
    var overtaken: AuthClientError { kept == nil ? .signedOut(reason) : .sessionChanged }

    mutating func restore() {
        guard !isRestored else { return }
        isRestored = true
        sendInitial()
    }

    /// - Throws: `storeUnavailable` before the store has answered, `signedOut` without a session.
    func signedIn() throws(AuthClientError) -> Kept {
        guard isRestored else { throw InMemoryAuthService.Fault.locked }
        guard let kept else { throw .signedOut(reason) }
        return kept
    }

    mutating func keep(_ opened: InMemoryServer.Opened, at uptime: Duration) -> Session {
        kept = Kept(session: opened.session, id: opened.id, goodUntil: uptime + InMemoryServer.lifetime)
        return opened.session
    }

    /// Signs in, unless the person signed out or in since.
    mutating func adopt(
        _ opened: InMemoryServer.Opened, begun: Int, at uptime: Duration, then further: AuthChangeEvent? = nil
    ) throws(AuthClientError) -> Session {
        guard wishes == begun else { throw overtaken }
        wishes += 1
        let session = keep(opened, at: uptime)
        happened(.signedIn)
        if let further { send(further) }
        return session
    }

    /// Signs out by the person's wish.
    ///
    /// - Returns: The session that was there.
    mutating func signOut() -> Kept? {
        let (old, wasGuest) = (kept, isRestored && kept == nil)
        wishes += 1
        (kept, reason) = (nil, .requested)
        if !wasGuest { happened(.signedOut(.requested)) }
        return old
    }

    /// The session is over, by nobody's wish here.
    mutating func end(_ reason: SignedOutReason) {
        guard kept != nil else { return }
        (kept, self.reason) = (nil, reason)
        happened(.signedOut(reason))
    }

    /// The server's newer word about the user.
    mutating func replace(_ user: User, then event: AuthChangeEvent? = nil) {
        if kept?.session.user.id == user.id { kept?.session.user = user }
        if let event { happened(event) }
    }
}

// Listeners.
extension InMemoryDevice {
    mutating func listen(_ continuation: AsyncStream<AuthChange>.Continuation) -> Int {
        count += 1
        listeners[count] = Listener(continuation: continuation)
        if isRestored { sendInitial() }
        return count
    }

    mutating func listen(_ continuation: AsyncStream<AuthNotice>.Continuation) -> Int {
        count += 1
        notices[count] = continuation
        return count
    }

    mutating func forget(_ listener: Int) {
        listeners[listener] = nil
        notices[listener] = nil
    }

    func notify(_ notice: AuthNotice) {
        for continuation in notices.values { continuation.yield(notice) }
    }

    /// To who hears of nothing before, the first event says it all, but why somebody was signed out.
    mutating func happened(_ event: AuthChangeEvent) {
        let newcomers = Set(listeners.filter { !$0.value.hasInitial }.keys)
        isRestored = true
        sendInitial()
        if case .signedOut = event { send(event) } else { send(event, sparing: newcomers) }
    }

    func send(_ event: AuthChangeEvent, sparing spared: Set<Int> = []) {
        for (id, listener) in listeners where listener.hasInitial && !spared.contains(id) {
            listener.continuation.yield((event, kept?.session))
        }
    }

    private mutating func sendInitial() {
        for (id, listener) in listeners where !listener.hasInitial {
            listener.continuation.yield((.initialSession, kept?.session))
            listeners[id]?.hasInitial = true
        }
    }
}
