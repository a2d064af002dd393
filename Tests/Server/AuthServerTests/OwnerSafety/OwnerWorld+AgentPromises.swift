import GatehouseWire
import HTTPTypes
import TestSupport

// What agents must not have after a sequence.
extension OwnerWorld {
    mutating func checkAgents(_ user: String) async throws {
        guard let actors else { return }
        try await checkGrants(user, actors)
        for tokens in access.tokens { try await checkTokens(tokens, user, actors) }
        try await checkEnded(actors)
        for tokens in access.strangersTokens {
            let seen = try await call("stranger", .get, "/oauth/userinfo", bearer: tokens.access)
            if seen["sub"]?.stringValue == user { throw broken("a stranger's agent reads the owner's account") }
        }
    }

    private mutating func checkGrants(_ user: String, _ actors: AgentActors) async throws {
        let answer = try await server.admin(.get, "/users/\(user)/oauth/grants")
        guard let grants = answer.json.arrayValue else { throw Unexpected(answer: answer) }
        for grant in grants {
            let rights = AgentRights(
                scopes: Set((grant["scopes"]?.arrayValue ?? []).compactMap(\.stringValue)),
                resources: Set((grant["resources"]?.arrayValue ?? []).compactMap(\.stringValue)))
            guard grant["client"]?["id"]?.stringValue == actors.agent.id, let approved = access.approved,
                approved.covers(rights)
            else { throw broken("a grant that the owner did not approve: \(grant)") }
        }
    }

    private mutating func checkTokens(_ tokens: AgentTokens, _ user: String, _ actors: AgentActors) async throws {
        let opened = try await call("agent", .get, "/user", bearer: tokens.access)
        guard opened.status >= 400 else { throw broken("an agent's token opens the account: \(opened)") }
        let claims = try await call("agent", .get, "/oauth/userinfo", bearer: tokens.access)
        if claims.status == 200 {
            guard claims["sub"]?.stringValue == user else { throw broken("an agent reads another account: \(claims)") }
            for (scope, name) in [("email", "email"), ("phone", "phone_number"), ("profile", "updated_at")]
            where claims[name] != nil && !tokens.approved.scopes.contains(scope) {
                throw broken("an agent reads \(name) without \(scope): \(claims)")
            }
        }
        let answer = try await token("agent", actors.agent, secret: actors.agent.secret, Self.refreshing(tokens))
        if let next = AgentTokens(answer, approved: tokens.approved) { try checkRights(of: next) }
    }

    private mutating func checkEnded(_ actors: AgentActors) async throws {
        let agent = actors.agent
        for tokens in access.endedTokens {
            let claims = try await call("agent", .get, "/oauth/userinfo", bearer: tokens.access)
            guard claims.status == 401 else { throw broken("an access token survived its agent's end: \(claims)") }
            let answer = try await token("agent", agent, secret: agent.secret, Self.refreshing(tokens))
            guard answer.status == 400 else { throw broken("a session survived its agent's end: \(answer)") }
        }
    }

    /// Before they expire.
    mutating func checkEndedCodes(_ actors: AgentActors) async throws {
        let agent = actors.agent
        for code in access.endedCodes {
            let answer = try await token("agent", agent, secret: agent.secret, Self.redemption(code.text))
            guard answer.status == 400 else { throw broken("a code survived its agent's end: \(answer)") }
        }
    }
}
