import AccountDomain
import AccountStore
import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird

// Clients parse the page numbers from the `Link` header and depend on its exact format.
extension Query {
    /// `page` starts at 1. `per_page` is 1 to 1,000, default 50. An empty value means absent.
    func pageRequest() throws -> PageRequest {
        PageRequest(number: try number("page") ?? 1, size: try number("per_page", from: 1) ?? 50)
    }

    /// 1 to 100.
    package func listLimit(or usual: Int = 50, atMost most: Int = 100) throws -> Int {
        guard let text = self["limit"] else { return usual }
        guard let limit = Int(text), (1...most).contains(limit) else {
            throw Refusal.invalid("limit must be a number from 1 to \(most)")
        }
        return limit
    }

    func time(_ name: String) throws -> Instant? {
        guard let text = self[name] else { return nil }
        guard let time = Instant(text) else {
            throw Refusal.invalid("\(name) must be a time such as 2026-01-31T00:00:00Z")
        }
        return time
    }

    private func number(_ name: String, from least: Int = 0) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), number >= least else { throw Refusal.invalid("\(name) must be a number") }
        return number
    }

    /// At most 1,024 bytes by default: SQLite rejects patterns beyond 50,000.
    func searchText(_ name: String, atMost longest: Int = 1_024) throws -> String? {
        guard let text = self[name] else { return nil }
        // No stored text contains NUL.
        if text.contains(ascii: "\0") { throw Refusal.invalid("\(name) has a NUL character") }
        guard text.utf8.count <= longest else { throw Refusal.invalid("\(name) is longer than \(longest) bytes") }
        // Domains are stored as A-labels.
        return text.utf8.allSatisfy { $0 < 0x80 } ? text : EmailAddress(text)?.text ?? text
    }

    /// `created_at asc|desc`; newest first by default.
    func sortsAscending() throws -> Bool {
        switch self["sort"] {
        case nil, "created_at desc", "created_at": false
        case "created_at asc": true
        default: throw Refusal.invalid("sort must be created_at asc or created_at desc")
        }
    }

    /// - Parameter path: Without the prefix, as Supabase Auth behind its gateway writes it.
    func pageHeaders(_ path: String, _ page: PageRequest, total: Int) -> HTTPFields {
        let last = (total + page.size - 1) / page.size
        var links: [String] = []
        if page.number < last { links.append(link(path, page.number + 1, "next")) }
        links.append(link(path, last, "last"))
        var fields = HTTPFields()
        let text = links.joined(separator: ", ")
        // The links repeat the query, and HTTP libraries reject headers beyond 64 KiB. `X-Total-Count` suffices for
        // paging.
        if text.utf8.count <= 16_384 { fields[.link] = text }
        fields[.totalCount] = String(total)
        return fields
    }

    private func link(_ path: String, _ number: Int, _ relation: String) -> String {
        "<\(path)?\(encoded(setting: "page", to: String(number)))>; rel=\"\(relation)\""
    }
}

extension HTTPField.Name {
    fileprivate static let link = Self("link")!
    fileprivate static let totalCount = Self("x-total-count")!
}
