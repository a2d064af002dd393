import Foundation
import Gatehouse
import GatehouseWire

private let authorization = OAuthAuthorizationID(UUID(uuidString: "A1B2C3D4-0000-4000-8000-000000000001")!)

extension GoldenRequest {
    private static let path = "/oauth/authorizations/a1b2c3d4-0000-4000-8000-000000000001"
    private static let approved: AuthJSON = ["redirect_url": "https://agent.example/callback?code=c"]

    static let oauth: [GoldenRequest] = [
        GoldenRequest(
            name: "look at a request for access", request: "GET \(path)", bearer: "access", answer: approved,
            call: { _ = try await $0.authorizationDetails(id: authorization) }),
        GoldenRequest(
            name: "look at a device's request", request: "GET /oauth/device?user_code=BCDF-GHJK", bearer: "access",
            answer: ["flow": "device", "status": "approved"],
            call: { client in
                guard let code = OAuthUserCode(" bcdf ghjk") else { return }
                _ = try await client.authorizationDetails(userCode: code)
            }),
        GoldenRequest(
            name: "approve", request: #"POST \#(path)/consent {"action":"approve"}"#, bearer: "access",
            answer: approved, call: { try await $0.approveAuthorization(id: authorization) }),
        GoldenRequest(
            name: "deny", request: #"POST \#(path)/consent {"action":"deny"}"#, bearer: "access", answer: approved,
            call: { try await $0.denyAuthorization(id: authorization) }),
        GoldenRequest(
            name: "deny and report", request: #"POST \#(path)/consent {"action":"deny","report":true}"#,
            bearer: "access", answer: ["flow": "device", "status": "denied"],
            call: { try await $0.denyAuthorization(id: authorization, reporting: true) }),
        GoldenRequest(
            name: "release", request: "POST \(path)/release", bearer: "access",
            call: { try await $0.releaseAuthorization(id: authorization) }),
        GoldenRequest(
            name: "list undecided requests", request: "GET /oauth/authorizations", bearer: "access",
            answer: ["authorizations": []], call: { _ = try await $0.pendingAuthorizations() }),
        GoldenRequest(
            name: "list grants", request: "GET /user/oauth/grants", bearer: "access", answer: [],
            call: { _ = try await $0.oauthGrants() }),
        GoldenRequest(
            name: "revoke the grant of a client that is a URL",
            request: "DELETE /user/oauth/grants?client_id=https%3A%2F%2Fagent.example%2Fclient%3Fa%3Db%26c",
            bearer: "access",
            call: { try await $0.revokeOAuthGrant(clientID: "https://agent.example/client?a=b&c") }),
    ]
}
