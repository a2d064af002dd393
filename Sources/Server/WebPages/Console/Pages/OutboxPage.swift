import GatehouseWire
import HTTPServing
import HTTPTypes

struct OutboxPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/mails") { try await $0.show() },
        takes("/mails/retry") { try await $0.retry() },
        shows("/mails/drop") { $0.askToDrop() },
        takes("/mails/drop") { try await $0.drop() },
    ]

    private static let rows = 40

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        var page = Page("Emails")
        page.blocks = try await part("Outbox") { console in
            let outbox = try Outbox(json: await console.callAsAdmin(.get, "/admin/outbox?limit=\(Self.rows)"))
            var table = Table(
                caption: "Emails", columns: ["Email", "State", "Created (UTC)", "Attempts", "Retry", "Discard"],
                empty: "No emails are queued.")
            table.rows = outbox.mails.map { console.row($0) }
            return [.soft("Queued: \(Figures.count(outbox.waiting))."), .table(table)]
        }
        return .page(page)
    }

    mutating func retry() async throws -> Outcome {
        try await callAsAdmin(.post, "/admin/outbox/\(namedID)/retry")
        visit.session.sentence = "The email will be sent again."
        return .move(ConsolePlace.mails.path)
    }

    mutating func askToDrop() -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        return .page(
            question(
                "Discard This Email?", "It will not be sent, and the recipient is not notified.",
                action: ConsolePlace.mails.path + "/drop",
                button: "Discard", back: .mails, hidden: [("id", (visit.fields["id"] ?? "").cut(to: 128))]))
    }

    mutating func drop() async throws -> Outcome {
        try await callAsAdmin(.delete, "/admin/outbox/\(namedID)")
        visit.session.sentence = "The email was discarded."
        return .move(ConsolePlace.mails.path)
    }
}

extension OutboxPage {
    private func row(_ mail: Outbox.Mail) -> [Cell] {
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
            isOver ? Cell() : Cell("Discard…", address: drop),
        ]
    }
}
