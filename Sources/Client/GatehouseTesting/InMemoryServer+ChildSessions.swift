import Foundation
import Gatehouse
import GatehouseWire

struct InMemoryChild: Sendable {
    let parent: Int
    /// The refresh token for the receiver.
    let transfer: String
    var isTaken = false
}

extension InMemoryServer {
    /// As the server's, without its limits of time and requests.
    mutating func openChild(
        of caller: Caller, _ request: InMemoryRequest, at now: Date
    ) throws(AuthClientError) -> Opened {
        let name = request.text("name")
        let kind = ChildSessionKind(rawValue: request.text("kind"))
        let lifetime = request.body["lifetime"]?.intValue
        guard !name.isEmpty, name.utf8.count <= 100, ChildSessionKind.all.contains(kind),
            lifetime.map({ (60...31_536_000).contains($0) }) ?? true
        else { throw Fault.refused(400, .validationFailed) }
        guard children.count(where: { $0.value.parent == caller.id && sessions[$0.key] != nil }) < 10 else {
            throw Fault.refused(422, .tooManyChildSessions)
        }
        guard keys[caller.id] != nil || refreshes[request.text("refresh_token")] == caller.id else {
            throw Fault.refused(400, .validationFailed)
        }
        // The request's proof is of the parent's key.
        presented = nil
        let opened = try open(caller.user, by: openers[caller.id], at: now)
        children[opened.id] = InMemoryChild(parent: caller.id, transfer: opened.session.refreshToken)
        protection.raised[opened.id] = protection.raised[caller.id]
        devices[opened.id]?.parentID = Fixtures.id(caller.id)
        devices[opened.id]?.kind = kind
        devices[opened.id]?.name = name
        devices[opened.id]?.refreshedAt = nil
        return opened
    }

    /// Children end with their parent.
    mutating func endOrphans() {
        for (id, child) in children where sessions[id] != nil && sessions[child.parent] == nil {
            (sessions[id], ends[id]) = (nil, .parentEnded)
        }
    }

    /// - Throws: `child_session` for a change of the account.
    func refuseChild(_ request: InMemoryRequest) throws(AuthClientError) {
        guard let caller = callers[request.bearer], children[caller.id] != nil, sessions[caller.id] != nil else {
            return
        }
        let isAllowed =
            request.isGateway
            ? request.method != "DELETE"
            : request.method == "GET" && request.path == ["user"]
                || request.method == "DELETE" && request.path.first == "sessions"
                    && request.id == Fixtures.id(caller.id)
                || request.path == ["token"] || request.path == ["logout"] && request.query["scope"] == "local"
        if !isAllowed { throw Fault.refused(403, .childSession) }
    }

    /// - Throws: `refresh_token_already_used` for a transfer's second use, which ends the child unless it is bound to a
    ///   key.
    mutating func take(_ refreshToken: String) throws(AuthClientError) {
        guard let id = refreshes[refreshToken], let child = children[id], child.transfer == refreshToken,
            sessions[id] != nil
        else { return }
        if child.isTaken, keys[id] == nil {
            (sessions[id], ends[id]) = (nil, .refreshTokenReused)
            throw Fault.refused(400, .refreshTokenAlreadyUsed, sessionEnd: .refreshTokenReused)
        }
        children[id]?.isTaken = true
    }
}
