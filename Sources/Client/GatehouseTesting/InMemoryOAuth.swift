import Foundation
import Gatehouse
import GatehouseWire

struct InMemoryAuthorization: Sendable {
    let id: OAuthAuthorizationID
    let client: OAuthAuthorizationClient
    let scope: String
    let resources: [String]
    let expected: OAuthExpectedAccount?
    /// nil for a redirect.
    let userCode: OAuthUserCode?
    let requestedAt: Date
    /// Who looked first.
    var owner: UUID?
    /// nil while the user decides.
    var isApproved: Bool?
    var isUsed = false

    static let lifetime: TimeInterval = 600

    func isExpired(at now: Date) -> Bool { now >= requestedAt + Self.lifetime }
    var scopes: [String] { scope.split(ascii: " ").map(String.init) }
}

struct InMemoryGrant: Sendable {
    let owner: UUID
    var grant: OAuthGrant
}

extension InMemoryOAuth {
    mutating func oauth(
        _ request: InMemoryRequest, _ call: Call?, of caller: Caller, at now: Date
    ) throws(AuthClientError) -> HTTPReply {
        guard settings.hasOAuthServer == true else { throw Fault.refused(404, .featureDisabled) }
        switch call {
        case .authorization: return try look(request, caller, at: now)
        case .decideAuthorization: return try decide(request, caller, at: now)
        case .releaseAuthorization: try release(request, caller, at: now)
        case .pendingAuthorizations: return .json(["authorizations": .array(pending(of: caller, at: now))])
        case .revokeGrant: try revokeGrant(of: request.query["client_id"] ?? "", caller)
        default: return .json(.array(server.grants.filter { $0.owner == caller.user }.reversed().map(\.grant.json)))
        }
        return HTTPReply(status: 204)
    }

    private mutating func look(
        _ request: InMemoryRequest, _ caller: Caller, at now: Date
    ) throws(AuthClientError) -> HTTPReply {
        let code = request.query["user_code"].flatMap(OAuthUserCode.init)
        let found = server.authorizations.firstIndex { known in
            code != nil ? known.userCode == code : known.id == OAuthAuthorizationID(request.path.last ?? "")
        }
        guard let found, !server.authorizations[found].isExpired(at: now),
            (server.authorizations[found].owner ?? caller.user) == caller.user
        else { throw Fault.unknownAuthorization }
        try server.factors.requireLevel(caller.id)
        server.authorizations[found].owner = caller.user
        let known = server.authorizations[found]
        guard known.isApproved != false, !known.isUsed else { throw Fault.refused(400, .validationFailed) }
        if known.isApproved == true { return answer(known) }
        if known.userCode == nil, hasGranted(known, caller.user), otherAccount(known) == nil {
            approve(found, at: now)
            return answer(known)
        }
        return .json(json(of: known))
    }

    private func hasGranted(_ asked: InMemoryAuthorization, _ user: UUID) -> Bool {
        server.grants.contains { known in
            known.owner == user && known.grant.client.id == asked.client.id
                && asked.scopes.allSatisfy { known.grant.scopes.contains($0) }
        }
    }

    /// The expected account, if it is not the owner's.
    private func otherAccount(_ known: InMemoryAuthorization) -> OAuthExpectedAccount? {
        guard let expected = known.expected, let owner = known.owner, let user = server.account(owner)?.user else {
            return nil
        }
        let name = expected.name?.lowercased()
        if let name, name == user.email || name == user.phone { return nil }
        return OAuthExpectedAccount(name: name, isRequired: expected.isRequired)
    }

    private mutating func release(_ request: InMemoryRequest, _ caller: Caller, at now: Date) throws(AuthClientError) {
        let id = request.path.lazy.compactMap { OAuthAuthorizationID($0) }.first
        let found = server.authorizations.firstIndex { known in
            known.id == id && known.owner == caller.user && known.isApproved == nil && known.userCode == nil
                && !known.isExpired(at: now)
        }
        guard let found else { throw Fault.unknownAuthorization }
        server.authorizations[found].owner = nil
    }

    private mutating func decide(
        _ request: InMemoryRequest, _ caller: Caller, at now: Date
    ) throws(AuthClientError) -> HTTPReply {
        let id = request.path.lazy.compactMap { OAuthAuthorizationID($0) }.first
        let found = server.authorizations.firstIndex {
            $0.id == id && $0.owner == caller.user && !$0.isExpired(at: now)
        }
        guard let found else { throw Fault.unknownAuthorization }
        let approves = request.text("action") == "approve"
        let known = server.authorizations[found]
        guard approves || request.text("action") == "deny", (known.isApproved ?? approves) == approves,
            !known.isUsed || known.userCode != nil
        else { throw Fault.refused(400, .validationFailed) }
        if approves {
            try server.factors.requireLevel(caller.id)
            if otherAccount(known)?.isRequired == true { throw Fault.unknownAuthorization }
            if known.isApproved == nil { approve(found, at: now) }
        } else if known.isApproved == nil {
            server.authorizations[found].isApproved = false
            if request.body["report"]?.boolValue == true { server.reportedClients.append(known.client.id) }
        }
        return answer(server.authorizations[found])
    }

