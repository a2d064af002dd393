import Foundation
public import Gatehouse
public import GatehouseModel

/// An `AuthService` that keeps its accounts in memory: for an app's tests and previews, without server and network.
///
/// It does what the live service does: accounts by address or provider, profiles, sessions whose tokens expire on a
/// ``VirtualClock`` and are refreshed, and both streams with every event and reason. What can go wrong has a name
/// (``Fault``), for the next calls or until it is cleared:
///
/// ```swift
/// let service = InMemoryAuthService()
/// let manager = service.makeManager()
/// await manager.wait { $0.phase == .unauthenticated }
///
/// service.meet(.offline)                                      // the next call
/// service.meet(.profileMissing, at: .fetchMe)                 // the next call of this kind
/// service.stay(.serviceUnavailable)                           // every call, until clear()
/// service.meet(.slow); …; service.release()                   // an answer that comes when you say so
/// ```
///
/// - ``ScriptedProviderSheet`` stands in for Apple's and Google's sheets, and for the browser.
/// - ``addAccount(email:password:firstName:favoriteTeams:isEmailProven:)`` and ``signedIn(email:firstName:favoriteTeams:)``
///   say what was there before; ``endSession(_:)``, ``changeUser(_:)`` and ``removeAccount(email:)`` what others do.
/// - ``calls``, ``openSessionCount`` and ``account(email:)`` say what reached the server, and what it holds.
///
/// What it leaves out: mails (``confirmEmail(of:)`` and ``openRecoveryMail(of:)`` stand for the person who reads
/// them), rate limits of its own, further tries after failures that pass, and the device's store, of which it knows
/// only that it can be locked.
public final class InMemoryAuthService: AuthService {
    struct State: Sendable {
        var server = InMemoryServer()
        var device = InMemoryDevice()
        var script = FaultScript()

        /// Lets the store answer, unless it is locked.
        mutating func restore() {
            if !script.isStoreLocked { device.restore() }
        }
    }

    let state = Locked(State())
    let gate = Gate()
    /// Its time, and that of a manager that it makes.
    public let clock: VirtualClock

    /// Nobody is signed in, and nobody has an account.
    ///
    /// - Parameter confirmsAutomatically: Whether a sign-up signs in at once; else it waits for ``confirmEmail(of:)``.
    public init(confirmsAutomatically: Bool = true, clock: VirtualClock = VirtualClock()) {
        self.clock = clock
        state.withLock { $0.server.confirmsAutomatically = confirmsAutomatically }
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
        let id = state.withLock { $0.device.listen(continuation) }
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

// What goes wrong.
extension InMemoryAuthService {
    /// The faults of the next calls, one each, in this order: each is met by the next call that it fits.
    ///
    /// - Parameter call: Of this kind only; nil for any that the fault fits.
    public func meet(_ faults: Fault..., at call: Call? = nil) {
        state.withLock { $0.script.next += faults.map { ($0, call) } }
    }

    /// The fault of every call that it fits, until ``clear()``. Faults of ``meet(_:at:)`` go first.
    ///
    /// - Parameter call: Of this kind only; nil for any that the fault fits.
    public func stay(_ fault: Fault, at call: Call? = nil) {
        state.withLock { $0.script.lasting.append((fault, call)) }
    }

    /// From now on all is well. A store that was locked answers. Held answers stay held.
    public func clear() {
        state.withLock { state in
            (state.script.next, state.script.lasting) = ([], [])
            state.restore()
        }
    }

    /// The faults of ``meet(_:at:)`` that no call has met yet.
    public var pendingFaults: [Fault] { state.withLock { $0.script.next.map(\.fault) } }

    /// How many answers are held by ``Fault/slow``.
    public var heldCount: Int { gate.waitingCount }

    /// Lets the held answers arrive.
    public func release() { gate.open() }
}

// What the server has seen, and holds.
extension InMemoryAuthService {
    /// Every call so far, in order. A token that is fresh needs none.
    public var calls: [Call] { state.withLock { $0.script.calls } }

    /// How many sessions the server keeps open, of all people.
    public var openSessionCount: Int { state.withLock { $0.server.sessions.count } }

    /// What the server holds about somebody; nil for an address without account.
    public func account(email: String) -> SignedInAccount? {
        state.withLock { state in
            state.server.account(email: email).map { account in
                SignedInAccount(id: account.user.id, email: account.user.email, profile: account.profile)
            }
        }
    }
}

/// Which call meets which fault.
struct FaultScript: Sendable {
    typealias Entry = (fault: InMemoryAuthService.Fault, call: InMemoryAuthService.Call?)

    var next: [Entry] = []
    var lasting: [Entry] = []
    var calls: [InMemoryAuthService.Call] = []

    var isStoreLocked: Bool { lasting.contains { $0.fault == .storeLocked && $0.call == nil } }

    mutating func take(_ call: InMemoryAuthService.Call) -> InMemoryAuthService.Fault? {
        calls.append(call)
        let isMet = { (entry: Entry) in entry.fault.fits(call) && (entry.call ?? call) == call }
        if let index = next.firstIndex(where: isMet) { return next.remove(at: index).fault }
        return lasting.first(where: isMet)?.fault
    }
}
