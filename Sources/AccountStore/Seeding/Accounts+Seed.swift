import AccountDomain
package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// People per transaction: a multiple of the twenty that ``SeededPeople`` repeats, and within the values that a
    /// statement may have in either database.
    package static let seedBatch = 500

    /// Adds those of a batch that are not there yet, all in one transaction.
    ///
    /// - Parameter numbers: At most ``seedBatch``; whoever else adds some of them at the same time makes one of the two
    ///   fail, see ``exclusivelySeeding(_:)``.
    /// - Returns: How many were added.
    package func add(_ people: SeededPeople, _ numbers: Range<Int>) async throws -> Int {
        let all = try numbers.map(people.person)
        let known = try await database.read { db in
            // Outside of the transaction that adds: keys that are not there yet would make neighbours wait.
            Set<UserID>(
                try db.rows(.list("SELECT id FROM users WHERE id IN", all.map(\.account.user.id.text))) {
                    UserID(trusted: $0.text(0))
                })
        }
        let new = all.filter { !known.contains($0.account.user.id) }
        guard !new.isEmpty else { return 0 }
        try await database.write { db in try db.insert(new) }
        return new.count
    }

    /// Does `work` while nobody else adds or removes made-up people.
    ///
    /// - Returns: nil when somebody else is at it.
    package func exclusivelySeeding<Value: Sendable>(
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await database.exclusively("seed", waits: false, work)
    }

    /// Looks at the accounts in the order of their ids: how many made-up ones there are, and whether another.
    ///
    /// - Parameter stopsAtOther: Whether the first other account is enough to know.
    package func countSeeded(stopsAtOther: Bool) async throws -> (seeded: Int, hasOthers: Bool) {
        var (seeded, hasOthers, last): (Int, Bool, String?) = (0, false, nil)
        while true {
            let page = try await seededPage(after: last, limit: 10_000)
            let made = page.count(where: isSeeded)
            seeded += made
            hasOthers = hasOthers || made < page.count
            guard let end = page.last, !(hasOthers && stopsAtOther) else { return (seeded, hasOthers) }
            last = end.id
        }
    }

    /// Removes made-up people with everything of theirs, a part of them at a time.
    ///
    /// - Parameter last: Up to where earlier calls came; nil at first.
    /// - Returns: Up to where it came, nil at the end, and how many went.
    package func removeSeeded(after last: String?) async throws -> (last: String?, removed: Int) {
        let page = try await seededPage(after: last, limit: 1_000)
        let ids = page.filter(isSeeded).map(\.id)
        if !ids.isEmpty {
            try await database.write { db in try db.run(.list("DELETE FROM users WHERE id IN", ids)) }
        }
        return (page.last?.id, ids.count)
    }

    /// Removes what the log says of made-up people, as ``removeSeeded(after:)`` does with them.
    package func removeSeededLog(after last: String?) async throws -> (last: String?, removed: Int) {
        let first = last ?? Self.nilID
        let page = try await database.read { db in
            try db.rows(
                "SELECT id, actor_id, actor_name FROM audit_log WHERE id > \(first) ORDER BY id LIMIT \(4_000)"
            ) { SeededRow(id: $0.text(0), user: $0.textIfPresent(1) ?? "", address: $0.text(2)) }
        }
        let ids = page.filter(isSeeded).map(\.id)
        if !ids.isEmpty {
            try await database.write { db in try db.run(.list("DELETE FROM audit_log WHERE id IN", ids)) }
        }
        return (page.last?.id, ids.count)
    }

    /// Refresh tokens of made-up people, of sessions from all over the table: the current ones of all sessions, then
    /// their successors, with the sessions in the same order in each generation.
    ///
    /// - Parameter count: How many sessions; there may be fewer.
    /// - Parameter generations: How many tokens of each.
    package func seededTokens(_ count: Int, generations: Int = 1) async throws -> [Secret] {
        let sessions = try await seededCounters(count).sorted { $0.key.text < $1.key.text }
        let keys = sessions.map { secrets.refreshTokenKey(for: $0.key) }
        return (0..<Int64(generations)).flatMap { generation in
            zip(sessions, keys).map { RefreshToken.issue(counter: $0.value + generation, $1) }
        }
    }

    private func seededCounters(_ count: Int) async throws -> [SessionID: Int64] {
        var counters: [SessionID: Int64] = [:]
        var (misses, isAtEnd) = (0, false)
        while counters.count < count, misses < 20 {
            // From anywhere, and from the beginning where that came to the end.
            let start: SessionID = isAtEnd ? SessionID(trusted: Self.nilID) : newID()
            let found = try await database.read { db in
                try db.rows(Self.seededSessions(from: start)) { row in
                    let found = SeededRow(id: row.text(0), user: row.text(2), address: row.text(3))
                    return (id: SessionID(trusted: row.text(0)), counter: row.int(1), row: found)
                }
            }
            isAtEnd = !isAtEnd && found.count < Self.sessionsAtOnce
            let before = counters.count
            for session in found where isSeeded(session.row) && counters.count < count {
                counters[session.id] = session.counter
            }
            misses = counters.count == before ? misses + 1 : 0
        }
        return counters
    }

    private static let sessionsAtOnce = 50

    private static func seededSessions(from start: SessionID) -> SQL {
        """
        SELECT sessions.id, sessions.refresh_token_counter, users.id, coalesce(users.email, '')
        FROM sessions JOIN users ON users.id = sessions.user_id
        WHERE sessions.id >= \(start) ORDER BY sessions.id LIMIT \(sessionsAtOnce)
        """
    }

    private func seededPage(after last: String?, limit: Int) async throws -> [SeededRow] {
        let first = last ?? Self.nilID
        return try await database.read { db in
            try db.rows(
                "SELECT id, coalesce(email, '') FROM users WHERE id > \(first) ORDER BY id LIMIT \(limit)"
            ) { SeededRow(id: $0.text(0), user: $0.text(0), address: $0.text(1)) }
        }
    }

    private func isSeeded(_ row: SeededRow) -> Bool {
        SeededPeople.made(row.user, address: row.address, self)
    }
}

/// A row that a made-up person may have left.
private struct SeededRow: Sendable {
    let id: String
    let user: String
    let address: String
}
