import GatehouseWire
import HTTPTypes

struct WebhooksPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/webhooks") { try await $0.show() },
        takes("/webhooks/replay") { try await $0.replay() },
    ]

    private static let rows = 40

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        var page = Page("Webhooks")
        page.blocks = try await part("Endpoints") { console in
            let answer = try Deliveries(json: await console.callAsAdmin(.get, "/admin/deliveries?limit=\(Self.rows)"))
            var endpoints = Table(
                caption: "Endpoints", columns: ["Name", "Kind", "State", "Queued"], empty: "There are no endpoints.")
            endpoints.rows = answer.endpoints.map { endpoint in
                [
                    Cell(endpoint.name.shown), Cell(endpoint.kind.cutForChart), Cell([Badge(state: endpoint.state)]),
                    Cell(endpoint.waiting.map(Figures.count) ?? "–", isNumber: true),
                ]
            }
            var deliveries = Table(
                caption: "Deliveries", columns: ["Event", "Endpoint", "State", "Created (UTC)", "Attempts", "Again"],
                empty: "Nothing has been delivered yet.")
            deliveries.rows = answer.deliveries.map { console.row($0) }
            return [.table(endpoints), .heading("Deliveries"), .table(deliveries)]
        }
        return .page(page)
    }

    mutating func replay() async throws -> Outcome {
        try await callAsAdmin(.post, "/admin/deliveries/\(namedID)/replay")
        visit.session.sentence = "The event will be delivered again."
        return .move(ConsolePlace.webhooks.path)
    }
}

extension WebhooksPage {
    private func row(_ delivery: Deliveries.Delivery) -> [Cell] {
        var state = Cell([Badge(state: delivery.state)])
        state.detail = delivery.reason?.shown
        let verb = delivery.endedAt == nil ? "Retry" : "Replay"
        let replay = Form(
            action: ConsolePlace.webhooks.path + "/replay", hidden: [("id", delivery.id)], button: verb,
            label: "\(verb) \(delivery.event.cutForChart)", style: .plain)
        return [
            Cell(delivery.event.shown), Cell(delivery.endpoint.shown), state, Cell(delivery.createdAt.secondText),
            Cell(Figures.count(delivery.attempts), isNumber: true), Cell(replay),
        ]
    }
}
