package import AccountDomain
import AccountStore
package import GatehouseWire
import HTTPServing
import Hummingbird

extension AdminHandlers {
    /// At most 100 active sessions, newest sign-in first; at most `limit` ended ones (1 to 100, default 20), newest end
    /// first, for deleted users as well.
    @Sendable func listUserSessions(_ request: Request, _ context: ServerContext) async throws -> Response {
        let user = try userID(context)
        let limit = try Query(request).listLimit(or: 20)
        let now = runtime.now()
        let ended = try await accounts.sessions.endedSessions(of: user, limit: limit, at: now)
        if ended.isEmpty, try await accounts.admin.account(user) == nil { throw Refusal.unknownUser }
        let active = try await accounts.sessions.sessions(of: user, at: now)
        return Answer.json { writer in
            writer.beginObject()
            writer.list("sessions", active) { $0.sessionOnDevice($1) }
            writer.list("ended", ended) { $0.endedSession($1) }
            writer.endObject()
        }
    }

    @Sendable func endUserSessions(_ request: Request, _ context: ServerContext) async throws -> Response {
        let count = try await accounts.admin.endSessions(
            of: try userID(context), byAdministratorOn: try callers.device(request, context), at: runtime.now())
        guard let count else { throw Refusal.unknownUser }
        return Answer.json { writer in
            writer.beginObject()
            writer.member("ended", Int64(count))
            writer.endObject()
        }
    }

    @Sendable func endUserSession(_ request: Request, _ context: ServerContext) async throws -> Response {
        let user = try userID(context)
        guard let id = context.parameters.get("session_id").flatMap({ SessionID($0) }) else {
            throw Refusal(.notFound, .validationFailed, "session_id must be a UUID")
        }
        let hasEnded = try await accounts.admin.endSession(
            id, of: user, byAdministratorOn: try callers.device(request, context), at: runtime.now())
        guard let hasEnded else { throw Refusal.unknownUser }
        guard hasEnded else { throw Refusal(.notFound, .sessionNotFound, "Session not found") }
        return Answer.json(Array("{}".utf8))
    }
}

extension JSONWriter {
    mutating func sessionOnDevice(_ found: SessionOnDevice) {
        sessionInfo(
            id: found.session.id.text, createdAt: found.session.createdAt, refreshedAt: found.session.refreshedAt,
            userAgent: found.device.userAgent, ipAddress: found.device.address, isCurrent: false,
            isBound: found.session.keyThumbprint != nil,
            oauthClient: found.session.client.map { ($0.publicID, $0.name) }, child: found.session.child?.members)
    }

    /// `gatehouse why` prints the same members.
    package mutating func endedSession(_ session: EndedSession) {
        beginObject()
        member("id", session.id.text)
        member("created_at", session.beganAt)
        member("refreshed_at", ifPresent: session.refreshedAt)
        member("ended_at", session.endedAt)
        member("user_agent", ifPresent: session.device.userAgent)
        member("ip", ifPresent: session.device.address)
        member("parent_id", ifPresent: session.child?.parent.text)
        member("kind", ifPresent: session.child?.kind.rawValue)
        member("reason", session.reason.rawValue)
        member("actor", session.actor.rawValue)
        member("story", session.story)
        member("advice", session.advice)
        member("request_id", ifPresent: session.endedBy?.requestID)
        member("by_user_agent", ifPresent: session.endedBy?.userAgent)
        member("by_ip", ifPresent: session.endedBy?.address)
        endObject()
    }
}
