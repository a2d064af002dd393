import GatehouseWire
import HTTPServing
import HTTPTypes

/// Of this process. A script adds new ones once a second.
struct RequestsPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/requests") { try await $0.show() },
        shows("/requests/new", isLogged: false) { try await $0.listNew() },
    ]

    private static let rows = 100

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        var page = Page(ConsolePlace.requests.title)
        var next: Int?
        let link = pages.settings.traceLink
        page.blocks = try await part("The last requests of this process") { console in
            let log = try RequestLog(json: await console.callAsAdmin(.get, "/admin/requests?after=0"))
            next = log.next
            var table = Table(
                caption: "Requests", columns: ["Time (UTC)", "Request", "Status", "Took"], empty: "No requests yet.")
            table.rows = log.entries.suffix(Self.rows).reversed().map { entry in
                let shown = ShownRequest(entry, link)
                var status = Cell([Badge(text: shown.status, tone: shown.tone)])
                status.detail = shown.code
                return [
                    Cell(shown.time), Cell(shown.request, address: shown.trace), status,
                    Cell(shown.took, isNumber: true),
                ]
            }
            return [.actions([Link(title: "Refresh", address: ConsolePlace.requests.path)]), .table(table)]
        }
        page.live = next.map { LiveRows(address: ConsolePlace.requests.path + "/new", next: $0, most: Self.rows) }
        return .page(page)
    }

    /// The rows after the number `after`, oldest first, as the table shows them.
    mutating func listNew() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        let link = pages.settings.traceLink
        let after = Int64(visit.fields["after"] ?? "") ?? 0
        let log = try RequestLog(
            json: await callAsAdmin(.get, "/admin/requests?after=\(max(0, after))"))
        return .answer(
            Answer.json(capacity: 160 * (log.entries.count + 1)) { writer in
                writer.beginObject()
                writer.member("next", Int64(log.next))
                writer.list("rows", log.entries.suffix(Self.rows)) { writer, entry in
                    let shown = ShownRequest(entry, link)
                    writer.beginObject()
                    writer.member("time", shown.time)
                    writer.member("request", shown.request)
                    writer.member("trace", ifPresent: shown.trace)
                    writer.member("status", shown.status)
                    writer.member("tone", shown.tone.rawValue)
                    writer.member("code", ifPresent: shown.code)
                    writer.member("took", shown.took)
                    writer.endObject()
                }
                writer.endObject()
            })
    }
}

private struct ShownRequest {
    let time, request, status, took: String
    let tone: Badge.Tone
    let code: String?
    /// A URL.
    let trace: String?

    init(_ entry: RequestLog.Entry, _ link: TraceLink?) {
        trace = link?.address(trace: entry.traceID, request: entry.requestID)
        time = entry.at.timeText
        request = "\(entry.method.cutForChart) \(entry.route.shown)"
        status = "\(entry.status)"
        took = Figures.milliseconds(entry.milliseconds)
        tone = entry.status < 400 ? .good : entry.status < 500 ? .plain : .bad
        code = entry.code?.cutForChart
    }
}
