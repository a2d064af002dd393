import GatehouseWire
import SQLDatabase
import TestSupport

// Faults of the OAuth server.
extension PlantedFault {
    /// The request in place of the caller's.
    func path(of path: String) -> String {
        self == .signOutKeepsAgent && path == "/logout?scope=global" ? path + "&keep_clients=true" : path
    }

    func beforeAgents(_ path: String, by person: String, in world: OwnerWorld) async throws {
        switch (self, path, person) {
        case (.codeNeedsNoVerifier, "/oauth/token", "thief"):
            try await replace(AgentActors.challenge, by: AgentActors.thiefsChallenge, in: world)
        case (.tokenIsAnyClients, "/oauth/token", "thief"): try await hand("sessions", to: \.rival, in: world)
        case (.revocationKeepsAgent, _, "owner") where path.hasPrefix("/user/oauth/grants"):
            try await hand("sessions", to: \.rival, in: world)
        case (.revocationKeepsCode, _, "owner") where path.hasPrefix("/user/oauth/grants"):
            try await hand("codes", to: \.rival, in: world)
        default: break
        }
    }

    func afterAgents(_ path: String, _ answer: TestAnswer, by person: String, in world: OwnerWorld) async throws {
        switch (self, path, person) {
        case (.codeNeedsNoVerifier, "/oauth/token", "thief"):
            try await replace(AgentActors.thiefsChallenge, by: AgentActors.challenge, in: world)
        case (.tokenIsAnyClients, "/oauth/token", "thief"): try await hand("sessions", to: \.agent, in: world)
        case (.revocationKeepsAgent, _, "owner") where path.hasPrefix("/user/oauth/grants"):
            try await hand("sessions", to: \.agent, in: world)
        case (.revocationKeepsCode, _, "owner") where path.hasPrefix("/user/oauth/grants"):
            try await hand("codes", to: \.agent, in: world)
        case (.approvalWidensScope, _, "owner") where path.hasSuffix("/consent") && answer.status == 200:
            try await replace(#""scope":""#, by: #""scope":"phone "#, in: world)
        case (.lookIsApproval, _, "owner") where path.hasPrefix("/oauth/authorizations/") && answer.status == 200:
            try await consentToStrangers(in: world)
        case (.denialSignsOut, _, "owner") where answer["redirect_url"]?.stringValue?.contains("access_denied") == true:
            try await run("DELETE FROM sessions WHERE user_id = \(world.user)", in: world)
        default: break
        }
    }

    private func run(_ statement: SQL, in world: OwnerWorld) async throws {
        try await world.server.database.write { db in _ = try db.run(statement) }
    }

    private func replace(_ text: String, by other: String, in world: OwnerWorld) async throws {
        try await run(
            """
            UPDATE oauth_authorizations SET request = replace(request, \(text), \(other))
            WHERE user_id = \(world.user)
            """, in: world)
    }

    /// Makes another client the owner of what the agent has of this user, or the agent again.
    private func hand(
        _ what: String, to client: KeyPath<AgentActors, AgentActor>, in world: OwnerWorld
    ) async throws {
        guard let actors = world.actors, let user = world.user else { return }
        let (to, both) = (actors[keyPath: client].id, [actors.agent.id, actors.rival.id])
        try await run(
            what == "sessions"
                ? """
                UPDATE sessions SET oauth_client_id = \(to)
                WHERE user_id = \(user) AND oauth_client_id IN (\(both[0]), \(both[1]))
                """
                : """
                UPDATE oauth_authorizations SET client_id = \(to)
                WHERE user_id = \(user) AND client_id IN (\(both[0]), \(both[1]))
                """, in: world)
    }

    private func consentToStrangers(in world: OwnerWorld) async throws {
        guard let actors = world.actors else { return }
        try await run(
            """
            INSERT INTO oauth_consents (user_id, client_id, scopes, resources, granted_at)
            SELECT user_id, client_id, 'openid', '[]', created_at FROM oauth_authorizations
            WHERE user_id = \(world.user) AND client_id = \(actors.strangers.id) LIMIT 1
            ON CONFLICT DO NOTHING
            """, in: world)
    }
}
