public import Foundation
public import Gatehouse
public import GatehouseModel

/// An in-memory auth server behind the real client, for an app's tests and previews without network.
///
/// Managers from ``makeManager(storage:telemetry:appleCredentials:)`` run the real `GatehouseClient` and
/// `GatewayClient`. Tokens expire on a ``VirtualClock``. A ``Fault`` applies to the next calls or until cleared:
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
/// - ``addAccount(email:password:firstName:data:others:isEmailProven:)`` and ``signedIn(email:firstName:data:others:)``
///   set the initial state; ``endSession(_:)``, ``changeUser(_:)`` and ``removeAccount(email:)`` simulate outside
///   events.
/// - ``addAccount(phone:password:firstName:)`` and ``textCode(_:to:)`` are for telephone numbers, which
///   ``serverSettings`` must allow.
/// - ``beginAuthorization(by:scope:resources:for:)`` requests access as an agent does; ``serverSettings`` must have
///   `hasOAuthServer`.
/// - ``calls``, ``openSessionCount`` and ``account(email:)`` return received requests and stored data.
///
/// Not simulated: the texts of emails and messages (see ``mails`` and ``texts``), the server's rate limits, the client's
/// retries and time limits, the gateway's circuit breaker, and the device's store, except that it can be locked.
public final class InMemoryAuthService: Sendable {
    let network: InMemoryNetwork
    let client: GatehouseClient
    private let connection = KnownConnection()
    private let outside = Locked<Task<Void, Never>?>(nil)
    /// The device's service, to pass to a manager.
    public let service: LiveAuthService
    /// The clock of the service and its managers.
    public let clock: VirtualClock

    var state: Locked<InMemoryNetwork.State> { network.state }

    /// Creates a signed-out service without accounts.
    ///
    /// - Parameter confirmsAutomatically: Sign-ups and new addresses apply immediately. Otherwise emails confirm them;
    ///   an email change needs both addresses' codes.
    /// - Parameter redirectTo: The app's redirect URL.
    /// - Parameter allowsSeveralAccounts: Keeps several accounts on the device; see `AuthManager.accounts`.
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
        options.sessionKeys = .software
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

    /// The redirect URL of browsers and emailed links.
    public var redirectTo: URL? { service.redirectTo }

    /// Disconnects the device: every call fails with ``Fault/offline``.
    public func goOffline() {
        stay(.offline)
        connection.set(isOffline: true)
    }

    /// Reconnects the device and removes all faults.
    public func goOnline() {
        clear()
        connection.set(isOffline: false)
    }

    /// In order.
    func tell(_ event: @escaping @Sendable (GatehouseClient) async -> Void) {
        outside.withLock { last in
            last = Task { [last, client] in
                await last?.value
                await event(client)
            }
        }
    }

    /// Waits until the client has noticed simulated events.
    public func settled() async { await outside.withLock { $0 }?.value }
}

extension InMemoryAuthService {
    /// Applies each fault, in order, to the next call that it fits.
    ///
    /// - Parameter call: Restricts the faults to this call.
    public func meet(_ faults: Fault..., at call: Call? = nil) {
        state.withLock { $0.script.next += faults.map { ($0, call) } }
    }

    /// Applies a fault to every call that it fits until ``clear()``. Faults of ``meet(_:at:)`` take precedence.
    ///
    /// - Parameter call: Restricts the fault to this call.
    public func stay(_ fault: Fault, at call: Call? = nil) {
        state.withLock { $0.script.lasting.append((fault, call)) }
    }

    /// Removes all faults. Held responses remain held.
    public func clear() {
        let wasLocked = state.withLock { state in
            let wasLocked = state.script.isStoreLocked
            (state.script.next, state.script.lasting, state.script.locksOnce) = ([], [], false)
            return wasLocked
        }
        if wasLocked { tell { _ = await $0.currentSession } }
    }

    /// The unapplied faults of ``meet(_:at:)``.
    public var pendingFaults: [Fault] { state.withLock { $0.script.next.map(\.fault) } }

    /// The number of responses held by ``Fault/slow``.
    public var heldCount: Int { network.gate.waitingCount }

    /// Releases the held responses.
    public func release() { network.gate.open() }
}

extension InMemoryAuthService {
    /// All calls so far, in order. Using a fresh token makes no call.
    public var calls: [Call] { state.withLock { $0.script.calls } }

    /// The number of all users' open sessions on the server.
    public var openSessionCount: Int { state.withLock { $0.server.sessions.count } }

    /// The server's account with this address; nil if there is none.
    public func account(email: String) -> SignedInAccount? {
        state.withLock { state in
            state.server.account(email: email).map { account in
                SignedInAccount(id: account.user.id, email: account.user.email, profile: account.profile)
            }
        }
    }
}
