import AccountDomain
import GatehouseWire
import SQLDatabase

/// One part of a search, and where it starts.
enum SearchOrder {
    case byTime(Instant, UserID)
    case byAddress(PrefixRange, after: String?)
    /// Leaves out accounts whose address is in the range.
    case byName(PrefixRange, String, UserID)

    func place(_ account: FoundAccount) -> SearchPlace {
        switch self {
        case .byTime: .time(account.createdAt, account.id)
        case .byAddress: .address(account.email ?? "")
        case .byName: .name((account.fullName ?? "").withLowerASCII, account.id)
        }
    }

    var start: SearchPlace {
        switch self {
        case .byTime(let time, let id): .time(time, id)
        case .byAddress(let range, let last): .address(last ?? range.start)
        case .byName(_, let name, let id): .name(name, id)
        }
    }
}

struct SearchLookup: Sendable {
    let search: AccountSearch
    let dialect: Dialect
    let now: Instant

    /// Sorts before every id.
    var noID: UserID { UserID(trusted: Accounts.nilID) }

    /// Accounts that a page with filters examines. Fewer by name: PostgreSQL extracts each name from the metadata,
    /// which takes most of the time.
    private func examined(_ order: SearchOrder) -> Int {
        switch order {
        case .byName: 500
        case .byTime, .byAddress: search.method == nil ? 2_000 : 1_000
        }
    }

    func matches(_ order: SearchOrder, limit: Int) -> SQL {
        let window: SQL = search.isFiltered ? "\(examined(order))" : "\(limit)"
        return """
            SELECT \(columns)
            FROM (\(candidates(order)) LIMIT \(window)) AS candidates
            WHERE \(filters) ORDER BY \(sorting(order)) LIMIT \(limit)
            """
    }

    /// No row if there are fewer.
    func lastExamined(_ order: SearchOrder) -> SQL {
        """
        SELECT \(columns) FROM (\(candidates(order)) LIMIT 1 OFFSET \(examined(order) - 1)) AS candidates
        """
    }

    func account(_ id: UserID) -> SQL {
        "SELECT \(columns) FROM users AS candidates WHERE id = \(id) AND \(filters)"
    }

    /// The first ones in order of number.
    func accounts(withNumber digits: String, limit: Int) -> SQL {
        let range = PrefixRange(digits)
        return """
            SELECT \(columns) FROM users AS candidates
            WHERE phone >= \(range.start) AND \(Self.isBelow(range.end, "phone")) AND \(filters)
            ORDER BY phone LIMIT \(limit)
            """
    }

    private var columns: SQL {
        """
        id, email, phone, \(SearchIndexes.fullName(dialect)), created_at, last_sign_in_at, email_confirmed_at, banned_until,
        deleted_at, is_anonymous,
        (SELECT \(providers) FROM identities WHERE identities.user_id = candidates.id)
        """
    }

    private var providers: SQL {
        switch dialect {
        case .sqlite: "group_concat(identities.provider, ',')"
        case .postgresql: "string_agg(identities.provider, ',')"
        }
    }

    private func candidates(_ order: SearchOrder) -> SQL {
        """
        SELECT id, email, phone, user_metadata, created_at, last_sign_in_at, email_confirmed_at, phone_confirmed_at,
            banned_until, deleted_at, is_anonymous
        FROM users WHERE \(range(order)) ORDER BY \(sorting(order))
        """
    }

    private func range(_ order: SearchOrder) -> SQL {
        switch order {
        case .byTime(let time, let id):
            guard let state = search.state, let indexed = SearchIndexes.rarely(state) else {
                return AdminStore.follows(time, id)
            }
            return "\(AdminStore.follows(time, id)) AND \(columns: indexed)"
        case .byAddress(let range, let last):
            let start: SQL = last.map { "email > \($0)" } ?? "email >= \(range.start)"
            return "is_sso_user = 0 AND \(start) AND \(Self.isBelow(range.end, "email"))"
        case .byName(let range, let name, let id):
            let key = SearchIndexes.nameKey(dialect)
            return """
                (\(key), id) > (\(name), \(id)) AND \(Self.isBelow(range.end, key))
                AND (email IS NULL OR is_sso_user = 1 OR email < \(range.start)
                    OR NOT (\(Self.isBelow(range.end, "email"))))
                """
        }
    }

    private func sorting(_ order: SearchOrder) -> SQL {
        switch order {
        case .byTime: "created_at DESC, id DESC"
        case .byAddress: "email"
        case .byName: "\(SearchIndexes.nameKey(dialect)), id"
        }
    }

    private static func isBelow(_ end: String?, _ key: SQL) -> SQL {
        guard let end else { return "1 = 1" }
        return "\(key) < \(end)"
    }

    private var filters: SQL {
        var all: SQL = "1 = 1"
        if let method = search.method {
            all = """
                \(all) AND EXISTS (
                    SELECT 1 FROM identities WHERE identities.user_id = candidates.id AND identities.provider = \(method))
                """
        }
        if let time = search.seenAfter { all = "\(all) AND last_sign_in_at >= \(time)" }
        if let time = search.seenBefore { all = "\(all) AND last_sign_in_at < \(time)" }
        if let state = search.state { all = "\(all) AND \(condition(state))" }
        return all
    }

    private func condition(_ state: AccountSearch.State) -> SQL {
        switch state {
        case .active:
            """
            deleted_at IS NULL AND is_anonymous = 0 AND (banned_until IS NULL OR banned_until <= \(now))
            AND (email_confirmed_at IS NOT NULL OR phone_confirmed_at IS NOT NULL)
            """
        case .unconfirmed:
            """
            deleted_at IS NULL AND is_anonymous = 0 AND email_confirmed_at IS NULL AND phone_confirmed_at IS NULL
            """
        case .banned: "deleted_at IS NULL AND banned_until > \(now)"
        case .anonymous: "deleted_at IS NULL AND is_anonymous = 1"
        case .deleted: "deleted_at IS NOT NULL"
        }
    }
}
