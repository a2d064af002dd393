import AccountDomain
import GatehouseWire
import SQLDatabase

// Matches that need no further page.
extension SearchLookup {
    /// By a whole ID.
    func accounts(_ id: UserID) -> SQL {
        let text = id.text
        return accounts(
            """
            SELECT \(id)
            UNION SELECT user_id FROM sessions WHERE id = \(id)
            UNION SELECT user_id FROM ended_sessions WHERE id = \(id)
            UNION SELECT user_id FROM identities WHERE id = \(id)
            UNION \(holders(of: text))
            """, limit: 8)
    }

    /// By the beginning of an ID, by another system's ID, or by a number; nil if the text can be none of them.
    func accounts(_ text: SearchText, limit: Int) -> SQL? {
        var parts: [SQL] = []
        if let handle = text.handle { parts.append(holders(of: handle)) }
        if let ids = text.ids {
            parts.append(
                first(limit, "SELECT id FROM users WHERE id >= \(ids.first) AND id <= \(ids.last) ORDER BY id"))
        }
        let numbers = text.numbers
        if let range = numbers.beginning {
            parts.append(first(limit, "SELECT id FROM users WHERE \(range.contains("phone")) ORDER BY phone"))
        }
        for range in numbers.endings {
            let matches: SQL = "SELECT user_id FROM search_terms WHERE \(range.contains("term")) ORDER BY term"
            parts.append(first(limit, matches))
        }
        guard let head = parts.first else { return nil }
        return accounts(parts.dropFirst().reduce(head) { "\($0) UNION \($1)" }, limit: limit)
    }

    /// Of a provider's ID, or of the ID of a request that ended sessions. Both could belong to several.
    private func holders(of handle: String) -> SQL {
        let identities: SQL = """
            SELECT user_id FROM identities WHERE provider_id = \(handle) AND \(columns: SearchTables.ofProviders)
            """
        let requests: SQL = "SELECT user_id FROM ended_sessions WHERE request_id = \(handle)"
        return "\(first(8, identities)) UNION \(first(8, requests))"
    }

    /// A limit inside a union needs its own query.
    private func first(_ count: Int, _ query: SQL) -> SQL { "SELECT * FROM (\(query) LIMIT \(count)) AS part" }

    /// The inner limit, above what the parts of the union return, keeps PostgreSQL from starting with a state's index.
    private func accounts(_ ids: SQL, limit: Int) -> SQL {
        """
        SELECT \(columns), ''
        FROM (\(Self.candidates) WHERE id IN (\(ids)) ORDER BY phone, id LIMIT 1000) AS candidates
        WHERE \(filters) ORDER BY candidates.phone, candidates.id LIMIT \(limit)
        """
    }
}
