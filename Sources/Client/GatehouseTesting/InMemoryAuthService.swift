public import Foundation
public import Gatehouse
public import GatehouseModel

/// An `AuthService` with in-memory accounts, for an app's tests and previews without server and network.
///
/// It behaves like the live service: accounts with passwords or providers, profiles, sessions whose tokens expire on a
/// ``VirtualClock`` and are refreshed, and both streams with every event and reason. Failures have names (``Fault``)
/// and apply to the next calls or until they are cleared:
///
/// ```swift
/// let service = InMemoryAuthService()
/// let manager = service.makeManager()
/// await manager.wait { $0.phase == .unauthenticated }
///
/// service.meet(.offline)                                      // the next call
/// service.meet(.profileMissing, at: .fetchMe)                 // the next call of this kind
/// service.stay(.serviceUnavailable)                           // every call, until clear()
/// service.meet(.slow)                                         // a response that arrives with release()
/// ```
///
/// - ``ScriptedProviderSheet`` replaces Apple's and Google's sheets, and the browser.
/// - ``addAccount(email:password:firstName:data:others:isEmailProven:)`` and
///   ``signedIn(email:firstName:data:others:)`` set the initial state; ``endSession(_:)``, ``changeUser(_:)`` and
///   ``removeAccount(email:)`` simulate events outside of the app.
/// - ``calls``, ``openSessionCount`` and ``account(email:)`` show the requests that the server received and the data
///   that it stores.
///
/// Not simulated: the texts of mails (``mails`` lists them, ``mailCode(_:to:)`` is their code, ``mailLink(_:to:)`` their
/// link), the server's own rate limits, retries after temporary failures, and the device's store, except that it can be locked.
public final class InMemoryAuthService: AuthService {
    struct State: Sendable {
        var server = InMemoryServer()
        var device = InMemoryDevice()
        var script = FaultScript()

        /// Makes the store answer, unless it is locked.
        mutating func restore() {
            if !script.isStoreLocked { device.restore() }
        }
    }

    let state = Locked(State())
    let gate = Gate()
    /// The redirect URL of browsers and of links in mails.
    public let redirectTo: URL?
    /// The clock of the service and of managers that it creates.
    public let clock: VirtualClock

    /// Creates a signed-out service without accounts.
    ///
    /// - Parameter confirmsAutomatically: Whether a sign-up signs in immediately, and a new address applies at once.
    ///   Otherwise mails confirm them; an email change needs the codes of both addresses.
    /// - Parameter redirectTo: The app's redirect URL.
    public init(
        confirmsAutomatically: Bool = true, clock: VirtualClock = VirtualClock(),
        redirectTo: URL? = URL(string: "com.example.app://callback")
    ) {
        self.clock = clock
        self.redirectTo = redirectTo
        state.withLock { $0.server.confirmsAutomatically = confirmsAutomatically }
    }

    public var initialState: AuthState {
        let uptime = clock.uptime
        return state.withLock { state in
            state.restore()
            guard state.device.isRestored else { return .restoring }
            guard let kept = state.device.kept else { return .signedOut(state.device.reason) }
            return .signedIn(kept.session, isFresh: kept.goodUntil > uptime)
        }
    }

    public var authStateChanges: AsyncStream<AuthChange> {
        let (stream, continuation) = AsyncStream<AuthChange>.makeStream()
        let id = state.withLock { state in
            state.restore()
            return state.device.listen(continuation)
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    public var notices: AsyncStream<AuthNotice> {
        let (stream, continuation) = AsyncStream<AuthNotice>.makeStream()
        let id = state.withLock { state in
            state.restore()
            if !state.device.isRestored { continuation.yield(.storeUnavailable(Fault.storeProblem)) }
            return state.device.listen(continuation)
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    private func forget(_ listener: Int) { state.withLock { $0.device.forget(listener) } }

    public var currentSession: Session? {
        get async {
            state.withLock { state in
                state.restore()
                return state.device.isRestored ? state.device.kept?.session : nil
            }
        }
    }
}

// Faults.
extension InMemoryAuthService {
    /// Applies faults to the next calls: each fault to the next call that it fits, in this order.
    ///
    /// - Parameter call: Restricts the faults to this kind of call.
    public func meet(_ faults: Fault..., at call: Call? = nil) {
        state.withLock { $0.script.next += faults.map { ($0, call) } }
    }

    /// Applies a fault to every call that it fits, until ``clear()``. Faults of ``meet(_:at:)`` take precedence.
    ///
    /// - Parameter call: Restricts the fault to this kind of call.
    public func stay(_ fault: Fault, at call: Call? = nil) {
        state.withLock { $0.script.lasting.append((fault, call)) }
    }

    /// Removes all faults. A locked store answers again. Held responses stay held.
    public func clear() {
        state.withLock { state in
            (state.script.next, state.script.lasting) = ([], [])
            state.restore()
        }
    }

    /// The faults of ``meet(_:at:)`` that have not been applied yet.
    public var pendingFaults: [Fault] { state.withLock { $0.script.next.map(\.fault) } }

    /// The number of responses held by ``Fault/slow``.
    public var heldCount: Int { gate.waitingCount }

    /// Releases the held responses.
    public func release() { gate.open() }
}

// The server's view.
extension InMemoryAuthService {
    /// All calls so far, in order. A fresh token requires no call.
    public var calls: [Call] { state.withLock { $0.script.calls } }

    /// The number of open sessions on the server, of all users.
    public var openSessionCount: Int { state.withLock { $0.server.sessions.count } }

    /// The account with this address on the server; nil if there is none.
    public func account(email: String) -> SignedInAccount? {
        state.withLock { state in
            state.server.account(email: email).map { account in
                SignedInAccount(id: account.user.id, email: account.user.email, profile: account.profile)
            }
        }
    }
}

/// Assigns faults to calls.
struct FaultScript: Sendable {
    typealias Entry = (fault: InMemoryAuthService.Fault, call: InMemoryAuthService.Call?)

    var next: [Entry] = []
    var lasting: [Entry] = []
    var calls: [InMemoryAuthService.Call] = []

    var isStoreLocked: Bool { lasting.contains { $0.fault == .storeLocked && $0.call == nil } }

    mutating func take(_ call: InMemoryAuthService.Call) -> InMemoryAuthService.Fault? {
        calls.append(call)
        let isMet = { (entry: Entry) in entry.fault.fits(call) && (entry.call ?? call) == call }
        let isNext = { (entry: Entry) in isMet(entry) && (call != .settings || entry.call == .settings) }
        if let index = next.firstIndex(where: isNext) { return next.remove(at: index).fault }
        return lasting.first(where: isMet)?.fault
    }
}
