import AccountDomain
package import GatehouseWire
import SQLDatabase

extension Cleaning {
    /// How long a session stays after it ended by policy, in case a clock was wrong.
    private static let endedStay: Duration = .seconds(30 * 86_400)
    private static let pageSize = 250

    /// Deletes sessions that ended by policy more than 30 days ago, scanning from a random position; repeated calls
    /// reach all. Every refresh would have to update an index on them. Runs on one node at a time, in a transaction per
    /// page of 250.
    ///
    /// - Returns: The sessions deleted. Pages before an error stay deleted.
    package func removeEndedSessions(lookingAt count: Int = 50_000, at now: Instant) async throws -> Int {
        let start: SessionID = newID()
        return try await database.exclusively("sweep", waits: false) {
            var (place, looked, hasWrapped, removed) = (start.text, 0, false, 0)
            while looked < count, !(hasWrapped && place > start.text) {
                let page = try await endedSessions(after: place, at: now - Self.endedStay)
                looked += page.count
                if let last = page.last, page.contains(where: \.hasEnded) {
                    removed += try await removeEnded(after: place, through: last.id, at: now - Self.endedStay)
                }
                if page.count == Self.pageSize, let last = page.last {
                    place = last.id
                } else if !hasWrapped {
                    (place, hasWrapped) = (Accounts.nilID, true)
                } else {
                    break
                }
            }
            return removed
        } ?? 0
    }

    private func endedSessions(
        after place: String, at moment: Instant
    ) async throws -> [(id: String, hasEnded: Bool)] {
        try await database.read { db in
            try db.rows(
                """
                SELECT \(columns: Accounts.sessionColumns) FROM sessions
                WHERE id > \(place) ORDER BY id LIMIT \(Self.pageSize)
                """
            ) { row in
                let session = row.session()
                return (session.id.text, policy.hasEnded(session, at: moment))
            }
        }
    }

    private func removeEnded(after place: String, through last: String, at moment: Instant) async throws -> Int {
        let condition: SQL = """
            id > \(place) AND id <= \(last) AND (
                created_at < \(policy.earliestStart(at: moment))
                OR coalesce(refreshed_at, created_at) < \(policy.earliestUse(at: moment)) OR ends_at < \(moment))
            """
        return try await database.write { db in
            try accounts.sessions.endChildren(
                of: condition, .bySystem(.parentEnded, from: nil), at: moment + Self.endedStay, in: db)
            try accounts.sessions.recordPolicyEnds(of: condition, at: moment + Self.endedStay, in: db)
            return try db.run("DELETE FROM sessions WHERE \(condition)")
        }
    }
}
