import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// Of all users and operators. Costs the same for a log of any length: no count, and a cursor.
struct AuditPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/audit") { try await $0.show() },
        shows("/audit/export") { try await $0.export() },
    ]

    private static let rows = 50
    /// In one file; `gatehouse audit` exports everything.
    private static let exported = 10_000

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        let filter = AuditFields(visit.fields)
        var page = Page(ConsolePlace.audit.title, [.filters(filter.form)])
        let json = try await callAsAdmin(
            .get, "/admin/search/audit?limit=\(Self.rows)&" + filter.query(at: pages.now()))
        var table = Table(caption: "Audit log", columns: ["Action", "When", "By", "Address"])
        table.style = .audit
        table.rows = (json["entries"]?.arrayValue ?? []).map { LoggedAct($0).cells }
        table.next = json["next"]?.stringValue.map { filter.address(after: $0) }
        table.empty = table.next == nil ? "No entries match." : "No match yet. Select Next to keep searching."
        page.blocks += [
            .table(table),
            .actions([
                Link(title: "Export as CSV", address: filter.exportAddress("csv")),
                Link(title: "Export as JSON Lines", address: filter.exportAddress("jsonl")),
            ]),
        ]
        return .page(page)
    }

    /// The newest entries that match, never only some of them: a rare match in a long log is refused.
    mutating func export() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        let filter = AuditFields(visit.fields)
        var (acts, next, pages): ([LoggedAct], String?, Int) = ([], nil, 0)
        repeat {
            let after = next.map { "&after=\(FormText.escape($0))" } ?? ""
            let json = try await callAsAdmin(
                .get, "/admin/search/audit?limit=1000&" + filter.query(at: self.pages.now(), paged: false) + after)
            acts += (json["entries"]?.arrayValue ?? []).map(LoggedAct.init)
            (next, pages) = (json["next"]?.stringValue, pages + 1)
        } while next != nil && acts.count < Self.exported && pages < 20
        if next != nil, acts.count < Self.exported {
            return .page(
                visit.problemPage(
                    "The log is too long to export these entries at once. Choose a shorter time, or use gatehouse audit.",
                    status: .unprocessableContent))
        }
        acts = Array(acts.prefix(Self.exported))
        let isTable = visit.fields["format"] == "csv"
        let lines = isTable ? [LoggedAct.titles] + acts.map(\.line) : acts.map(\.json.text)
        var response = Answer.text(
            lines.map { $0 + (isTable ? "\r\n" : "\n") }.joined(),
            contentType: isTable ? "text/csv; charset=utf-8" : "application/jsonl")
        response.headers[.contentDisposition] = "attachment; filename=\"audit.\(isTable ? "csv" : "jsonl")\""
        return .answer(response)
    }
}

private struct AuditFields {
    private let action, actor, time, after: String

    private static let times: [(value: String, title: String, days: Int)] = [
        ("day", "in the last 24 hours", 1), ("week", "in the last 7 days", 7), ("month", "in the last 30 days", 30),
    ]

    init(_ fields: Query) {
        func field(_ name: String) -> String { (fields[name] ?? "").cut(to: 256) }
        (action, actor, time) = (field("action"), field("actor"), field("time"))
        after = (fields["after"] ?? "").cut(to: 2_048)
    }

    /// For the admin API.
    func query(at now: Instant, paged: Bool = true) -> String {
        let days = Self.times.first { $0.value == time }?.days
        let since = days.map { "\(now - .seconds(86_400 * $0))" } ?? ""
        return Self.encoded([("action", action), ("actor", actor), ("since", since), ("after", paged ? after : "")])
    }

    func address(after: String) -> String {
        let query = [("action", action), ("actor", actor), ("time", time), ("after", after)]
        return "\(ConsolePlace.audit.path)?\(Self.encoded(query))"
    }

    func exportAddress(_ format: String) -> String {
        let query = [("format", format), ("action", action), ("actor", actor), ("time", time)]
        return "\(ConsolePlace.audit.path)/export?\(Self.encoded(query))"
    }

    private static func encoded(_ query: [(String, String)]) -> String {
        query.filter { !$0.1.isEmpty }.map { "\($0.0)=\(FormText.escape($0.1))" }.joined(separator: "&")
    }

    var form: Filters {
        var search = Field(kind: .text, name: "actor", label: "By (email, or service_role)", value: actor)
        search.maximumLength = 256
        var named = Field(kind: .text, name: "action", label: "Action", value: action)
        named.maximumLength = 64
        var period = Field(kind: .choice, name: "time", label: "Time", value: time)
        period.options = ([("", "Any")] + Self.times.map { ($0.value, $0.title) }).map {
            Field.Option(value: $0.0, title: $0.1)
        }
        let isWhole = [action, actor, time, after].allSatisfy(\.isEmpty)
        return Filters(
            action: ConsolePlace.audit.path, search: search, choices: [named, period],
            whole: isWhole ? nil : ConsolePlace.audit.path)
    }
}

/// An entry of the admin API.
private struct LoggedAct {
    let json: AuthJSON

    init(_ json: AuthJSON) { self.json = json }

    private var payload: AuthJSON { json["payload"] ?? .null }
    private var action: String { payload["action"]?.stringValue ?? "" }
    private var name: String { payload["actor_username"]?.stringValue ?? "" }
    private var traits: String { payload["traits"]?.text ?? "" }
    private var address: String { json["ip_address"]?.stringValue ?? "" }

    /// Leads to the account that the act is about, else to the actor's.
    private var user: String? {
        let actor = payload["actor_id"]?.stringValue.flatMap { $0 == "00000000-0000-0000-0000-000000000000" ? nil : $0 }
        return payload["traits"]?["user_id"]?.stringValue ?? actor
    }

    var cells: [Cell] {
        let page = user.map { "\(ConsolePlace.users.path)/\(FormText.escape($0.cut(to: 64)))" }
        return [
            Cell(
                action.isEmpty ? "–" : action.shown, address: page, detail: traits.isEmpty ? nil : traits.shown),
            Cell(Moment.text(json["created_at"])), Cell(name.isEmpty ? "–" : name.shown),
            Cell(address.isEmpty ? "–" : address.shown),
        ]
    }

    static let titles = "time,action,actor,actor_id,address,details"

    /// RFC 4180.
    var line: String {
        [json["created_at"]?.stringValue ?? "", action, name, payload["actor_id"]?.stringValue ?? "", address, traits]
            .map(Self.cell).joined(separator: ",")
    }

    /// Spreadsheets run a cell that begins like a formula.
    private static func cell(_ text: String) -> String {
        let isFormula = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
        let quoted = (isFormula ? "'" + text : text).split(ascii: "\"", omittingEmptySubsequences: false)
        return "\"" + quoted.joined(separator: "\"\"") + "\""
    }
}
