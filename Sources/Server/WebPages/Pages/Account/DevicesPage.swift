import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

struct DevicesPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/devices") { try await $0.show() },
        takes("/devices") { try await $0.end() },
    ]

    mutating func show() async throws -> Outcome {
        let sessions = try SessionInfo.list(json: await visit.callAsUser(.get, "/sessions"))
        var page = visit.accountPage(say("Devices"))
        let own = sessions.filter(\.isCurrent)
        let others = sessions.filter { !$0.isCurrent }
        page.blocks.append(.rows((own + others).map(row)))
        guard !others.isEmpty else { return .page(page) }
        page.blocks.append(
            .form(
                Form(
                    action: Place.devices.path, hidden: [("session", "others")],
                    button: say("Sign Out All Other Devices"), style: .danger)))
        return .page(page)
    }

    /// This session, or all others.
    mutating func end() async throws -> Outcome {
        let session = visit.fields["session"] ?? ""
        guard session != "others" else {
            try await visit.callAsUser(.post, "/logout?scope=others")
            visit.session.flash = .othersEnded
            return .go(.devices)
        }
        do {
            try await visit.callAsUser(.delete, "/sessions/\(FormText.escape(session.cut(to: 64)))")
        } catch let refusal as CallRefusal where refusal.code == .notFound {
            // Already ended.
        }
        visit.session.flash = .deviceEnded
        return .go(.devices)
    }
}

extension DevicesPage {
    private func row(_ session: SessionInfo) -> Row {
        let device = session.device
        let name = device?.name.shown ?? say("Unknown Device")
        var row = Row(title: name, badge: session.isCurrent ? say("This Device") : nil)
        row.details = [device?.details?.shown, session.ipAddress?.shown].compactMap(\.self)
        guard !session.isCurrent else { return row }
        row.details.append(say("Last used %@", visit.language.day(session.lastUsedAt)))
        row.form = Form(
            action: Place.devices.path, hidden: [("session", session.id.uuidString.lowercased())],
            button: say("Sign Out"), label: say("Sign out %@", name), style: .plain)
        return row
    }
}
