import AccountDomain
import GatehouseWire
import SQLDatabase

/// One part of a search, and where it starts.
enum SearchOrder {
    case byTime(Instant, UserID)
    case byAddress(PrefixRange, after: String?)
    /// Leaves out accounts whose address is in the second range.
    case byTerm(SearchQuery, SearchQuery.Driver, besides: PrefixRange?, after: (String, UserID)?)

    func place(_ found: FoundRow) -> SearchPlace {
        switch self {
        case .byTime: .time(found.account.createdAt, found.account.id)
        case .byAddress: .address(found.account.email ?? "")
        case .byTerm(_, let driver, _, _): .term(driver.number, found.term, found.account.id)
        }
    }

    var start: SearchPlace {
        switch self {
        case .byTime(let time, let id): .time(time, id)
        case .byAddress(let range, let last): .address(last ?? range.start)
        case .byTerm(let query, let driver, _, let last):
            .term(driver.number, last?.0 ?? query.range(driver).start, last?.1 ?? UserID(trusted: Accounts.nilID))
        }
    }

    /// True if a page can leave out accounts in the range.
    fileprivate var isSelective: Bool {
        guard case .byTerm = self else { return false }
        return true
    }
}

/// With the term that it was found by, or an empty one.
struct FoundRow: Sendable {
    let account: FoundAccount
    let term: String
}

struct SearchLookup: Sendable {
    let search: AccountSearch
    let dialect: Dialect
    let now: Instant

    func isBounded(_ order: SearchOrder) -> Bool { search.isFiltered || order.isSelective }

    /// Accounts that a page examines if conditions leave some out.
    private func examined(_ order: SearchOrder) -> Int {
        switch order {
        case .byTerm(let query, let driver, _, _):
            search.isFiltered || !query.others(driver).isEmpty ? 1_000 : 400
        case .byTime, .byAddress: search.method == nil ? 2_000 : 1_000
        }
    }

    func matches(_ order: SearchOrder, limit: Int) -> SQL {
        if case .byTerm(let query, let driver, let address, _) = order {
            return """
                SELECT \(columns), found.term
                FROM (\(terms(order)) LIMIT \(examined(order))) AS found
                \(foundUsers)
                WHERE \(filters) AND \(conditions(query, driver, besides: address))
                ORDER BY found.term, found.user_id LIMIT \(limit)
                """
        }
        let window: SQL = search.isFiltered ? "\(examined(order))" : "\(limit)"
        return """
            SELECT \(columns), ''
            FROM (\(candidates(order)) LIMIT \(window)) AS candidates
            WHERE \(filters) ORDER BY \(sorting(order)) LIMIT \(limit)
            """
    }

    /// No row if there are fewer.
    func lastExamined(_ order: SearchOrder) -> SQL {
        if case .byTerm = order {
            return """
                SELECT \(columns), found.term
                FROM (\(terms(order)) LIMIT 1 OFFSET \(examined(order) - 1)) AS found
                \(foundUsers)
                """
        }
        return """
            SELECT \(columns), ''
            FROM (\(candidates(order)) LIMIT 1 OFFSET \(examined(order) - 1)) AS candidates
            """
    }

    /// Terms of each range, at most 1,000. An account may have several.
    static func sizes(of ranges: [PrefixRange]) -> SQL {
        let counts: [SQL] = ranges.map { range in
            "(SELECT count(*) FROM (SELECT 1 FROM search_terms WHERE \(range.contains("term")) LIMIT 1000) AS found)"
        }
        return counts.dropFirst().reduce("SELECT \(counts[0])") { "\($0), \($1)" }
    }

    /// One lookup for each term. PostgreSQL would start with a state's index, however large.
    private var foundUsers: SQL {
        switch dialect {
        case .sqlite: "JOIN users AS candidates ON candidates.id = found.user_id"
        case .postgresql:
            "CROSS JOIN LATERAL (SELECT * FROM users WHERE users.id = found.user_id LIMIT 1) AS candidates"
        }
    }

