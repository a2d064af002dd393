package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension AdminStore {
    /// Returns one page of matching accounts.
    ///
    /// Without a text, newest first. With digits, the first numbers that begin with them, or else, as with any other
    /// text, matches by address, then by name, each sorted, without duplicates. A
    /// page examines a bounded number of accounts, so with a rare filter it may be short or empty and still have a
    /// ``SearchPage/next``.
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
        let found = try await database.read { try $0.page(of: lookup, after: place, limit: limit) }
        return SearchPage(accounts: found.accounts, next: try found.next.map { try self.cursor(to: $0) })
    }
}

private struct FoundPage: Sendable {
    var accounts: [FoundAccount] = []
    var next: SearchPlace?
}

extension Connection {
    fileprivate func page(of lookup: SearchLookup, after place: SearchPlace?, limit: Int) throws -> FoundPage {
        guard let text = lookup.search.text else {
            let (time, id) = try place.map { try $0.inTime } ?? AdminStore.beforeNewest
            return try part(of: lookup, .byTime(time, id), limit: limit)
        }
        if let id = UserID(text) {
            if place != nil { throw MalformedCursor() }
            return FoundPage(accounts: try rows(lookup.account(id)) { $0.foundAccount() })
        }
        if place == nil, let digits = lookup.search.digits {
            let found = try rows(lookup.accounts(withNumber: digits, limit: limit)) { $0.foundAccount() }
            if !found.isEmpty { return FoundPage(accounts: found) }
        }
        let range = PrefixRange(text)
        var page: FoundPage
        switch place {
        case .time: throw MalformedCursor()
        case .name(let name, let id): return try part(of: lookup, .byName(range, name, id), limit: limit)
        case .address(let address): page = try part(of: lookup, .byAddress(range, after: address), limit: limit)
        case nil: page = try part(of: lookup, .byAddress(range, after: nil), limit: limit)
        }
        if page.next != nil { return page }
        // A full page only learns whether there are names.
        let names = try part(
            of: lookup, .byName(range, range.start, lookup.noID), limit: limit - page.accounts.count)
        page.accounts += names.accounts
        page.next = names.next
        return page
    }

    private func part(of lookup: SearchLookup, _ order: SearchOrder, limit: Int) throws -> FoundPage {
        var found = try rows(lookup.matches(order, limit: limit + 1)) { $0.foundAccount() }
        if found.count > limit {
            found.removeLast(found.count - limit)
            return FoundPage(accounts: found, next: found.last.map(order.place) ?? order.start)
        }
        guard lookup.search.isFiltered else { return FoundPage(accounts: found) }
        let end = try row(lookup.lastExamined(order)) { row in row.foundAccount() }
        return FoundPage(accounts: found, next: end.map(order.place))
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
    fileprivate mutating func foundAccount() -> FoundAccount {
        FoundAccount(
            id: id(), email: textIfPresent(), phone: textIfPresent(), fullName: textIfPresent(), createdAt: instant(),
            lastSignInAt: instantIfPresent(), emailConfirmedAt: instantIfPresent(), bannedUntil: instantIfPresent(),
            deletedAt: instantIfPresent(), isAnonymous: bool(), providers: providers())
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
