import AccountDomain
package import GatehouseWire
import SQLDatabase

extension AdminStore {
    /// Returns one page of matching accounts.
    ///
    /// Without a text, by creation. A text that is an ID or a number finds that account and those whose address begins
    /// with it. Another finds accounts by address, then by ``SearchIndex``'s terms, each sorted, without duplicates. A
    /// page examines a bounded number of accounts, so with a rare filter or common words it may be short or empty and
    /// still have a ``SearchPage/next``.
    ///
    /// - Parameters:
    ///   - cursor: The previous page's ``SearchPage/next``.
    ///   - limit: 1 to 100.
    /// - Throws: ``MalformedCursor``.
    package func search(
        _ search: AccountSearch, after cursor: String?, limit: Int, at now: Instant
    ) async throws -> SearchPage {
        let place = try cursor.map { try self.place(of: $0) }
        let lookup = SearchLookup(search: search, dialect: database.dialect, now: now)
        let limit = min(max(1, limit), 100)
        let isIncomplete = search.text == nil ? false : try await accounts.searchIndex.catchUp()
        let found = try await database.read { try $0.page(of: lookup, after: place, limit: limit) }
        return SearchPage(
            accounts: found.rows.map(\.account), next: try found.next.map { try self.cursor(to: $0) },
            isIncomplete: isIncomplete, isCut: found.isCut)
    }
}

private struct FoundPage: Sendable {
    var rows: [FoundRow] = []
    var next: SearchPlace?
    var isCut = false
}

extension Connection {
    fileprivate func page(of lookup: SearchLookup, after place: SearchPlace?, limit: Int) throws -> FoundPage {
        guard let given = lookup.search.text else {
            let first = lookup.search.isOldestFirst ? AdminStore.beforeOldest : AdminStore.beforeNewest
            let (time, id) = try place.map { try $0.inTime } ?? first
            return try part(of: lookup, .byTime(time, id), limit: limit)
        }
        let text = SearchText(given)
        if let id = text.id {
            if place != nil { throw MalformedCursor() }
            return FoundPage(rows: try rows(lookup.accounts(id)) { $0.foundRow() })
        }
        switch place {
        case .time: throw MalformedCursor()
        case .term(let number, let term, let id):
            guard let query = text.query, let driver = query.driver(number) else { throw MalformedCursor() }
            return try part(
                of: lookup, .byTerm(query, driver, besides: text.address, after: (term, id)), limit: limit)
        case .address(let last):
            guard text.address != nil else { throw MalformedCursor() }
            return try named(text, of: lookup, after: last, limit: limit)
        case nil:
            guard let exact = lookup.accounts(text, limit: limit + 1) else {
                return try named(text, of: lookup, after: nil, limit: limit)
            }
            var page = FoundPage(rows: try rows(exact) { $0.foundRow() })
            page.isCut = page.rows.count > limit
            page.rows = Array(page.rows.prefix(limit))
            if page.rows.isEmpty { return try named(text, of: lookup, after: nil, limit: limit) }
            if page.rows.count < limit, let address = text.address {
                let others = try part(of: lookup, .byAddress(address, after: nil), limit: limit - page.rows.count)
                page.rows += others.rows.filter { other in
                    !page.rows.contains { $0.account.id == other.account.id }
                }
            }
            return page
        }
    }

    /// By address, then by terms.
    private func named(
        _ text: SearchText, of lookup: SearchLookup, after last: String?, limit: Int
    ) throws -> FoundPage {
        var page = FoundPage()
        if let address = text.address {
            page = try part(of: lookup, .byAddress(address, after: last), limit: limit)
            if page.next != nil { return page }
        }
        guard let query = text.query else { return page }
        // A full page only learns whether there are more.
        let rest = limit - page.rows.count
        var others = FoundPage()
        if query.pair != nil {
            others = try part(of: lookup, .byTerm(query, .pair, besides: text.address, after: nil), limit: rest)
        }
        if others.rows.isEmpty, others.next == nil {
            let driver = SearchQuery.Driver.term(try rarest(query.terms))
            others = try part(of: lookup, .byTerm(query, driver, besides: text.address, after: nil), limit: rest)
        }
        page.rows += others.rows
        page.next = others.next
        return page
    }

    /// The index of the range with the fewest terms, or of the longest among frequent ones.
    private func rarest(_ ranges: [PrefixRange]) throws -> Int {
        guard ranges.count > 1 else { return 0 }
        let sizes = try row(SearchLookup.sizes(of: ranges)) { row in ranges.map { _ in row.int() } } ?? []
        if sizes.isEmpty { return 0 }
        return ranges.indices.min {
            (sizes[$0], -ranges[$0].start.utf8.count) < (sizes[$1], -ranges[$1].start.utf8.count)
        } ?? 0
    }

    private func part(of lookup: SearchLookup, _ order: SearchOrder, limit: Int) throws -> FoundPage {
        var found = try rows(lookup.matches(order, limit: limit + 1)) { $0.foundRow() }
        if found.count > limit {
            found.removeLast(found.count - limit)
            return FoundPage(rows: found, next: found.last.map(order.place) ?? order.start)
        }
        guard lookup.isBounded(order) else { return FoundPage(rows: found) }
        let end = try row(lookup.lastExamined(order)) { row in row.foundRow() }
        return FoundPage(rows: found, next: end.map(order.place))
    }
}

extension SearchPlace {
    /// - Throws: ``MalformedCursor`` for a place in another order.
    fileprivate var inTime: (Instant, UserID) {
        get throws {
            guard case .time(let time, let id) = self else { throw MalformedCursor() }
            return (time, id)
        }
    }
}

extension Row {
    fileprivate mutating func foundRow() -> FoundRow {
        let (id, email, phone): (UserID, String?, String?) = (id(), textIfPresent(), textIfPresent())
        var names = AccountNames()
        names.add(metadata: text())
        let (created, seen, confirmed) = (instant(), instantIfPresent(), instantIfPresent())
        let (banned, deleted, isAnonymous, providers) = (instantIfPresent(), instantIfPresent(), bool(), providers())
        names.add(profile: textIfPresent(), textIfPresent())
        let account = FoundAccount(
            id: id, email: email, phone: phone, fullName: names.shown, createdAt: created, lastSignInAt: seen,
            emailConfirmedAt: confirmed, bannedUntil: banned, deletedAt: deleted, isAnonymous: isAnonymous,
            providers: providers)
        return FoundRow(account: account, term: text())
    }

    /// Without duplicates.
    private mutating func providers() -> [String] {
        let names = (textIfPresent() ?? "").utf8.split(separator: UInt8(ascii: ",")).map {
            String(decoding: $0, as: UTF8.self)
        }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return names.reduce(into: []) { all, name in
            if all.last != name { all.append(name) }
        }
    }
}