    private func terms(_ order: SearchOrder) -> SQL {
        guard case .byTerm(let query, let driver, _, let last) = order else { return "" }
        let range = query.range(driver)
        let start: SQL =
            last.map { "(term, user_id) > (\($0.0), \($0.1))" } ?? "term >= \(range.start)"
        return """
            SELECT term, user_id FROM search_terms
            WHERE \(start) AND \(range.isAbove("term")) ORDER BY term, user_id
            """
    }

    /// An account is found by its first term in the range. The limits keep PostgreSQL from joining with a whole range.
    private func conditions(_ query: SearchQuery, _ driver: SearchQuery.Driver, besides address: PrefixRange?) -> SQL {
        let range = query.range(driver)
        let unique: SQL = """
            (SELECT 1 FROM search_terms AS earlier
            WHERE earlier.user_id = found.user_id AND earlier.term >= \(range.start) AND earlier.term < found.term
            LIMIT 1) IS NULL
            """
        let words = query.others(driver).reduce(unique) { all, range in
            """
            \(all) AND (SELECT 1 FROM search_terms AS other
            WHERE other.user_id = found.user_id AND \(range.contains("other.term")) LIMIT 1) IS NOT NULL
            """
        }
        guard let address else { return words }
        return """
            \(words) AND (candidates.email IS NULL OR candidates.is_sso_user = 1 OR candidates.email < \(address.start)
                OR NOT (\(address.isAbove("candidates.email"))))
            """
    }

    var columns: SQL {
        """
        candidates.id, candidates.email, candidates.phone, candidates.user_metadata, candidates.created_at,
        candidates.last_sign_in_at, candidates.email_confirmed_at, candidates.banned_until, candidates.deleted_at,
        candidates.is_anonymous,
        (SELECT \(providers) FROM identities WHERE identities.user_id = candidates.id),
        (SELECT profiles.first_name FROM profiles WHERE profiles.id = candidates.id),
        (SELECT profiles.name FROM profiles WHERE profiles.id = candidates.id)
        """
    }

    private var providers: SQL {
        switch dialect {
        case .sqlite: "group_concat(identities.provider, ',')"
        case .postgresql: "string_agg(identities.provider, ',')"
        }
    }

    private func candidates(_ order: SearchOrder) -> SQL {
        "\(Self.candidates) WHERE \(range(order)) ORDER BY \(sorting(order))"
    }

    static let candidates: SQL = """
        SELECT id, email, phone, user_metadata, created_at, last_sign_in_at, email_confirmed_at, phone_confirmed_at,
            banned_until, deleted_at, is_anonymous
        FROM users
        """

    private func range(_ order: SearchOrder) -> SQL {
        switch order {
        case .byTime(let time, let id):
            let follows = search.isOldestFirst ? AdminStore.precedes(time, id) : AdminStore.follows(time, id)
            guard let state = search.state, let indexed = SearchIndexes.rarely(state) else { return follows }
            return "\(follows) AND \(columns: indexed)"
        case .byAddress(let range, let last):
            let start: SQL = last.map { "email > \($0)" } ?? "email >= \(range.start)"
            return "is_sso_user = 0 AND \(start) AND \(range.isAbove("email"))"
        case .byTerm: return "1 = 1"
        }
    }

    private func sorting(_ order: SearchOrder) -> SQL {
        switch order {
        case .byTime: search.isOldestFirst ? "created_at, id" : "created_at DESC, id DESC"
        case .byAddress: "email"
        case .byTerm: "term, user_id"
        }
    }

    var filters: SQL {
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

extension PrefixRange {
    func contains(_ key: SQL) -> SQL { "\(key) >= \(start) AND \(isAbove(key))" }

    func isAbove(_ key: SQL) -> SQL {
        guard let end else { return "1 = 1" }
        return "\(key) < \(end)"
    }
}
