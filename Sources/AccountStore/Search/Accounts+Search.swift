package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// Returns one page of the accounts that match.
    ///
    /// Without a text the newest come first. With one, those with the address come first, in the order of addresses,
    /// then those with the name, in the order of names; each account once. A page costs the same wherever it begins:
    /// it examines a bounded number of accounts, so a page for a rare filter may be short, or empty, and still have a
    /// ``SearchPage/next``.
    ///
    /// - Parameters:
    ///   - cursor: Where the page before ended; nil for the first page.
    ///   - limit: 1 to 100; other values are clamped.
    /// - Throws: ``MalformedCursor``, ``DatabaseFailure``.
    package func search(
        _ search: AccountSearch, after cursor: String?, limit: Int, at now: Instant
    ) async throws -> SearchPage {
        let place = try cursor.map { try self.place(of: $0) }
        let lookup = SearchLookup(search: search, dialect: database.dialect, now: now)
        let limit = min(max(1, limit), 100)
        let found = try await database.read { db in
            var page = try db.page(of: lookup, after: place, limit: limit)
            try db.addProviders(to: &page.accounts)
            return page
        }
        return SearchPage(accounts: found.accounts, next: try found.next.map { try self.cursor(to: $0) })
    }
}

/// A page whose cursor is not sealed yet.
private struct FoundPage: Sendable {
    var accounts: [FoundAccount] = []
    var next: SearchPlace?
}

extension Connection {
    fileprivate func page(of lookup: SearchLookup, after place: SearchPlace?, limit: Int) throws -> FoundPage {
        guard let text = lookup.search.text else {
            let (time, id) = try place.map { try $0.inTime } ?? lookup.beginning
            return try part(of: lookup, .byTime(time, id), limit: limit)
        }
        if let id = UserID(text) {
            if place != nil { throw MalformedCursor() }
            return FoundPage(accounts: try rows(lookup.account(id)) { $0.foundAccount() })
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

    /// A page in one order.
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

    /// Reads the providers of all accounts in one statement. The list is filled up, so that one prepared statement fits
    /// every page.
    fileprivate func addProviders(to accounts: inout [FoundAccount]) throws {
        guard let last = accounts.last?.id.text else { return }
        let ids = accounts.map(\.id.text)
        let filled = ids + Array(repeating: last, count: (100 - ids.count % 100) % 100)
        let rows = try rows(.list("SELECT user_id, provider FROM identities WHERE user_id IN", filled)) {
            (user: $0.id() as UserID, provider: $0.text())
        }
        let providers = Dictionary(grouping: rows, by: \.user)
        for index in accounts.indices {
            let names = providers[accounts[index].id, default: []].map(\.provider)
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            accounts[index].providers = names.reduce(into: []) { all, name in
                if all.last != name { all.append(name) }
            }
        }
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
    /// Reads a row of ``SearchLookup``.
    fileprivate mutating func foundAccount() -> FoundAccount {
        FoundAccount(
            id: id(), email: textIfPresent(), phone: textIfPresent(), fullName: textIfPresent(), createdAt: instant(),
            lastSignInAt: instantIfPresent(), emailConfirmedAt: instantIfPresent(), bannedUntil: instantIfPresent(),
            deletedAt: instantIfPresent(), isAnonymous: bool())
    }
}
