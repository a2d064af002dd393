public import Foundation
public import Gatehouse
import GatehouseWire

extension InMemoryAuthService {
    /// A request for access that an app or agent has begun. It expires after ten minutes of ``clock``.
    public struct Authorization: Hashable, Sendable {
        /// Its id.
        public let id: OAuthAuthorizationID
        /// The code that a device shows; nil for a browser.
        public let userCode: OAuthUserCode?

        /// The link that a browser opens, or that the device's QR code contains.
        public var link: URL {
            let value = userCode.map { "device?user_code=\($0)" } ?? "oauth?authorization_id=\(id)"
            // Never nil.
            return URL(string: "https://accounts.example.com/account/" + value) ?? URL(filePath: "/")
        }
    }

    /// The user's decision, as the app or agent sees it.
    public enum Decision: Hashable, Sendable {
        /// The user has not decided.
        case pending
        /// The user has approved.
        case approved
        /// The user has denied.
        case denied
        /// The request has expired.
        case expired
    }

    /// Requests access, as an agent does in a browser.
    ///
    /// - Parameters:
    ///   - scope: The permissions' names, separated by spaces.
    ///   - resources: The APIs' addresses.
    ///   - email: The account that already owns the request. nil for the first user who looks.
    public func beginAuthorization(
        by client: OAuthAuthorizationClient = Fixtures.agent, scope: String = "openid email",
        resources: [String] = [], for email: String? = nil
    ) -> Authorization { begin(client, scope, resources, email) }

    /// Requests access to a certain account, as an agent does in a browser.
    ///
    /// - Parameters:
    ///   - scope: The permissions' names, separated by spaces.
    ///   - resources: The APIs' addresses.
    ///   - expected: The account that the agent expects. Other accounts see it, and can release the request.
    public func beginAuthorization(
        by client: OAuthAuthorizationClient = Fixtures.agent, scope: String = "openid email",
        resources: [String] = [], expecting expected: OAuthExpectedAccount
    ) -> Authorization { begin(client, scope, resources, nil, expected) }

    /// Requests access, as a television or terminal does, which shows a code.
    public func beginDeviceAuthorization(
        by client: OAuthAuthorizationClient = Fixtures.agent, scope: String = "openid email",
        resources: [String] = []
    ) -> Authorization { begin(client, scope, resources, isDevice: true) }

    /// The decision; expired if the request is unknown.
    public func decision(on authorization: Authorization) -> Decision {
        let now = clock.now
        return state.withLock { state in
            let known = state.server.authorizations.first { $0.id == authorization.id }
            switch known?.isApproved {
            case true?: return .approved
            case false?: return .denied
            case nil: return known?.isExpired(at: now) == false ? .pending : .expired
            }
        }
    }

    /// Simulates that the app or agent takes its tokens, which opens a session and uses up the request.
    ///
    /// - Returns: Whether it has access.
    @discardableResult
    public func redeem(_ authorization: Authorization) -> Bool {
        let now = clock.now
        return state.withLock { $0.server.oauth.redeem(authorization.id, at: now) }
    }

    /// The ids of the clients that users have reported, in order.
    public var reportedClients: [String] { state.withLock { $0.server.reportedClients } }

    private func begin(
        _ client: OAuthAuthorizationClient, _ scope: String, _ resources: [String], _ email: String? = nil,
        _ expected: OAuthExpectedAccount? = nil, isDevice: Bool = false
    ) -> Authorization {
        let now = clock.now
        return state.withLock { state in
            let number = state.server.number()
            let id = OAuthAuthorizationID(Fixtures.id(number))
            let code = isDevice ? Fixtures.userCode(number) : nil
            state.server.authorizations.append(
                InMemoryAuthorization(
                    id: id, client: client, scope: scope, resources: resources, expected: expected, userCode: code,
                    requestedAt: now, owner: email.flatMap { state.server.account(email: $0)?.user.id }))
            return Authorization(id: id, userCode: code)
        }
    }
}

extension Fixtures {
    /// Of the server's letters.
    static func userCode(_ number: Int) -> OAuthUserCode? {
        let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
        var (rest, code) = (number, "")
        for _ in 0..<8 {
            code.append(letters[rest % letters.count])
            rest /= letters.count
        }
        return OAuthUserCode(code)
    }
}
