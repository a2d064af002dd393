public import Foundation
public import Gatehouse

/// A request for access that a screen shows.
public struct AuthorizationRequest: Hashable, Sendable, Identifiable {
    /// How the app learned of a request.
    public enum Origin: Hashable, Sendable {
        /// From a link, which continues on this device.
        case link
        /// From a push message.
        case message
        /// From the server (``AuthManager/Consents/watch()``).
        case poll
        /// The user typed a device's code.
        case code
    }

    /// The request's id, or its device's code.
    public var link: OAuthConsentLink
    /// How the app learned of it.
    public var origin: Origin

    /// ``link``.
    public var id: OAuthConsentLink { link }

    /// Creates a request.
    public init(_ link: OAuthConsentLink, from origin: Origin) {
        self.link = link
        self.origin = origin
    }
}

extension AuthManager {
    /// The access of apps and agents to the account.
    public var consents: Consents { Consents(manager: self) }

    /// Decides on requests for access, and ends access. See ``AuthManager/consents``.
    @MainActor
    public struct Consents {
        let manager: AuthManager
    }
}

extension AuthManager.Consents {
    /// The time between two questions of ``watch()``.
    public static let pollInterval = Duration.seconds(20)
    /// The longest time between two questions of ``watch()``, after failures.
    public static let longestPollInterval = Duration.seconds(320)

    /// Shows the request of a link or scanned QR code as ``AuthManager/authorizationRequest``, after a sign-in if
    /// necessary.
    ///
    /// `gatehouse(_:branding:)` of GatehouseUI calls it.
    ///
    /// - Returns: Whether the URL has an `OAuthConsentLink`, and the server may have requests.
    @discardableResult
    public func handle(_ url: URL) -> Bool {
        guard let link = OAuthConsentLink(url) else { return false }
        return show(AuthorizationRequest(link, from: .link))
    }

    /// Shows the request of a push message, by `authorization_id` in its `userInfo`, such as
    /// `response.notification.request.content.userInfo`. See ``handle(_:)``.
    @discardableResult
    public func handle(payload: [AnyHashable: Any]) -> Bool {
        guard let link = OAuthConsentLink(payload: payload) else { return false }
        return show(AuthorizationRequest(link, from: .message))
    }

    /// Hides ``AuthManager/authorizationRequest`` without a decision. ``watch()`` does not show it again.
    public func dismiss() {
        if case .authorization(let id)? = manager.authorizationRequest?.link { manager.consentPoll.hidden.insert(id) }
        manager.authorizationRequest = nil
    }

    private func show(_ request: AuthorizationRequest) -> Bool {
        guard manager.serverSettings?.hasOAuthServer != false else { return false }
        manager.authorizationRequest = request
        return true
    }

    /// Fetches a request, which then belongs to the user.
    ///
    /// - Throws: ``AuthError/networkError(_:)`` with status 404 for an unknown, expired or another user's request, and
    ///   with 400 for a decided one; ``AuthError/rateLimited(retryAfter:)`` for codes.
    public func details(_ link: OAuthConsentLink) async throws(AuthError) -> OAuthAuthorizationDetailsResponse {
        let response = try await manager.changing { try await manager.service.authorization(link) }
        manager.consentPoll.isReleased = false
        return response
    }

    /// Approves a request, after a fresh proof if the server requires one. Repeat it after ``AuthError/offline(_:)``.
    ///
    /// - Returns: The URL to open; nil for a device.
    /// - Throws: As ``details(_:)``; ``AuthError/freshSignInNeeded``; ``AuthError/cancelled`` if the user dismissed
    ///   ``AuthManager/proofQuestion``.
    public func approve(_ request: OAuthAuthorizationDetails) async throws(AuthError) -> OAuthRedirect? {
        try await manager.changing { try await manager.service.approve(request.authorizationID) }
    }

    /// Denies a request. ``watch()`` shows no request of the same client again while the app runs.
    ///
    /// - Parameter reporting: Reports the client to the server's operator.
    /// - Returns: The URL that tells the client; nil for a device.
    /// - Throws: As ``details(_:)``. Repeat it after ``AuthError/offline(_:)``.
    public func deny(
        _ request: OAuthAuthorizationDetails, reporting: Bool = false
    ) async throws(AuthError) -> OAuthRedirect? {
        manager.consentPoll.denied.insert(request.client.id)
        return try await manager.changing {
            try await manager.service.deny(request.authorizationID, reporting: reporting)
        }
    }

