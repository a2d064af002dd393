import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport

// What agents do, and others with an agent's secrets. Their dice are their own: the other acts of a sequence stay.
extension OwnerWorld {
    mutating func stepOfAgents() async throws {
        guard let actors else { return }
        let acts: [(inout OwnerWorld) async throws -> Void] = [
            { try await $0.ownerApproves(actors) }, { try await $0.agentRefreshes(actors) },
            { try await $0.strangersAgentAsks(actors) }, { try await $0.strangersDeviceAsks(actors) },
            { try await $0.thiefOfAgentsCode(actors) }, { try await $0.thiefOfAgentsTokens(actors) },
            { try await $0.ownerRevokesAgent(actors) }, { try await $0.ownerSignsOutEverywhere(actors) },
        ]
        try await agentDice.pick(acts)(&self)
    }

    /// With the second factor, if the owner has one.
    private mutating func agentsApprover() async throws -> TestSession? {
        guard !devices.isEmpty else { return nil }
        let index = agentDice.roll(devices.count)
        guard app != nil else { return devices[index].session }
        guard let raised = try await raise("owner", devices[index].session).flatMap(TestSession.init) else {
            return nil
        }
        devices[index].session = raised
        return raised
    }

    /// Returns the request's id.
    private mutating func ask(_ person: String, _ client: AgentActor, _ asked: AgentRights) async throws -> String {
        let answer = try await call(
            person, "/oauth/authorize",
            [
                "client_id": .string(client.id), "redirect_uri": .string(AgentActors.redirect),
                "response_type": "code", "scope": .string(asked.scopes.sorted().joined(separator: " ")),
                "resource": .array(asked.resources.sorted().map(AuthJSON.string)),
                "code_challenge": .string(AgentActors.challenge), "code_challenge_method": "S256",
            ])
        guard let id = Self.value("authorization_id", in: answer.headers[.location]) else {
            throw Unexpected(answer: answer)
        }
        return id
    }

