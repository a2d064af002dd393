import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

// An extension to the Auth API: the list of the user's sessions. Supabase Auth answers 404 here.
extension AuthServer {
    /// `GET /sessions` → `{"sessions":[{"id","created_at","refreshed_at","user_agent","ip","is_current"}]}`, newest
    /// sign-in first.
    @Sendable func listSessions(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await userCaller(request)
        let sessions = try await accounts.sessions(of: caller.user.id, at: runtime.now())
        return Answer.json { writer in
            writer.beginObject()
            writer.name("sessions")
            writer.beginArray()
            for found in sessions { writer.session(found, isCurrent: found.session.id == caller.session?.id) }
            writer.endArray()
            writer.endObject()
        }
    }

    /// `DELETE /sessions/{session_id}` → 204. Ends the session.
    @Sendable func endSession(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await userCaller(request)
        guard let id = context.parameters.get("session_id").flatMap({ SessionID($0) }) else {
            throw Refusal.invalid("session_id must be a UUID")
        }
        let user = caller.user
        guard try await accounts.endSession(id, of: user.id, name: user.email ?? "", at: runtime.now()) else {
            // Not `session_not_found`, which clients read as the end of their own session.
            throw Refusal(.notFound, .notFound, "Session not found")
        }
        return Answer.empty(.noContent)
    }
}

extension JSONWriter {
    fileprivate mutating func session(_ found: SessionOnDevice, isCurrent: Bool) {
        beginObject()
        member("id", found.session.id.text)
        member("created_at", found.session.createdAt)
        if let refreshedAt = found.session.refreshedAt { member("refreshed_at", refreshedAt) }
        if let userAgent = found.device.userAgent { member("user_agent", userAgent) }
        if let address = found.device.address { member("ip", address) }
        member("is_current", isCurrent)
        endObject()
    }
}
