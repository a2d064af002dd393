import AccountDomain
import GatehouseWire
import SQLDatabase

/// The terms by which searches find accounts, kept in ``SearchTables``.
package struct SearchIndex: AccountPart {
    package let accounts: Accounts

    /// Indexes changed accounts, and the next of those that an earlier release stored. One node at a time.
    ///
    /// - Parameter limit: Of each.
    /// - Returns: The accounts read. Call again until it is 0.
    package func update(limit: Int = 200) async throws -> Int {
        let work = try await work()
        guard work.hasChanges || work.isFilling else { return 0 }
        return try await database.exclusively(Self.lock, waits: false) {
            try await indexChanges(limit: limit) + fill(limit: limit)
        } ?? 0
    }

    /// Before a search: indexes the last changes, a bounded number.
    ///
    /// - Returns: Whether accounts of an earlier release are missing.
    func catchUp() async throws -> Bool {
        let work = try await work()
        if work.hasChanges {
            // Ignored: a database that only reads is searched as it is, and the search reports one that does not answer.
            _ = try? await database.exclusively(Self.lock, waits: true) { try await indexChanges(limit: 100) }
        }
        return work.isFilling
    }

    private static let lock = "search index"
    private static let end = UserID(trusted: "ffffffff-ffff-ffff-ffff-ffffffffffff")

    private func work() async throws -> (hasChanges: Bool, isFilling: Bool) {
        try await database.row(
            """
            SELECT (SELECT count(*) FROM (SELECT 1 FROM search_changes WHERE id > 0 ORDER BY id LIMIT 1) AS waiting),
                (SELECT count(*) FROM search_filling WHERE id = 1 AND place = \(Self.end))
            """
        ) { ($0.int() > 0, $0.int() == 0) } ?? (false, false)
    }

    /// Each statement sees what was committed before it, so the accounts are read after their changes.
    private func indexChanges(limit: Int) async throws -> Int {
        let dialect = database.dialect
        return try await database.writeCommitted { db in
            let changes = try db.rows(
                "SELECT id, user_id FROM search_changes WHERE id > 0 ORDER BY id LIMIT \(limit)"
            ) {
                (id: $0.int(), user: $0.id() as UserID)
            }
            var terms: [IndexedTerm] = []
            for user in Set<UserID>(changes.map(\.user)).sorted(by: { $0.text < $1.text }) {
                let wanted = try db.searchTerms("id = \(user)").terms
                let stored = try db.rows("SELECT term FROM search_terms WHERE user_id = \(user)") { $0.text() }
                let kept = Set<ExternalName>(wanted.map { ExternalName(trusted: $0.term) })
                let old = Set<ExternalName>(stored.map { ExternalName(trusted: $0) })
                for term in stored where !kept.contains(ExternalName(trusted: term)) {
                    try db.run("DELETE FROM search_terms WHERE user_id = \(user) AND term = \(term)")
                }
                terms += wanted.filter { !old.contains(ExternalName(trusted: $0.term)) }
            }
            try db.insert(terms, dialect)
            for change in changes { try db.run("DELETE FROM search_changes WHERE id = \(change.id)") }
            return changes.count
        }
    }

    private func fill(limit: Int) async throws -> Int {
        let dialect = database.dialect
        return try await database.writeCommitted { db in
            let stored: UserID? = try db.row("SELECT place FROM search_filling WHERE id = 1") { $0.id() }
            let place = stored ?? UserID(trusted: Accounts.nilID)
            guard place != Self.end else { return 0 }
            let found = try db.searchTerms("id > \(place) ORDER BY id LIMIT \(limit)")
            try db.insert(found.terms, dialect)
            try db.run(
                """
                INSERT INTO search_filling (id, place) VALUES (1, \(found.last ?? Self.end))
                ON CONFLICT (id) DO UPDATE SET place = excluded.place
                """)
            return found.count
        }
    }
}

