import AccountDomain
package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// How long sessions stay that are over by the policy: a clock that is wrong is noticed by then.
    private static let endedStay: Duration = .seconds(30 * 86_400)
    private static let pageSize = 250

    /// Looks through sessions, from anywhere on, and removes those that have been over by the policy for 30 days. By and
    /// by it comes to all: nothing remembers where it was, and no index tells which they are, because every refresh
    /// would have to write it. Of nodes that share the database one does it at a time.
    ///
    /// - Parameter count: How many it looks at, all of them where there are fewer.
    /// - Returns: How many went.
    package func removeEndedSessions(lookingAt count: Int = 50_000, at now: Instant) async throws -> Int {
        guard policy.timebox != nil || policy.inactivity != nil else { return 0 }
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
                    (place, hasWrapped) = (Self.nilID, true)
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
                SELECT \(columns: Self.sessionColumns) FROM sessions
                WHERE id > \(place) ORDER BY id LIMIT \(Self.pageSize)
                """
            ) { row in
                let session = row.session()
                return (session.id.text, policy.hasEnded(session, at: moment))
            }
        }
    }

    private func removeEnded(after place: String, through last: String, at moment: Instant) async throws -> Int {
        try await database.write { db in
            try db.run(
                """
                DELETE FROM sessions WHERE id > \(place) AND id <= \(last) AND (
                    created_at < \(policy.earliestStart(at: moment))
                    OR coalesce(refreshed_at, created_at) < \(policy.earliestUse(at: moment)))
                """)
        }
    }
}
