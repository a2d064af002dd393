package import AccountStore
package import GatehouseWire
import HTTPServing
import Hummingbird

extension AdminHandlers {
    /// `GET /admin/audit?query=author:…|action:…|type:…&page=&per_page=`: an array, newest first.
    @Sendable func listAudit(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = Query(request)
        let page = try query.pageRequest()
        let log = try await accounts.auditLog(try auditFilter(query), page: page)
        var response = Answer.json(capacity: 512 * (log.elements.count + 1)) { writer in
            writer.beginArray()
            for entry in log.elements { writer.auditEntry(entry) }
            writer.endArray()
        }
        response.headers.append(contentsOf: query.pageHeaders("/admin/audit", page, total: log.total))
        return response
    }

    /// An extension whose pages cost the same for a log of any length. The last page has no `next`; others may be short.
    @Sendable func searchAudit(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = Query(request)
        var search = AuditSearch()
        search.action = try query.searchText("action")
        search.actor = try query.searchText("actor")
        search.since = try query.time("since")
        search.until = try query.time("until")
        let limit = try query.listLimit(atMost: 1_000)
        let found = try await refusingCursor { [search] in
            try await accounts.admin.searchAudit(search, after: query["after"], limit: limit)
        }
        return Answer.json(capacity: 512 * (found.entries.count + 1)) { writer in
            writer.beginObject()
            writer.list("entries", found.entries) { $0.auditEntry($1) }
            writer.member("next", ifPresent: found.next)
            writer.endObject()
        }
    }

    private func auditFilter(_ query: Query) throws -> AuditFilter? {
        guard let text = try query.searchText("query") else { return nil }
        let parts = text.split(ascii: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch parts.count == 2 ? parts[0] : "" {
        case "author": return .author(parts[1])
        case "action": return .action(parts[1])
        case "type": return .type(parts[1])
        default: throw Refusal.invalid("Invalid query scope: author, action and type are known")
        }
    }
}

extension JSONWriter {
    package mutating func auditEntry(_ entry: RecordedAuditEntry) {
        beginObject()
        member("id", entry.id)
        name("payload")
        beginObject()
        member("action", entry.action)
        member("actor_id", entry.actor.isEmpty ? "00000000-0000-0000-0000-000000000000" : entry.actor)
        member("actor_username", entry.actorName)
        member("actor_via_sso", false)
        member("log_type", entry.logType)
        if entry.traits != "{}" { member("traits", json: entry.traits) }
        endObject()
        member("created_at", entry.createdAt)
        member("ip_address", entry.address)
        endObject()
    }
}
