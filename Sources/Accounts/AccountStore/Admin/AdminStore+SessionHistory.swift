import AccountDomain
import GatehouseWire
import SQLDatabase

struct SessionHistory {
    /// As in ``SessionStore/sessions(of:at:)``.
    var active: [SessionOnDevice] = []
    /// As in ``SessionStore/endedSessions(of:limit:at:)``.
    var ended: [EndedSession] = []
}

extension AdminStore {
    /// One statement.
    func sessionHistory(
        of user: UserID, limit: Int, at now: Instant, in db: any Connection
    ) throws -> SessionHistory {
        let limit = min(max(1, limit), SessionStore.mostEndedSessions)
        var history = SessionHistory()
        _ = try db.rows(Self.sessionHistoryLookup(user, limit: limit)) { row in
            let session = row.session()
            let device = Device(userAgent: row.textIfPresent(), address: row.textIfPresent())
            if let ended = row.recordOfEnd(session, device)
                ?? EndedSession(session, on: device, policy: policy, at: now)
            {
                history.ended.append(ended)
            } else {
                history.active.append(SessionOnDevice(session: session, device: device))
            }
        }
        history.endOrphans()
        history.active.sort { ($1.session.createdAt, $0.session.id.text) < ($0.session.createdAt, $1.session.id.text) }
        history.ended.sort { $0.endedAt > $1.endedAt }
        history.ended = Array(history.ended.prefix(limit))
        return history
    }

    static func sessionHistoryLookup(_ user: UserID, limit: Int) -> SQL {
        """
        SELECT active.*, NULL, NULL, NULL, NULL, NULL, NULL FROM (\(SessionStore.sessionsLookup(user))) AS active
        UNION ALL SELECT id, user_id, created_at, refreshed_at, 0, '', '[]', NULL, 0, NULL, NULL, NULL, NULL, NULL,
            parent_id, child, user_agent, ip, ended_at, reason, actor, request_id, by_agent, by_ip
        FROM (SELECT * FROM ended_sessions WHERE user_id = \(user) ORDER BY ended_at DESC LIMIT \(limit)) AS ended
        """
    }
}

extension SessionHistory {
    /// Moves active children of sessions that ended by policy to the ended ones.
    fileprivate mutating func endOrphans() {
        guard active.contains(where: { $0.session.child != nil }) else { return }
        let parents = Dictionary(ended.map { ($0.id, $0) }) { first, _ in first }
        func parent(_ found: SessionOnDevice) -> EndedSession? { found.session.child.flatMap { parents[$0.parent] } }
        ended += active.compactMap { found in
            parent(found).map { EndedSession(found.session, on: found.device, with: $0) }
        }
        active.removeAll { parent($0) != nil }
    }
}

extension Row {
    /// nil without a recorded end. A newer release's words read as unknown.
    fileprivate mutating func recordOfEnd(_ session: Session, _ device: Device) -> EndedSession? {
        guard let endedAt = instantIfPresent() else {
            skip(5)
            return nil
        }
        let reason = SessionEnd.Reason(text: text()) ?? .unknown
        let actor = SessionEnd.Actor(text: text()) ?? .unknown
        let requestID = textIfPresent()
        var endedBy = Device(userAgent: textIfPresent(), address: textIfPresent())
        endedBy.requestID = requestID
        let hasRequest = requestID != nil || endedBy.userAgent != nil || endedBy.address != nil
        var ended = EndedSession(
            id: session.id, device: device, beganAt: session.createdAt, refreshedAt: session.refreshedAt,
            endedAt: endedAt, reason: reason, actor: actor, endedBy: hasRequest ? endedBy : nil)
        ended.child = session.child
        return ended
    }
}
