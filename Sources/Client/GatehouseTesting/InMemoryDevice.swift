import Gatehouse

/// The client side: stores the session and notifies listeners.
struct InMemoryDevice: Sendable {
    /// The current session.
    struct Kept: Sendable {
        var session: Session
        /// The session's number on the server.
        var id: Int
        /// The uptime at which the access token expires.
        var goodUntil: Duration
    }

    private struct Listener {
        let continuation: AsyncStream<AuthChange>.Continuation
        var hasInitial = false
    }

    /// The purpose of a browser flow.
    enum Flow: Hashable, Sendable {
        case signIn
        case link
    }

    var kept: Kept?
    /// Why the user is signed out.
    var reason = SignedOutReason.neverSignedIn
    /// Whether the store has answered.
    var isRestored = false
    /// The number of sign-ins and sign-outs by the app. A call that began before the last one is superseded.
    var wishes = 0
    var flows: [String: Flow] = [:]
    /// The users whose sessions have already ended because Apple reported `revoked`.
    var revoked: Set<String> = []
    var flight: Task<Kept, any Error>?
    private var listeners: [Int: Listener] = [:]
    private var notices: [Int: AsyncStream<AuthNotice>.Continuation] = [:]
    private(set) var isOffline = false
    private var watchers: [AsyncStream<Bool>.Continuation] = []
    private var count = 0

    /// The error for a superseded call.
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

    /// Signs in, unless the app has signed out or in since.
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

    /// Signs out at the app's request.
    ///
    /// - Returns: The previous session.
    mutating func signOut() -> Kept? {
        let (old, wasGuest) = (kept, isRestored && kept == nil)
        wishes += 1
        (kept, reason) = (nil, .requested)
        if !wasGuest { happened(.signedOut(.requested)) }
        return old
    }

    /// Ends the session for a reason other than the app's request.
    mutating func end(_ reason: SignedOutReason) {
        guard kept != nil else { return }
        (kept, self.reason) = (nil, reason)
        happened(.signedOut(reason))
    }

    /// Replaces the user by a newer version from the server.
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

    mutating func watch(_ continuation: AsyncStream<Bool>.Continuation) {
        continuation.yield(isOffline)
        watchers.append(continuation)
    }

    mutating func setOffline(_ isOffline: Bool) {
        self.isOffline = isOffline
        for watcher in watchers { watcher.yield(isOffline) }
    }

    func notify(_ notice: AuthNotice) {
        for continuation in notices.values { continuation.yield(notice) }
    }

    /// For a new listener the first event is sufficient, except for the reason of a sign-out.
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
