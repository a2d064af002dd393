package import AuthServer
import GatehouseWire
import HTTPTypes

/// A public OAuth client that the operator has registered, in a browser or on a device without one.
package struct TestAgent: Sendable {
    package static let redirect = "https://agent.example/callback"
    // RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let device = "urn:ietf:params:oauth:grant-type:device_code"

    package let id: String
    private let server: TestServer

    package init(_ server: TestServer, named name: String = "Research Agent") async throws {
        let answer = try await server.admin(
            .post, "/oauth/clients",
            json: [
                "client_name": .string(name), "redirect_uris": [.string(Self.redirect)],
                "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "refresh_token", .string(Self.device)],
            ])
        guard let id = answer["client_id"]?.stringValue else { throw UnexpectedAnswer(answer: answer) }
        (self.id, self.server) = (id, server)
    }

    /// Where the browser is sent.
    package func begin(_ scope: String = "openid email", _ more: [String: String] = [:]) async throws -> TestAnswer {
        let usual = [
            "client_id": id, "redirect_uri": Self.redirect, "response_type": "code", "scope": scope,
            "state": "state of 16 bytes", "code_challenge": Self.challenge, "code_challenge_method": "S256",
        ]
        return try await server.send(.get, "/auth/v1/oauth/authorize?" + Self.form(usual.merging(more) { $1 }))
    }

    /// Returns the request's id.
    package func ask(_ scope: String = "openid email", _ more: [String: String] = [:]) async throws -> String {
        let answer = try await begin(scope, more)
        guard let id = Self.value("authorization_id", in: answer.headers[.location] ?? "") else {
            throw UnexpectedAnswer(answer: answer)
        }
        return id
    }

    /// Returns the code that the device shows, and its own.
    package func askAsDevice(_ scope: String = "openid email") async throws -> (userCode: String, deviceCode: String) {
        let answer = try await post("/device_authorization", ["scope": scope])
        guard let user = answer["user_code"]?.stringValue, let device = answer["device_code"]?.stringValue else {
            throw UnexpectedAnswer(answer: answer)
        }
        return (user, device)
    }

    /// - Parameter url: Where the user's decision leads.
    package func redeem(_ url: String) async throws -> TestAnswer {
        try await post(
            "/token",
            [
                "grant_type": "authorization_code", "code": Self.value("code", in: url) ?? "",
                "redirect_uri": Self.redirect,
                "code_verifier": Self.verifier,
            ])
    }

    package func redeem(deviceCode: String) async throws -> TestAnswer {
        try await post("/token", ["grant_type": Self.device, "device_code": deviceCode])
    }

    private func post(_ path: String, _ fields: [String: String]) async throws -> TestAnswer {
        let body = Self.form(fields.merging(["client_id": id]) { $1 })
        return try await server.send(
            .post, "/auth/v1/oauth" + path, headers: [.contentType: "application/x-www-form-urlencoded"],
            raw: Array(body.utf8))
    }

    private static func form(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0)=\(FormText.escape($1))" }.joined(separator: "&")
    }

    private static func value(_ name: String, in url: String) -> String? {
        url.split { $0 == "?" || $0 == "&" }.dropFirst().first { $0.hasPrefix(name + "=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }
}

extension OAuthRules {
    /// With an own scope.
    package static var test: OAuthRules {
        var rules = OAuthRules(
            consentPage: TestServer.issuer + "/consent", devicePage: TestServer.issuer + "/device")
        let texts = [("en", "Read your scores"), ("de", "Deine Ergebnisse lesen")]
        rules.ownScopes = [OAuthScopeText("scores:read", texts)]
        return rules
    }
}
