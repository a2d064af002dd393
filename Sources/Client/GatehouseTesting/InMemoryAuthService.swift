public import Foundation
public import Gatehouse
public import GatehouseModel

/// An auth server with accounts in memory behind the client that ships, for an app's tests and previews without network.
///
/// Managers of ``makeManager(storage:telemetry:appleCredentials:)`` run the real `GatehouseClient` and `GatewayClient`. Their
/// requests reach accounts with passwords or providers, profiles, and sessions whose tokens expire on a ``VirtualClock``.
/// Failures have names (``Fault``) and apply to the next calls or until they are cleared:
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
/// - ``service`` is the device's `AuthService`, for tests without a manager.
/// - ``ScriptedProviderSheet`` replaces Apple's and Google's sheets, and the browser.
/// - ``addAccount(email:password:firstName:data:others:isEmailProven:)`` and
///   ``signedIn(email:firstName:data:others:)`` set the initial state; ``endSession(_:)``, ``changeUser(_:)`` and
///   ``removeAccount(email:)`` simulate events outside of the app.
/// - ``calls``, ``openSessionCount`` and ``account(email:)`` show the requests that the server received and the data
///   that it stores.
///
/// Not simulated: the texts of mails (``mails`` lists them, ``mailCode(_:to:)`` is their code, ``mailLink(_:to:)`` their
/// link), the server's own rate limits, the client's retries after temporary failures, its time limits and the gateway's
/// circuit breaker, and the device's store, except that it can be locked.
public final class InMemoryAuthService: Sendable {
    let network: InMemoryNetwork
    let client: GatehouseClient
    private let connection = KnownConnection()
    private let outside = Locked<Task<Void, Never>?>(nil)
    /// The service of the device, to pass to a manager.
    public let service: LiveAuthService
    /// The clock of the service and of managers that it creates.
    public let clock: VirtualClock

    var state: Locked<InMemoryNetwork.State> { network.state }

    /// Creates a signed-out service without accounts.
    ///
    /// - Parameter confirmsAutomatically: Whether a sign-up signs in and a new address applies immediately.
    ///   Otherwise mails confirm them; an email change needs the codes of both addresses.
    /// - Parameter redirectTo: The app's redirect URL.
    /// - Parameter allowsSeveralAccounts: Whether the device keeps several accounts; see `AuthManager.accounts`.
    public init(
        confirmsAutomatically: Bool = true, clock: VirtualClock = VirtualClock(),
        redirectTo: URL? = URL(string: "com.example.app://callback"), allowsSeveralAccounts: Bool = false
    ) {
        self.clock = clock
        network = InMemoryNetwork(clock: clock)
        // Never nil.
        let url = URL(string: "https://accounts.example.com") ?? URL(filePath: "/")
        var options = GatehouseClient.Options()
        options.refresh.retries = 0
        options.allowsSeveralAccounts = allowsSeveralAccounts
        client = GatehouseClient(
            safeURL: url.appending(path: "auth/v1"), publishableKey: "sb_publishable_in_memory", storage: network,
            transport: network.send, clock: network.deviceClock, randomness: network.randomBytes, options: options,
            reachability: connection.reachability)
        var rules = GatewayRules()
        (rules.retries, rules.firstWait, rules.connectivityLimit) = (0, .zero, .zero)
        (rules.confirmationPause, rules.failuresToOpen) = (.zero, .max)
        rules.isOffline = { _ in false }
        let gateway = GatewayClient(
            safeURL: url, tokens: GatewayTokens(client), transport: network.send, clock: network.deviceClock,
            randomness: network.randomBytes, rules: rules, reachability: connection.reachability)
        service = LiveAuthService(client: client, gateway: gateway, redirectTo: redirectTo)
        state.withLock { $0.server.confirmsAutomatically = confirmsAutomatically }
    }

    /// The redirect URL of browsers and of links in mails.
    public var redirectTo: URL? { service.redirectTo }

    /// The device loses its connection: as ``Fault/offline`` for every call, and the system knows it.
    public func goOffline() {
        stay(.offline)
        connection.set(isOffline: true)
    }

    /// The device has a connection again, and no faults.
    public func goOnline() {
        clear()
        connection.set(isOffline: false)
    }

    /// Tells the client of an event outside of the app, after the earlier ones.
    func tell(_ event: @escaping @Sendable (GatehouseClient) async -> Void) {
        outside.withLock { last in
            last = Task { [last, client] in
                await last?.value
                await event(client)
            }
        }
    }

    /// Waits until the client has noticed the simulated events, such as that of ``endSession(_:)``.
    public func settled() async { await outside.withLock { $0 }?.value }
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
        let wasLocked = state.withLock { state in
            let wasLocked = state.script.isStoreLocked
            (state.script.next, state.script.lasting, state.script.locksOnce) = ([], [], false)
            return wasLocked
        }
        if wasLocked { tell { _ = await $0.currentSession } }
    }

    /// The faults of ``meet(_:at:)`` that have not been applied yet.
    public var pendingFaults: [Fault] { state.withLock { $0.script.next.map(\.fault) } }

    /// The number of responses held by ``Fault/slow``.
    public var heldCount: Int { network.gate.waitingCount }

    /// Releases the held responses.
    public func release() { network.gate.open() }
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
