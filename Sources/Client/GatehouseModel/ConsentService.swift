public import Gatehouse

/// The part of an ``AuthService`` for the access of apps and agents to the account.
///
/// By default, every call fails like one that the server does not know.
public protocol ConsentService: Sendable {
    /// Fetches a request for access, and makes the user its owner.
    ///
    /// - Throws: As `GatehouseClient.authorizationDetails(id:)` and `GatehouseClient.authorizationDetails(userCode:)`.
    func authorization(_ link: OAuthConsentLink) async throws -> OAuthAuthorizationDetailsResponse

    /// Approves a request.
    ///
    /// - Throws: As `GatehouseClient.approveAuthorization(id:)`.
    func approve(_ authorization: OAuthAuthorizationID) async throws -> OAuthRedirect?

    /// Denies a request.
    ///
    /// - Throws: As `GatehouseClient.denyAuthorization(id:reporting:)`.
    func deny(_ authorization: OAuthAuthorizationID, reporting: Bool) async throws -> OAuthRedirect?

    /// Gives up a request, so that another account can decide.
    ///
    /// - Throws: As `GatehouseClient.releaseAuthorization(id:)`.
    func release(_ authorization: OAuthAuthorizationID) async throws

    /// Fetches the user's undecided requests, newest first.
    ///
    /// - Throws: As `GatehouseClient.pendingAuthorizations()`.
    func pendingAuthorizations() async throws -> [OAuthAuthorizationDetails]

    /// Fetches the apps and agents with access, newest first.
    ///
    /// - Throws: As `GatehouseClient.oauthGrants()`.
    func grants() async throws -> [OAuthGrant]

    /// Ends the access of an app or agent, by its `OAuthAuthorizationClient.id`.
    ///
    /// - Throws: As `GatehouseClient.revokeOAuthGrant(clientID:)`.
    func revokeGrant(of client: String) async throws
}

extension ConsentService {
    private var unknown: AuthClientError { .refused(AuthRefusal(status: 404, code: nil)) }

    public func authorization(_ link: OAuthConsentLink) async throws -> OAuthAuthorizationDetailsResponse {
        throw unknown
    }
    public func approve(_ authorization: OAuthAuthorizationID) async throws -> OAuthRedirect? { throw unknown }
    public func deny(_ authorization: OAuthAuthorizationID, reporting: Bool) async throws -> OAuthRedirect? {
        throw unknown
    }
    public func release(_ authorization: OAuthAuthorizationID) async throws { throw unknown }
    public func pendingAuthorizations() async throws -> [OAuthAuthorizationDetails] { throw unknown }
    public func grants() async throws -> [OAuthGrant] { throw unknown }
    public func revokeGrant(of client: String) async throws { throw unknown }
}
