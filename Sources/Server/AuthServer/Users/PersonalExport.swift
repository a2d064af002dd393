import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

extension UserHandlers {
    /// An extension: everything stored about the caller, newest first, at most 100 sessions and 1,000 entries and
    /// mails. The policy may ask for a fresh sign-in.
    @Sendable func exportUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        try callers.require(.downloadData, by: caller)
        try callers.requireKey(of: caller, request)
        let now = runtime.now()
        let record = try await accounts.personalRecords.record(of: caller.user.id, at: now)
        return Answer.json(capacity: 16_384) { writer in
            writer.beginObject()
            writer.member("exported_at", now)
            writer.name("user")
            writer.user(caller.account)
            writer.list("sessions", record.sessions) { writer, found in
                writer.sessionInfo(
                    id: found.session.id.text, createdAt: found.session.createdAt,
                    refreshedAt: found.session.refreshedAt, userAgent: found.device.userAgent,
                    ipAddress: found.device.address, isCurrent: found.session.id == caller.session?.id,
                    isBound: found.session.keyThumbprint != nil,
                    oauthClient: found.session.client.map { ($0.publicID, $0.name) },
                    child: found.session.child?.members)
            }
            writer.list("audit_log", record.audit) { $0.exported($1) }
            writer.list("mails", record.mails) { $0.exported($1) }
            writer.list("passkeys", record.passkeys) { $0.passkey($1) }
            writer.list("oauth_grants", record.grants) { $0.grant($1) }
            writer.endObject()
        }.unstored
    }
}

extension JSONWriter {
    fileprivate mutating func exported(_ entry: RecordedAuditEntry) {
        beginObject()
        member("action", entry.action)
        member("actor_name", entry.actorName)
        member("ip_address", ifPresent: entry.address.isEmpty ? nil : entry.address)
        member("traits", json: entry.traits)
        member("created_at", entry.createdAt)
        endObject()
    }

    fileprivate mutating func exported(_ mail: MailStatus) {
        beginObject()
        member("kind", mail.kind)
        member("state", mail.state)
        member("created_at", mail.createdAt)
        member("ended_at", ifPresent: mail.endedAt)
        endObject()
    }
}
