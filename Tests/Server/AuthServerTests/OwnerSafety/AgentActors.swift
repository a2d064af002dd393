import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport

/// A client and what it proves itself with.
struct AgentActor: Sendable {
    let id: String
    /// nil for a public client.
    let secret: String?

    fileprivate init(_ answer: TestAnswer) throws {
        guard let id = answer["client_id"]?.stringValue else { throw Unexpected(answer: answer) }
        (self.id, secret) = (id, answer["client_secret"]?.stringValue)
    }
}

/// OAuth clients of a server, for each owner on it.
struct AgentActors: Sendable {
    static let redirect = "https://agent.example/callback"
    // RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let thiefsVerifier = "the-thief-guesses-a-verifier-of-enough-bytes-0"
    static let thiefsChallenge = "aQ918V0GcEGG7nIvzKhgz1J24g13UySdLP_QpQtfAw0"
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    /// The owner's agent asks for some of them.
    static let scopes = ["email", "profile", "scores:read"]
    static let resources = ["https://api.example.org/mcp", "https://files.example.org/mcp"]

    /// Registered by the operator.
    let agent: AgentActor
    /// Likewise, with another secret.
    let rival: AgentActor
    /// Registered by a stranger.
    let strangers: AgentActor

    init(_ server: TestServer) async throws {
        func body(_ name: String, _ method: String) -> AuthJSON {
            [
                "client_name": .string(name), "redirect_uris": [.string(Self.redirect)],
                "token_endpoint_auth_method": .string(method),
                "grant_types": ["authorization_code", "refresh_token", .string(Self.deviceGrant)],
            ]
        }
        agent = try AgentActor(
            try await server.admin(.post, "/oauth/clients", json: body("Agent", "client_secret_post")))
        rival = try AgentActor(
            try await server.admin(.post, "/oauth/clients", json: body("Rival", "client_secret_post")))
        strangers = try AgentActor(
            try await server.send(.post, "/auth/v1/oauth/clients/register", json: body("Helper", "none")))
    }

    static var rules: OAuthRules {
        var rules = OAuthRules.test
        rules.allowsRegistration = true
        rules.resources = resources
        return rules
    }
}

/// Scopes and resources.
struct AgentRights: Sendable {
    var scopes: Set<String> = []
    var resources: Set<String> = []

    func covers(_ other: AgentRights) -> Bool {
        scopes.isSuperset(of: other.scopes) && resources.isSuperset(of: other.resources)
    }

    mutating func formUnion(_ other: AgentRights) {
        scopes.formUnion(other.scopes)
        resources.formUnion(other.resources)
    }
}

struct AgentCode: Sendable {
    let text: String
    let approved: AgentRights
}

struct AgentTokens: Sendable {
    let access: String
    let refresh: String
    let approved: AgentRights

    init?(_ answer: TestAnswer, approved: AgentRights) {
        guard let access = answer["access_token"]?.stringValue, let refresh = answer["refresh_token"]?.stringValue
        else {
            return nil
        }
        (self.access, self.refresh, self.approved) = (access, refresh, approved)
    }

    /// Of the access token.
    var rights: AgentRights? {
        let parts = access.split(separator: ".")
        // Ignored: text that is not a token has no rights.
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])), let json = try? JSONReader.read(bytes),
            let scope = json["scope"]?.stringValue, let audience = json["aud"]
        else { return nil }
        let names = audience.arrayValue?.compactMap(\.stringValue) ?? [audience.stringValue].compactMap(\.self)
        return AgentRights(
            scopes: Set(scope.split(separator: " ").map(String.init)),
            resources: Set(names.filter { !$0.hasSuffix("/oauth/userinfo") }))
    }
}

/// The agents of one owner, and their tokens.
struct AgentAccess {
    /// Consents that the owner has not revoked.
    var approved: AgentRights?
    /// Not yet redeemed.
    var code: AgentCode?
    var tokens: [AgentTokens] = []
    /// From before the owner revoked the agent, or signed out everywhere.
    var endedTokens: [AgentTokens] = []
    var endedCodes: [AgentCode] = []
    /// With a stranger's approval.
    var strangersTokens: [AgentTokens] = []

    mutating func endSessions() {
        endedTokens += tokens
        tokens = []
        endCode()
    }

    mutating func endCode() {
        endedCodes += [code].compactMap(\.self)
        code = nil
    }
}
