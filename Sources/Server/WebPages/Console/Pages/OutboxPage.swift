import GatehouseWire
import HTTPServing
import HTTPTypes

// The outbox of mails, and the deliveries of webhooks.
extension WebPages {
    private static let rows = 40

    @Sendable func showMails(_ visit: inout Visit) async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        var page = Page("Mails")
        page.blocks = try await visit.part("Outbox") { visit in
            let outbox = try Outbox(json: await visit.callAsAdmin(.get, "/admin/outbox?limit=\(Self.rows)"))
            var table = Table(
                caption: "Mails", columns: ["Mail", "State", "Created (UTC)", "Attempts", "Retry", "Drop"],
                empty: "No mails are waiting.")
            table.rows = outbox.mails.map { visit.row($0) }
            return [.soft("Waiting: \(Figures.count(outbox.waiting))."), .table(table)]
        }
        return .page(page)
    }

    @Sendable func retryMail(_ visit: inout Visit) async throws -> Outcome {
        try await visit.callAsAdmin(.post, "/admin/outbox/\(visit.namedID)/retry")
        visit.session.sentence = "The mail is sent again."
        return .move(ConsolePlace.mails.path)
    }

    @Sendable func askToDropMail(_ visit: inout Visit) async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        return .page(
            visit.question(
                "Drop This Mail?", "It is not sent, and nobody is told.", action: ConsolePlace.mails.path + "/drop",
                button: "Drop", back: .mails, hidden: [("id", (visit.fields["id"] ?? "").cut(to: 128))]))
    }

    @Sendable func dropMail(_ visit: inout Visit) async throws -> Outcome {
        try await visit.callAsAdmin(.delete, "/admin/outbox/\(visit.namedID)")
        visit.session.sentence = "The mail is dropped."
        return .move(ConsolePlace.mails.path)
    }

    @Sendable func showWebhooks(_ visit: inout Visit) async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        var page = Page("Webhooks")
        page.blocks = try await visit.part("Endpoints") { visit in
            let answer = try Deliveries(json: await visit.callAsAdmin(.get, "/admin/deliveries?limit=\(Self.rows)"))
            var endpoints = Table(
                caption: "Endpoints", columns: ["Name", "Kind", "State", "Waiting"], empty: "There are no endpoints.")
            endpoints.rows = answer.endpoints.map { endpoint in
                [
                    Cell(endpoint.name.shown), Cell(endpoint.kind.cutForChart), Cell([Badge(state: endpoint.state)]),
                    Cell(endpoint.waiting.map(Figures.count) ?? "–", isNumber: true),
                ]
            }
            var deliveries = Table(
                caption: "Deliveries", columns: ["Event", "Endpoint", "State", "Created (UTC)", "Attempts", "Replay"],
                empty: "Nothing has been delivered yet.")
            deliveries.rows = answer.deliveries.map { visit.row($0) }
            return [.table(endpoints), .heading("Deliveries"), .table(deliveries)]
        }
        return .page(page)
    }

    @Sendable func replayDelivery(_ visit: inout Visit) async throws -> Outcome {
        try await visit.callAsAdmin(.post, "/admin/deliveries/\(visit.namedID)/replay")
        visit.session.sentence = "The event is delivered again."
        return .move(ConsolePlace.webhooks.path)
    }
}

extension Visit {
    fileprivate func row(_ mail: Outbox.Mail) -> [Cell] {
        let isOver = mail.endedAt != nil
        let retry = Form(
            action: ConsolePlace.mails.path + "/retry", hidden: [("id", mail.id)], button: "Retry",
            label: "Retry \(mail.kind.cutForChart)", style: .plain)
        let drop = "\(ConsolePlace.mails.path)/drop?id=\(FormText.escape(mail.id.cut(to: 128)))"
        var state = Cell([Badge(state: mail.state)])
        state.detail = mail.reason?.shown
        return [
            Cell(mail.kind.shown), state, Cell(mail.createdAt.secondText),
            Cell(Figures.count(mail.attempts), isNumber: true), isOver && mail.state == "sent" ? Cell() : Cell(retry),
            isOver ? Cell() : Cell("Drop…", address: drop),
        ]
    }

    fileprivate func row(_ delivery: Deliveries.Delivery) -> [Cell] {
        var state = Cell([Badge(state: delivery.state)])
        state.detail = delivery.reason?.shown
        let replay = Form(
            action: ConsolePlace.webhooks.path + "/replay", hidden: [("id", delivery.id)], button: "Replay",
            label: "Replay \(delivery.event.cutForChart)", style: .plain)
        return [
            Cell(delivery.event.shown), Cell(delivery.endpoint.shown), state, Cell(delivery.createdAt.secondText),
            Cell(Figures.count(delivery.attempts), isNumber: true), delivery.endedAt == nil ? Cell() : Cell(replay),
        ]
    }
}
