import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

// An extension; Supabase Auth responds with 404.
extension UserHandlers {
    /// Newest sign-in first.
    @Sendable func listSessions(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        let sessions = try await accounts.sessions.sessions(of: caller.user.id, at: runtime.now())
        return Answer.json { writer in
            writer.beginObject()
            writer.list("sessions", sessions) { writer, found in
                let session = found.session
                writer.sessionInfo(
                    id: session.id.text, createdAt: session.createdAt, refreshedAt: session.refreshedAt,
                    userAgent: found.device.userAgent, ipAddress: found.device.address,
                    isCurrent: session.id == caller.session?.id, isBound: session.keyThumbprint != nil,
                    oauthClient: session.client.map { ($0.publicID, $0.name) }, child: session.child?.members)
            }
            writer.endObject()
        }
    }

    /// With the link of a notice of a new device, which its owner does not recognize.
    @Sendable func reportDevice(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        guard let token = try body.secret("token_hash"), token.reveal().utf8.count == 2 * MintedToken.linkBytes else {
            throw Refusal.linkUnknown
        }
        guard let email = EmailAddress(try body.string("email") ?? "") else {
            throw Refusal.invalid("email must be an email address")
        }
        let report = try await accounts.mails.reportDevice(
            token, email: email, from: try callers.device(request, context), at: runtime.now())
        guard let report else { throw Refusal.linkUnknown }
        return Answer.json { writer in
            writer.beginObject()
            writer.member("ended_sessions", Int64(report.endedSessions))
            writer.member("password_set_aside", report.setsPasswordAside)
            writer.endObject()
        }
    }

    /// A session without the user's second factor ends none that had it.
    @Sendable func endSession(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request, admitsChild: true)
        guard let id = context.parameters.get("session_id").flatMap({ SessionID($0) }) else {
            throw Refusal.invalid("session_id must be a UUID")
        }
        guard id == caller.session?.id || caller.session?.child == nil else { throw Refusal.childSession }
        let user = caller.user
        let hasEnded = try await accounts.sessions.endSession(
            id, of: user.id, name: user.name, by: caller.session?.id, level: caller.level,
            from: try callers.device(request, context), at: runtime.now())
        guard hasEnded else {
            if caller.isTooLow, try await accounts.current(user.id, session: id)?.session != nil {
                throw Refusal.sessionIsHigher
            }
            // Not `session_not_found`, which clients take for the end of the current session.
            throw Refusal(.notFound, .notFound, "Session not found")
        }
        return Answer.empty(.noContent)
    }
}

extension Refusal {
    fileprivate static let sessionIsHigher = Refusal(
        .forbidden, .insufficientAAL, "AAL2 session is required to end a session with a second factor.")
}
