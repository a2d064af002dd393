public import Gatehouse

extension LiveAuthService {
    public func authorization(_ link: OAuthConsentLink) async throws -> OAuthAuthorizationDetailsResponse {
        switch link {
        case .authorization(let id): try await client.authorizationDetails(id: id)
        case .device(let code): try await client.authorizationDetails(userCode: code)
        }
    }

    public func approve(_ authorization: OAuthAuthorizationID) async throws -> OAuthRedirect? {
        try await client.approveAuthorization(id: authorization)
    }

    public func deny(_ authorization: OAuthAuthorizationID, reporting: Bool) async throws -> OAuthRedirect? {
        try await client.denyAuthorization(id: authorization, reporting: reporting)
    }

    public func release(_ authorization: OAuthAuthorizationID) async throws {
        try await client.releaseAuthorization(id: authorization)
    }

    public func pendingAuthorizations() async throws -> [OAuthAuthorizationDetails] {
        try await client.pendingAuthorizations()
    }

    public func grants() async throws -> [OAuthGrant] { try await client.oauthGrants() }

    public func revokeGrant(of client: String) async throws {
        try await self.client.revokeOAuthGrant(clientID: client)
    }
}
