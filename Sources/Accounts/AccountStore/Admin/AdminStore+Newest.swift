package import AccountDomain
import GatehouseWire
import SQLDatabase

extension AdminStore {
    /// Newest first, after `last`. A page's cost does not depend on the number of accounts. Accounts created during the
    /// iteration are skipped; none appears twice.
    ///
    /// - Parameter limit: 1 to 1,000.
    package func newest(after last: User?, limit: Int) async throws -> [Account] {
        try await database.accounts(Self.newestLookup(after: last, limit: min(max(1, limit), 1_000)))
    }

    /// The year 10000, and an id that no other exceeds.
    static let beforeNewest = (
        Instant(seconds: 253_402_300_800), UserID(trusted: "ffffffff-ffff-ffff-ffff-ffffffffffff")
    )

    /// The year 4685 B.C., near the first that PostgreSQL has, and an id that precedes every other.
    static let beforeOldest = (Instant(seconds: -210_000_000_000), UserID(trusted: Accounts.nilID))

    static func newestLookup(after last: User?, limit: Int) -> SQL {
        let (time, id) = last.map { ($0.times.createdAt, $0.id) } ?? beforeNewest
        return """
            SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns)
            FROM users LEFT JOIN identities ON identities.user_id = users.id
            WHERE users.id IN (
                SELECT id FROM users
                WHERE \(follows(time, id))
                ORDER BY created_at DESC, id DESC LIMIT \(limit))
            ORDER BY users.created_at DESC, users.id DESC, identities.created_at, identities.id
            """
    }

    /// Matches later accounts of a newest-first list. Compares the stored time, unless the account is deleted: on
    /// PostgreSQL it can be before the year 1, which a read clamps.
    static func follows(_ time: Instant, _ id: UserID) -> SQL {
        """
        (created_at, id) < (
            coalesce((SELECT last.created_at FROM users AS last WHERE last.id = \(id)), \(time)), \(id))
        """
    }

    /// Matches later accounts of an oldest-first list.
    static func precedes(_ time: Instant, _ id: UserID) -> SQL {
        """
        (created_at, id) > (
            coalesce((SELECT last.created_at FROM users AS last WHERE last.id = \(id)), \(time)), \(id))
        """
    }

    /// By address or name, ignoring ASCII case.
    static func condition(_ filter: String?, _ dialect: Dialect) -> SQL {
        guard let pattern = filter.map(Accounts.containing) else { return "1 = 1" }
        // Without this collation, PostgreSQL's `lower` also changes letters outside ASCII.
        let name: SQL =
            switch dialect {
            case .sqlite: "user_metadata ->> 'full_name'"
            case .postgresql: "(user_metadata ->> 'full_name') COLLATE \"C\""
            }
        return "email LIKE \(pattern) ESCAPE '\\' OR lower(\(name)) LIKE \(pattern) ESCAPE '\\'"
    }
}
