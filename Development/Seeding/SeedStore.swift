import AccountDomain
package import AccountStore
package import GatehouseWire
import SQLDatabase

extension Accounts {
    package var seeds: SeedStore { SeedStore(accounts: self) }
}

package struct SeedStore: Sendable {
    package let accounts: Accounts

    private var database: any Database { accounts.database }

    /// Per transaction: a multiple of the twenty that ``SeededPeople`` repeats, and within both databases' limits of
    /// values per statement.
    package static let seedBatch = 500

    /// Adds a batch's missing accounts in one transaction.
    ///
    /// - Parameter numbers: At most ``seedBatch``. If two callers add the same numbers, one fails; see
    ///   ``exclusivelySeeding(_:)``.
    /// - Returns: The number of accounts added.
    /// - Throws: ``DatabaseFailure``. The whole batch is then missing; with `unknownOutcome` it may exist.
    package func add(_ people: SeededPeople, _ numbers: Range<Int>) async throws -> Int {
        let all = try numbers.map(people.person)
        let known = try await database.read { db in
            // Read before the write transaction, which would otherwise conflict with others over missing keys.
            Set<UserID>(
                try db.rows(.list("SELECT id FROM users WHERE id IN", all.map(\.account.user.id.text))) {
                    UserID(trusted: $0.text())
                })
        }
        let new = all.filter { !known.contains($0.account.user.id) }
        guard !new.isEmpty else { return 0 }
        try await database.write { db in try db.insert(new) }
        return new.count
    }

    /// - Returns: nil if another process holds the lock.
    package func exclusivelySeeding<Value: Sendable>(
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await database.exclusively("seed", waits: false, work)
    }

    /// - Parameter stopsAtOther: Stops at the first account that is not seeded.
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

    /// Deletes a batch of seeded accounts with everything that belongs to them.
    ///
    /// - Parameter last: The previous call's result; nil at first.
    /// - Returns: nil at the end, and the number of accounts deleted.
    /// - Throws: ``DatabaseFailure``. Repeat the call with the same `last`.
    package func removeSeeded(after last: String?) async throws -> (last: String?, removed: Int) {
        let page = try await seededPage(after: last, limit: 1_000)
        let ids = page.filter(isSeeded).map(\.id)
        if !ids.isEmpty {
            try await database.write { db in
                try db.run(.list("DELETE FROM users WHERE id IN", ids))
                // Records of seeded users' ended sessions have no readers.
                try db.run(.list("DELETE FROM ended_sessions WHERE user_id IN", ids))
            }
        }
        return (page.last?.id, ids.count)
    }

    /// Audit entries; see ``removeSeeded(after:)``.
    package func removeSeededLog(after last: String?) async throws -> (last: String?, removed: Int) {
        let first = last ?? Accounts.nilID
        let page = try await database.read { db in
            try db.rows(
                "SELECT id, actor_id, actor_name FROM audit_log WHERE id > \(first) ORDER BY id LIMIT \(4_000)"
            ) { SeededRow(id: $0.text(), user: $0.textIfPresent() ?? "", address: $0.text()) }
        }
        let ids = page.filter(isSeeded).map(\.id)
        if !ids.isEmpty {
            try await database.write { db in try db.run(.list("DELETE FROM audit_log WHERE id IN", ids)) }
        }
        return (page.last?.id, ids.count)
    }

    /// Refresh tokens of random seeded sessions: every session's current token, then the successors, generation by
    /// generation in the same order.
    ///
    /// - Parameter count: Sessions; the result may have fewer.
    /// - Parameter generations: Tokens per session.
    /// - Throws: ``DatabaseFailure``.
    package func seededTokens(_ count: Int, generations: Int = 1) async throws -> [Secret] {
        let sessions = try await seededCounters(count).sorted { $0.key.text < $1.key.text }
        let keys = sessions.map { accounts.secrets.refreshTokenKey(for: $0.key) }
        return (0..<Int64(generations)).flatMap { generation in
            zip(sessions, keys).map { RefreshToken.issue(counter: $0.value + generation, $1) }
        }
    }

    private func seededCounters(_ count: Int) async throws -> [SessionID: Int64] {
        var counters: [SessionID: Int64] = [:]
        var (misses, isAtEnd) = (0, false)
        while counters.count < count, misses < 20 {
            // A random position, then the beginning after the end was reached.
            let start: SessionID = isAtEnd ? SessionID(trusted: Accounts.nilID) : accounts.newID()
            let found = try await database.read { db in
                try db.rows(Self.seededSessions(from: start)) { row in
                    let (id, counter) = (SessionID(trusted: row.text()), row.int())
                    return (id, counter, row: SeededRow(id: id.text, user: row.text(), address: row.text()))
                }
            }
            isAtEnd = !isAtEnd && found.count < Self.sessionsAtOnce
            let before = counters.count
            for session in found where isSeeded(session.row) && counters.count < count {
                counters[session.0] = session.1
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
        WHERE sessions.id >= \(start.text) ORDER BY sessions.id LIMIT \(sessionsAtOnce)
        """
    }

    private func seededPage(after last: String?, limit: Int) async throws -> [SeededRow] {
        let first = last ?? Accounts.nilID
        return try await database.read { db in
            try db.rows(
                "SELECT id, coalesce(email, '') FROM users WHERE id > \(first) ORDER BY id LIMIT \(limit)"
            ) { row in
                let id = row.text()
                return SeededRow(id: id, user: id, address: row.text())
            }
        }
    }

    private func isSeeded(_ row: SeededRow) -> Bool {
        SeededPeople.made(row.user, address: row.address, accounts)
    }
}

private struct SeededRow: Sendable {
    let id: String
    let user: String
    let address: String
}