    /// Gives up a request, so that another account can decide: ``AuthManager/authorizationRequest`` stays for the next
    /// user.
    ///
    /// - Throws: As ``details(_:)``, except for an unknown request. Repeat it after ``AuthError/offline(_:)``.
    public func release(_ request: OAuthAuthorizationDetails) async throws(AuthError) {
        do throws(AuthError) {
            try await manager.changing { try await manager.service.release(request.authorizationID) }
        } catch .networkError(.refused(let refusal)) where refusal.code == .oauthAuthorizationNotFound {
            // Released before a lost response, or the next look throws it.
        }
        manager.consentPoll.isReleased = true
    }

    /// Fetches the apps and agents with access, newest first.
    ///
    /// - Throws: ``AuthError/networkError(_:)`` with status 404 if the server has none.
    public func grants() async throws(AuthError) -> [OAuthGrant] {
        try await manager.changing { try await manager.service.grants() }
    }

    /// Ends an app's or agent's access and its sessions.
    ///
    /// - Throws: As ``grants()``; status 404 also if it has no access.
    public func remove(_ grant: OAuthGrant) async throws(AuthError) {
        try await manager.changing { try await manager.service.revokeGrant(of: grant.client.id) }
    }
}

extension AuthManager.Consents {
    /// Asks the server for undecided requests and shows the newest one, now and every ``pollInterval``, until cancelled.
    ///
    /// Call it while the app is active and a user is signed in, and cancel it in the background;
    /// `gatehouse(_:branding:)` of GatehouseUI does. Concurrent calls share the questions. Each failure doubles the
    /// interval, up to ``longestPollInterval``. Returns on servers without requests for access.
    public func watch() async {
        while !Task.isCancelled {
            await manager.loadServerSettings()
            guard manager.serverSettings.map({ $0.hasOAuthServer == true }) ?? true else { return }
            if manager.serverSettings == nil { manager.consentPoll.failed(at: manager.clock.uptime()) }
            await poll()
            let pause = manager.consentPoll.pause(at: manager.clock.uptime())
            // Cancelled: the app is in the background.
            do { try await manager.clock.sleep(pause) } catch { return }
        }
    }

    /// At most one request at a time.
    private func poll() async {
        let poll = manager.consentPoll
        guard manager.isLoggedIn, poll.begin(at: manager.clock.uptime()) else { return }
        defer { poll.isAsking = false }
        let mine = manager.epoch
        do {
            let requests = try await manager.service.pendingAuthorizations()
            poll.succeeded(at: manager.clock.uptime())
            guard mine == manager.epoch, manager.isLoggedIn, manager.authorizationRequest == nil else { return }
            guard let new = requests.first(where: poll.shows) else { return }
            manager.authorizationRequest = AuthorizationRequest(.authorization(new.authorizationID), from: .poll)
        } catch is CancellationError {
            // The next call asks again.
            poll.nextAt = .zero
        } catch {
            poll.failed(at: manager.clock.uptime())
        }
    }
}

/// The poll's state while the app runs.
@MainActor
final class ConsentPoll {
    var isAsking = false
    /// By ``ClientClock/uptime``.
    var nextAt = Duration.zero
    /// The ids of denied clients.
    var denied: Set<String> = []
    /// Already shown, or decided.
    var hidden: Set<OAuthAuthorizationID> = []
    /// The shown request belongs to no user.
    var isReleased = false
    private var interval = AuthManager.Consents.pollInterval

    func begin(at now: Duration) -> Bool {
        guard !isAsking, now >= nextAt else { return false }
        isAsking = true
        return true
    }

    func succeeded(at now: Duration) {
        interval = AuthManager.Consents.pollInterval
        nextAt = now + interval
    }

    func failed(at now: Duration) {
        interval = min(interval * 2, AuthManager.Consents.longestPollInterval)
        nextAt = now + interval
    }

    func pause(at now: Duration) -> Duration { nextAt > now ? nextAt - now : AuthManager.Consents.pollInterval }

    func shows(_ request: OAuthAuthorizationDetails) -> Bool {
        !denied.contains(request.client.id) && !hidden.contains(request.authorizationID)
    }

    /// For another user.
    func forget() { (denied, hidden, isReleased, nextAt) = ([], [], false, .zero) }
}
