import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

// An extension: a session for a widget, an extension, a watch, another app or a television.
extension UserHandlers {
    /// Responds with the child's tokens, like a sign-in. Needs no recent sign-in, because a child cannot change the
    /// account; but the session's key, or without one an unspent refresh token: an app's servers also see the access
    /// token, which must not become a session.
    @Sendable func openChildSession(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        let body = try await request.jsonMembers(context)
        let new = try childSession(body)
        let bound = caller.session.flatMap { $0.keyThumbprint == nil ? nil : $0 }
        let parent = try bound ?? callers.requireRefreshToken(body, of: caller)
        try await runtime.take(Limits.childSession, of: parent.id.text)
        // Without the request's proof of a key, which is the parent's.
        var device = try callers.device(request, context)
        device.keyProof = nil
        let opening = try await server.tokens.issuing(to: device, by: accounts) { [device] in
            try await $0.sessions.openChild(
                new, of: parent.id, user: caller.user.id, level: caller.level, from: device, at: $1)
        }
        switch opening {
        case .opened(let issued): return try await server.tokens.answer(issued, to: device)
        case .tooMany:
            throw Refusal(
                .unprocessableContent, .tooManyChildSessions,
                "The session has \(ChildSession.mostOfParent) child sessions: end one first")
        case .isChild: throw Refusal.childSession
        case .gone: throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        case .sessionEnded: throw Refusal.sessionExpired
        }
    }

    private func childSession(_ body: JSONMembers) throws -> NewChildSession {
        let name = try body.string("name") ?? ""
        guard !name.isEmpty, name.utf8.count <= ChildSession.longestName else {
            throw Refusal.invalid("name must have 1 to \(ChildSession.longestName) bytes")
        }
        let kind = ChildSessionKind(rawValue: try body.string("kind") ?? "")
        guard ChildSessionKind.all.contains(kind) else {
            throw Refusal.invalid("kind must be widget, extension, watch, app or tv")
        }
        guard let seconds = try body.integer("lifetime") else {
            return NewChildSession(name: name, kind: kind, lifetime: nil)
        }
        guard ChildSession.lifetimes.contains(seconds) else {
            throw Refusal.invalid("lifetime must be 60 to 31536000 seconds")
        }
        return NewChildSession(name: name, kind: kind, lifetime: .seconds(seconds))
    }
}

extension ChildSession {
    /// Of a list of sessions.
    var members: (parent: String, kind: String, name: String) { (parent.text, kind.rawValue, name) }
}
