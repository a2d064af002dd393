import GatehouseWire
import HTTPServing
import HTTPTypes

struct WebhooksPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/webhooks") { try await $0.show() },
        takes("/webhooks/replay") { try await $0.replay() },
        takes("/webhooks/test") { try await $0.test() },
    ]

    private static let rows = 40

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        var page = Page("Webhooks")
        page.blocks = try await part("Endpoints") { console in
            let answer = try Deliveries(json: await console.callAsAdmin(.get, "/admin/deliveries?limit=\(Self.rows)"))
            var endpoints = Table(
                caption: "Endpoints", columns: ["Name", "Kind", "State", "Queued", "Test"],
                empty: "There are no endpoints.")
            endpoints.rows = answer.endpoints.map { endpoint in
                [
                    Cell(endpoint.name.shown), Cell(endpoint.kind.cutForChart), Cell([Badge(state: endpoint.state)]),
                    Cell(endpoint.waiting.map(Figures.count) ?? "–", isNumber: true),
                    Cell(endpoint.kind == "webhook" ? Self.testForm(endpoint.name) : nil),
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

    mutating func test() async throws -> Outcome {
        let name = (visit.fields["name"] ?? "").cut(to: 64)
        let json = try await callAsAdmin(.post, "/admin/webhooks/\(FormText.escape(name))/test")
        guard json["accepted"]?.boolValue != true else {
            visit.session.sentence = "\(name.shown) accepted the test event."
            return .move(ConsolePlace.webhooks.path)
        }
        guard case .page(var page) = try await show() else { return .move(ConsolePlace.webhooks.path) }
        let reason = (json["reason"]?.stringValue ?? "no reason").shown
        page.notice = .problem("\(name.shown) did not accept the test event: \(reason).")
        return .page(page)
    }
}

extension WebhooksPage {
    private static func testForm(_ name: String) -> Form {
        Form(
            action: ConsolePlace.webhooks.path + "/test", hidden: [("name", name)], button: "Send Test",
            label: "Send a test event to \(name.cutForChart)", style: .plain)
    }

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