    static func value(_ name: String, in url: String?) -> String? {
        (url ?? "").split { $0 == "?" || $0 == "&" }.first { $0.hasPrefix(name + "=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    /// Returns the code, unless the session may not approve.
    private mutating func approve(_ person: String, _ id: String, _ session: TestSession) async throws -> String? {
        let path = "/oauth/authorizations/" + id
        var answer = try await call(person, .get, path, bearer: session.accessToken)
        // An earlier consent may cover the request.
        if answer.status == 200, answer["redirect_url"] == nil {
            answer = try await call(person, path + "/consent", bearer: session.accessToken, ["action": "approve"])
        }
        return Self.value("code", in: answer["redirect_url"]?.stringValue)
    }

    mutating func token(
        _ person: String, _ client: AgentActor, secret: String?, _ fields: AuthJSONObject
    ) async throws -> TestAnswer {
        var fields = fields
        fields["client_id"] = .string(client.id)
        fields["client_secret"] = secret.map(AuthJSON.string)
        return try await call(person, "/oauth/token", .object(fields))
    }

    static func redemption(_ code: String, verifier: String = AgentActors.verifier) -> AuthJSONObject {
        ["grant_type": "authorization_code", "code": .string(code), "code_verifier": .string(verifier)]
    }

    static func refreshing(_ tokens: AgentTokens) -> AuthJSONObject {
        ["grant_type": "refresh_token", "refresh_token": .string(tokens.refresh)]
    }

    func checkRights(of tokens: AgentTokens) throws {
        guard let rights = tokens.rights, tokens.approved.covers(rights) else {
            throw broken("an agent has more than the owner approved: \(String(describing: tokens.rights))")
        }
    }

    // The owner and the agent.

    mutating func ownerApproves(_ actors: AgentActors) async throws {
        guard let session = try await agentsApprover() else { return }
        let asked = AgentRights(
            scopes: Set(AgentActors.scopes.filter { _ in agentDice.roll(2) == 0 } + ["openid"]),
            resources: Set(AgentActors.resources.filter { _ in agentDice.roll(2) == 0 }))
        let id = try await ask("agent", actors.agent, asked)
        guard let text = try await approve("owner", id, session) else { return }
        access.approved = access.approved ?? AgentRights()
        access.approved?.formUnion(asked)
        let code = AgentCode(text: text, approved: asked)
        // Otherwise the code waits for its thief.
        guard agentDice.roll(3) > 0 else {
            access.code = code
            return
        }
        let answer = try await token("agent", actors.agent, secret: actors.agent.secret, Self.redemption(text))
        guard let tokens = AgentTokens(answer, approved: asked) else { throw broken("an approved agent: \(answer)") }
        try checkRights(of: tokens)
        access.tokens.append(tokens)
    }

    private mutating func agentRefreshes(_ actors: AgentActors) async throws {
        guard !access.tokens.isEmpty else { return }
        let index = agentDice.roll(access.tokens.count)
        let before = access.tokens[index]
        var fields = Self.refreshing(before)
        switch agentDice.roll(3) {
        case 0: fields["scope"] = .string((AgentActors.scopes + ["openid", "phone"]).joined(separator: " "))
        case 1: fields["resource"] = .array(AgentActors.resources.map(AuthJSON.string))
        default: break
        }
        let answer = try await token("agent", actors.agent, secret: actors.agent.secret, fields)
        guard let tokens = AgentTokens(answer, approved: before.approved) else { return }
        try checkRights(of: tokens)
        access.tokens[index] = tokens
    }

    private mutating func ownerRevokesAgent(_ actors: AgentActors) async throws {
        guard access.approved != nil, let session = try await agentsApprover() else { return }
        let answer = try await call(
            "owner", .delete, "/user/oauth/grants?client_id=" + actors.agent.id, bearer: session.accessToken)
        guard answer.status == 204 else { return }
        access.approved = nil
        access.endSessions()
        try await checkEndedCodes(actors)
    }

    private mutating func ownerSignsOutEverywhere(_ actors: AgentActors) async throws {
        guard let session = try await agentsApprover() else { return }
        let keeps = agentDice.roll(3) == 0
        let answer = try await call(
            "owner", "/logout?scope=global" + (keeps ? "&keep_clients=true" : ""), bearer: session.accessToken)
        guard answer.status == 204 else { return }
        devices = []
        if keeps { access.endCode() } else { access.endSessions() }
        try await checkEndedCodes(actors)
    }

    // Strangers.

    private static let everything = AgentRights(
        scopes: Set(AgentActors.scopes + ["openid", "phone"]), resources: Set(AgentActors.resources))

    /// The owner sees the request, and perhaps denies it.
    private mutating func strangersAgentAsks(_ actors: AgentActors) async throws {
        let id = try await ask("stranger", actors.strangers, Self.everything)
        _ = try await call("stranger", "/oauth/authorizations/\(id)/consent", ["action": "approve"])
        try await ownerSees("/oauth/authorizations/" + id)
        try await strangerApproves(id, actors)
        let answer = try await token(
            "stranger", actors.strangers, secret: nil, Self.redemption(agentDice.roll(2) == 0 ? id : "made-up"))
        guard answer.status >= 400 else { throw broken("a stranger's request led to a grant: \(answer)") }
    }

    private mutating func strangersDeviceAsks(_ actors: AgentActors) async throws {
        let asked = try await call(
            "stranger", "/oauth/device_authorization",
            [
                "client_id": .string(actors.strangers.id),
                "scope": .string(Self.everything.scopes.sorted().joined(separator: " ")),
            ])
        guard let code = asked["device_code"], let shown = asked["user_code"]?.stringValue else {
            throw Unexpected(answer: asked)
        }
        try await ownerSees("/oauth/device?user_code=" + shown)
        let answer = try await token(
            "stranger", actors.strangers, secret: nil,
            ["grant_type": .string(AgentActors.deviceGrant), "device_code": code])
        guard answer.status >= 400 else { throw broken("a stranger's request led to a grant: \(answer)") }
    }

    private mutating func ownerSees(_ path: String) async throws {
        guard agentDice.roll(3) > 0, let session = try await agentsApprover() else { return }
        let seen = try await call("owner", .get, path, bearer: session.accessToken)
        guard agentDice.roll(2) == 0, let id = seen["authorization_id"]?.stringValue else { return }
        let report = agentDice.roll(2) == 0
        _ = try await call(
            "owner", "/oauth/authorizations/\(id)/consent", bearer: session.accessToken,
            ["action": "deny", "report": .bool(report)])
    }

    /// With an account of the stranger's: what the owner has looked at, and another request.
    private mutating func strangerApproves(_ seen: String, _ actors: AgentActors) async throws {
        guard let session = strangersSessions.last else { return }
        if let code = try await approve("stranger", seen, session) {
            try await strangerRedeems(code, actors)
        }
        let own = try await ask("stranger", actors.strangers, Self.everything)
        if let code = try await approve("stranger", own, session) { try await strangerRedeems(code, actors) }
    }

    private mutating func strangerRedeems(_ code: String, _ actors: AgentActors) async throws {
        let answer = try await token("stranger", actors.strangers, secret: nil, Self.redemption(code))
        access.strangersTokens += [AgentTokens(answer, approved: Self.everything)].compactMap(\.self)
    }

    // Thieves.

    /// Has a code without its verifier, or without the client's secret.
    private mutating func thiefOfAgentsCode(_ actors: AgentActors) async throws {
        guard let code = access.code else { return }
        let (agent, rival) = (actors.agent, actors.rival)
        let guessed = Self.redemption(code.text, verifier: AgentActors.thiefsVerifier)
        let tries = [
            (agent, agent.secret, guessed), (agent, rival.secret, Self.redemption(code.text)),
            (agent, nil, Self.redemption(code.text)), (rival, rival.secret, Self.redemption(code.text)),
        ]
        for (client, secret, fields) in tries {
            let answer = try await token("thief", client, secret: secret, fields)
            guard answer.status >= 400 else { throw broken("a thief redeemed an agent's code: \(answer)") }
        }
        let answer = try await token("agent", agent, secret: agent.secret, Self.redemption(code.text))
        access.code = nil
        // It may have expired.
        guard let tokens = AgentTokens(answer, approved: code.approved) else { return }
        try checkRights(of: tokens)
        access.tokens.append(tokens)
    }

    /// Has both tokens, without the client's secret.
    private mutating func thiefOfAgentsTokens(_ actors: AgentActors) async throws {
        guard let tokens = access.tokens.last else { return }
        let (agent, rival) = (actors.agent, actors.rival)
        for (client, secret) in [(agent, rival.secret), (agent, nil), (rival, rival.secret)] {
            let answer = try await token("thief", client, secret: secret, Self.refreshing(tokens))
            guard answer.status >= 400 else { throw broken("a thief refreshed an agent's session: \(answer)") }
        }
        let answer = try await refresh("thief", tokens.refresh)
        guard answer.status >= 400 else { throw broken("an agent's token opened a session of the owner's: \(answer)") }
        let changes: [(HTTPRequest.Method, String, AuthJSON?)] = [
            (.get, "/user", nil), (.put, "/user", ["password": "the agent's password 1"]),
            (.post, "/logout?scope=global", nil), (.get, "/user/export", nil),
            (.delete, "/factors/\(app?.factor ?? "")", nil),
            (.delete, "/user/oauth/grants?client_id=" + agent.id, nil),
        ]
        for (method, path, json) in changes {
            let answer = try await call("thief", method, path, bearer: tokens.access, json)
            guard answer.status >= 400 else { throw broken("an agent's token reached \(path): \(answer)") }
        }
    }
}