    private mutating func approve(_ index: Int, at now: Date) {
        server.authorizations[index].isApproved = true
        let known = server.authorizations[index]
        guard let owner = known.owner else { return }
        let old = server.grants.firstIndex { $0.owner == owner && $0.grant.client.id == known.client.id }
        let before = old.map { server.grants.remove(at: $0).grant }
        let added = known.scopes.filter { before?.scopes.contains($0) != true }
        var grant = OAuthGrant(
            client: known.client, scopes: (before?.scopes ?? []) + added, grantedAt: now,
            lastUsedAt: before?.lastUsedAt)
        grant.resources = known.resources
        server.grants.append(InMemoryGrant(owner: owner, grant: grant))
    }

    private func answer(_ known: InMemoryAuthorization) -> HTTPReply {
        let isApproved = known.isApproved != false
        guard known.userCode == nil else {
            return .json(["flow": "device", "status": isApproved ? "approved" : "denied"])
        }
        let decision = isApproved ? "code=code-of-\(known.id)" : "error=access_denied"
        let url = Self.callback + "?" + decision + "&state=state&iss=https%3A%2F%2Faccounts.example.com%2Fauth%2Fv1"
        return .json(["redirect_url": .string(url)])
    }

    private func pending(of caller: Caller, at now: Date) -> [AuthJSON] {
        server.authorizations.filter { $0.owner == caller.user && $0.isApproved == nil && !$0.isExpired(at: now) }
            .suffix(20).reversed().map(json)
    }

    private mutating func revokeGrant(of client: String, _ caller: Caller) throws(AuthClientError) {
        let isMine = { (known: InMemoryGrant) in known.owner == caller.user && known.grant.client.id == client }
        guard server.grants.contains(where: isMine) else { throw Fault.refused(404, .oauthConsentNotFound) }
        server.grants.removeAll(where: isMine)
        let devices = server.devices
        end(.signedOut) { $0.value == caller.user && devices[$0.key]?.oauthClient?.id == client }
    }

    /// The client takes its tokens, once.
    ///
    /// - Returns: Whether it has access.
    mutating func redeem(_ id: OAuthAuthorizationID, at now: Date) -> Bool {
        let found = server.authorizations.firstIndex { $0.id == id && $0.isApproved == true && !$0.isUsed }
        guard let found, let owner = server.authorizations[found].owner else { return false }
        let client = server.authorizations[found].client
        server.authorizations[found].isUsed = true
        let number = number()
        var session = SessionInfo(id: Fixtures.id(number), createdAt: now)
        session.oauthClient = OAuthSessionClient(id: client.id, name: client.name)
        (server.sessions[number], server.devices[number]) = (owner, session)
        for index in server.grants.indices
        where server.grants[index].owner == owner && server.grants[index].grant.client.id == client.id {
            server.grants[index].grant.lastUsedAt = now
        }
        return true
    }

    private static let callback = "https://agent.example/callback"

    private func json(of known: InMemoryAuthorization) -> AuthJSON {
        let user = known.owner.flatMap { account($0)?.user }
        var members: AuthJSONObject = [
            "authorization_id": .string(known.id.text),
            "redirect_uri": .string(known.userCode == nil ? Self.callback : ""),
            "client": known.client.json,
            "user": ["id": .string(known.owner?.wire ?? ""), "email": .string(user?.email ?? "")],
            "scope": .string(known.scope), "scopes": OAuthScope.details(of: known.scopes),
            "resources": .array(known.resources.map(AuthJSON.string)),
            "flow": known.userCode == nil ? "redirect" : "device",
            "requested_at": .string(known.requestedAt.wire),
            "expires_at": .string((known.requestedAt + InMemoryAuthorization.lifetime).wire),
            "requester": ["ip": "203.0.113.5", "user_agent": .string(Fixtures.browserUserAgent)],
        ]
        if let expected = otherAccount(known) {
            members["expected_account"] = .string(expected.name ?? "")
            if expected.isRequired { members["needs_other_account"] = true }
        }
        return .object(members)
    }
}

extension InMemoryServer.Fault {
    static let unknownAuthorization = refused(404, .oauthAuthorizationNotFound)
}

extension OAuthAuthorizationClient {
    var json: AuthJSON {
        var members: AuthJSONObject = [
            "id": .string(id), "name": .string(name), "verified": .bool(isVerified),
        ]
        members["uri"] = uri.map(AuthJSON.string)
        members["logo_uri"] = logoURI.map(AuthJSON.string)
        members["registration_type"] = registrationType.map { .string($0.rawValue) }
        members["host"] = host.map(AuthJSON.string)
        members["created_at"] = createdAt.map { .string($0.wire) }
        return .object(members)
    }
}

extension OAuthScope {
    fileprivate static func details(of names: [String]) -> AuthJSON {
        .array(
            names.map { name in
                var scope: AuthJSONObject = ["name": .string(name)]
                scope["description"] = Fixtures.scopes[name].map(AuthJSON.string)
                return .object(scope)
            })
    }
}

extension OAuthGrant {
    var json: AuthJSON {
        var members: AuthJSONObject = [
            "client": client.json, "scopes": .array(scopes.map(AuthJSON.string)),
            "scope_details": OAuthScope.details(of: scopes),
            "granted_at": .string(grantedAt.wire), "resources": .array(resources.map(AuthJSON.string)),
        ]
        members["last_used_at"] = lastUsedAt.map { .string($0.wire) }
        return .object(members)
    }
}