private struct IndexedTerm: Sendable {
    let user: UserID
    let term: String
}

private struct IndexedAccounts {
    var terms: [IndexedTerm] = []
    var last: UserID?
    var count = 0

    mutating func add(_ user: UserID, _ names: AccountNames, _ terms: SearchTerms) {
        var all = terms
        all.add(names: names.all)
        self.terms += all.all.map { IndexedTerm(user: user, term: $0) }
    }
}

extension Connection {
    /// - Parameter condition: Of `users`.
    fileprivate func searchTerms(_ condition: SQL) throws -> IndexedAccounts {
        let rows = try rows(
            """
            SELECT found.id, found.email, found.phone, found.user_metadata, found.is_sso_user, found.deleted_at,
                profiles.first_name, profiles.name, identities.email, identities.identity_data
            FROM (
                SELECT id, email, phone, user_metadata, is_sso_user, deleted_at FROM users WHERE \(condition)) AS found
            LEFT JOIN profiles ON profiles.id = found.id
            LEFT JOIN identities ON identities.user_id = found.id AND identities.set_aside_at IS NULL
                AND identities.provider <> 'email' AND identities.provider <> 'phone'
            ORDER BY found.id, identities.created_at, identities.id
            """
        ) { SearchedRow(&$0) }
        var accounts = IndexedAccounts()
        for rows in rows.chunked() {
            (accounts.last, accounts.count) = (rows[0].user, accounts.count + 1)
            if rows[0].isDeleted { continue }
            let (names, terms) = rows.named()
            accounts.add(rows[0].user, names, terms)
        }
        return accounts
    }

    fileprivate func insert(_ terms: [IndexedTerm], _ dialect: Dialect) throws {
        if terms.isEmpty { return }
        let json = AuthJSON.array(terms.map { [.string($0.user.text), .string($0.term)] }).text
        let rows: SQL =
            switch dialect {
            case .sqlite: "SELECT value ->> 0, value ->> 1 FROM json_each(\(json)) WHERE true"
            case .postgresql:
                """
                SELECT CAST(value ->> 0 AS uuid), value ->> 1 FROM json_array_elements(CAST(\(json) AS json)) AS given (value)
                """
            }
        try run("INSERT INTO search_terms (user_id, term) \(rows) ON CONFLICT (user_id, term) DO NOTHING")
    }
}

/// An account with one of its identities.
private struct SearchedRow {
    let user: UserID
    let email, phone: String?
    let metadata: String
    let isSSO, isDeleted: Bool
    let firstName, name, identityEmail, identityData: String?

    init(_ row: inout Row) {
        (user, email, phone, metadata) = (row.id(), row.textIfPresent(), row.textIfPresent(), row.text())
        (isSSO, isDeleted) = (row.bool(), row.instantIfPresent() != nil)
        (firstName, name) = (row.textIfPresent(), row.textIfPresent())
        (identityEmail, identityData) = (row.textIfPresent(), row.textIfPresent())
    }
}

extension [SearchedRow] {
    /// By account.
    fileprivate func chunked() -> [[SearchedRow]] {
        reduce(into: []) { chunks, row in
            if chunks.last?[0].user == row.user {
                chunks[chunks.count - 1].append(row)
            } else {
                chunks.append([row])
            }
        }
    }

    fileprivate func named() -> (AccountNames, SearchTerms) {
        var (names, terms) = (AccountNames(), SearchTerms())
        names.add(metadata: self[0].metadata)
        names.add(profile: self[0].firstName, self[0].name)
        if let email = self[0].email { terms.add(address: email, isWhole: self[0].isSSO) }
        if let phone = self[0].phone { terms.add(phone: phone) }
        for row in prefix(8) {
            if let data = row.identityData { names.add(metadata: data) }
            if let email = row.identityEmail, email != self[0].email { terms.add(address: email, isWhole: true) }
        }
        return (names, terms)
    }
}
